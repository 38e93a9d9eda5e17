import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { searchProject, type FoundPassage } from '../../../src/core/search/search-project.js';
import type { SearchFilters } from '../../../src/core/search/match-chunks.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization, plantProject } from '../../support/database/plant-organization.js';
import {
  plantDocument,
  plantVersion,
  type PlantedDocument,
  type PlantingGround,
} from '../../support/search/plant-document.js';

let database: TestDatabase;
let acme: PlantingGround;
let invoice: PlantedDocument;

async function find(
  ground: PlantingGround,
  query: string,
  filters: SearchFilters = {},
  limit = 10,
): Promise<FoundPassage[]> {
  const { passages } = await ground.record.inOrganization(ground.orgId, (tx) =>
    searchProject(tx, ground.projectId, query, filters, limit, null),
  );
  return passages;
}

const placesOf = (passages: readonly FoundPassage[]): string[] =>
  passages.map(({ match }) => `${match.document_name}:${match.page_number}`);

async function ground(name: string): Promise<PlantingGround> {
  const { orgId, projectId } = await plantOrganization(database.owner, name);
  return { owner: database.owner, record: database.record, orgId, projectId };
}

beforeAll(async () => {
  database = await createTestDatabase();
  acme = await ground('Acme');
  invoice = await plantDocument(acme, {
    name: 'invoice.pdf',
    kind: 'pdf',
    labels: ['finance'],
    pages: [
      'Invoice of Flipkart Internet Private Limited. Order of 20 October 2015 for one phone case.',
      'The grand total is INR 1,234.50 including shipping, payable within thirty days.',
    ],
  });
  await plantDocument(acme, {
    name: 'lease.txt',
    pages: [
      'The tenants may terminate the lease agreement with three months of notice.',
      'Deposit of EUR 2.500,00 was paid on 03/04/2021.',
    ],
  });
  await plantDocument(acme, {
    name: 'vertrag.txt',
    language: 'de',
    pages: ['Die Kündigung der Verträge erfolgt schriftlich bis zum 4. März 2021.'],
  });
  await plantDocument(acme, {
    name: 'weather.txt',
    pages: ['Rain and wind are expected on the coast; the harbour stays closed.'],
  });
});

afterAll(() => database.close());

describe('a question', () => {
  it('DI-019 is answered as a person asks it', async () => {
    expect(
      placesOf(await find(acme, 'What was the total of the invoice from Flipkart?'))
        .slice(0, 2)
        .sort(),
    ).toEqual(['invoice.pdf:1', 'invoice.pdf:2']);
    expect(placesOf(await find(acme, 'how can a tenant end the leases by terminating?'))[0]).toBe('lease.txt:1');
    expect(placesOf(await find(acme, 'Wann wird ein Vertrag gekündigt?'))[0]).toBe('vertrag.txt:1');
  });

  it('DI-020 gets document, page and an excerpt that is on the page', async () => {
    const [passage] = await find(acme, 'grand total');
    expect(passage?.match).toMatchObject({ document_name: 'invoice.pdf', page_number: 2, version: 1 });
    expect(passage?.excerpt.text).toBe(
      'The grand total is INR 1,234.50 including shipping, payable within thirty days.',
    );
    expect(passage?.score).toBeGreaterThan(0.5);
    expect(passage?.score).toBeLessThanOrEqual(1);
  });

  it.each(['1234.5', '1.234,50', "1'234.50", '1 234.50', 'INR1,234.50', '$1234.50'])(
    'DI-019 finds a number however it is spelled: %s',
    async (number) => {
      expect(placesOf(await find(acme, `amount ${number}`))[0]).toBe('invoice.pdf:2');
    },
  );

  it.each(['2015-10-20', '20.10.2015', 'October 20, 2015', '20th of October 2015', '20/10/2015', '20 Oct 2015'])(
    'DI-019 finds a day however it is spelled: %s',
    async (day) => {
      expect(placesOf(await find(acme, day))[0]).toBe('invoice.pdf:1');
    },
  );

  it('DI-019 reads figures that may be two days as both', async () => {
    expect(placesOf(await find(acme, 'deposit on 3 April 2021'))[0]).toBe('lease.txt:2');
    expect(placesOf(await find(acme, 'deposit on March 4, 2021'))[0]).toBe('lease.txt:2');
    expect(placesOf(await find(acme, 'March 2021')).sort()).toEqual(['lease.txt:2', 'vertrag.txt:1']);
  });

  it.each(['tennants', 'agreemnet', 'harbuor', 'Flipkrat', 'shiping'])(
    'DI-019 finds what was meant by a word that no document has: %s',
    async (word) => {
      expect(await find(acme, word)).toHaveLength(1);
    },
  );

  it('DI-019 wants the words of a quotation one behind the other', async () => {
    expect(placesOf(await find(acme, '"lease agreement"'))).toEqual(['lease.txt:1']);
    expect(await find(acme, '"agreement lease"')).toEqual([]);
  });

  it('DI-019 is narrowed by filters', async () => {
    const all = { documentIds: [invoice.documentId], labels: ['finance'], kinds: ['pdf'], pages: [2] };
    expect(placesOf(await find(acme, 'total invoice', all))).toEqual(['invoice.pdf:2']);
    expect(await find(acme, 'total', { labels: ['legal'] })).toEqual([]);
    expect(await find(acme, 'total', { kinds: ['image'] })).toEqual([]);
    expect(await find(acme, 'total', { updatedAfter: new Date(Date.now() + 60_000) })).toEqual([]);
  });
});

describe('what a search reaches', () => {
  it('DI-019 ends at the organization and the project, whichever tier answers', async () => {
    const other = await ground('Other');
    const sibling = {
      ...acme,
      projectId: await plantProject(database.owner, { orgId: acme.orgId, workspaceId: await workspaceOf(acme) }),
    };
    const text = { name: 'secret.txt', pages: ['The zanzibar treaty was signed by emissaries in winter.'] };
    await plantDocument(other, text);
    await plantDocument(sibling, text);
    for (const query of ['zanzibar treaty', 'zanzibar rain and wind', '"zanzibar treaty"', 'zanzibra']) {
      expect(placesOf(await find(acme, query)).filter((place) => place.startsWith('secret'))).toEqual([]);
      expect(placesOf(await find(other, query))).toEqual(['secret.txt:1']);
      expect(placesOf(await find(sibling, query))).toEqual(['secret.txt:1']);
    }
    const foreign = { ...acme, projectId: other.projectId };
    expect(await find(foreign, 'zanzibar treaty')).toEqual([]);
    expect(await find(foreign, 'zanzibar rain')).toEqual([]);
  });

  it('DI-019 an older version is found until the next one is read, and afterwards when all versions are asked for', async () => {
    const place = await ground('Versions');
    const planted = await plantDocument(place, { name: 'plan.txt', pages: ['The picnic is on the meadow.'] });
    await database.owner.query(
      `insert into document_versions (id, org_id, project_id, document_id, version, blob_key, size_bytes, status)
       values (gen_random_uuid(), $1, $2, $3, 2, 'k', 1, 'processing')`,
      [place.orgId, place.projectId, planted.documentId],
    );
    expect(await find(place, 'picnic')).toHaveLength(1);
    await plantVersion(place, planted.documentId, 3, { pages: ['The picnic is in the barn.'] });
    const latest = await find(place, 'picnic');
    expect(latest.map(({ match }) => match.version)).toEqual([3]);
    const all = await find(place, 'picnic', { versions: 'all' });
    expect(all.map(({ match }) => match.version).sort()).toEqual([1, 3]);
  });

  it('DI-019 deleted documents and what was withdrawn are not found', async () => {
    const place = await ground('Deleted');
    const deleted = await plantDocument(place, { name: 'a.txt', pages: ['A walrus sleeps on the ice.'] });
    const failed = await plantDocument(place, { name: 'b.txt', pages: ['A walrus swims below the ice.'] });
    expect(await find(place, 'walrus ice')).toHaveLength(2);
    await database.owner.query('update documents set deleted_at = now() where id = $1', [deleted.documentId]);
    const quarantine = `update document_versions set status = 'quarantined', parse_id = null where id = $1`;
    await database.owner.query(quarantine, [failed.versionId]);
    expect(await find(place, 'walrus ice')).toEqual([]);
    expect(await find(place, 'walrus ice', { versions: 'all' })).toEqual([]);
  });

  it('DI-019 at most three of a page and five of a document, unless documents are named', async () => {
    const place = await ground('Limits');
    const page = Array.from({ length: 700 }, (_, index) => (index % 20 === 0 ? 'pelican' : `w${index}`)).join(' ');
    const { documentId } = await plantDocument(place, { name: 'birds.txt', pages: [page, page, page] });
    const found = await find(place, 'pelican', {}, 50);
    expect(found).toHaveLength(5);
    const narrowed = await find(place, 'pelican', { documentIds: [documentId] }, 50);
    expect(narrowed).toHaveLength(9);
  });
});

describe('pages of results', () => {
  it('DI-019 follow each other without gap or repetition, also when documents are added between', async () => {
    const place = await ground('Pages');
    for (let index = 0; index < 12; index += 1) {
      await plantDocument(place, {
        name: `d${index}.txt`,
        pages: [`A heron ${'and a stork '.repeat(index % 4)} stand at pond ${index}.`],
      });
    }
    const all = placesOf(await find(place, 'heron stork pond', {}, 50));
    const seen: string[] = [];
    let position: string | null = null;
    do {
      const answer = await place.record.inOrganization(place.orgId, (tx) =>
        searchProject(tx, place.projectId, 'heron stork pond', {}, 5, position),
      );
      seen.push(...placesOf(answer.passages));
      position = answer.next;
      await plantDocument(place, {
        name: `x${seen.length}.txt`,
        pages: ['Another bird, a crane, stands at pond and river.'],
      });
    } while (position !== null && seen.length < 100);
    expect(seen.filter((name) => name.startsWith('d'))).toEqual(all);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('DI-019 rows between which much stands are read no further than the longest chunk goes', async () => {
    const tables = await ground('Tables');
    const { parseId } = await plantDocument(tables, { name: 'wide.xlsx', pages: ['Anchorage dues'] });
    const update = (sql: string) => tables.owner.query(sql, [parseId]);
    await update(`update pages set text = 'Anchorage dues ' || repeat('other cells ', 100000) where parse_id = $1`);
    await update(`update chunks set chars_to = 1200000 where parse_id = $1`);
    const [passage] = await find(tables, 'anchorage');
    expect(passage?.chunk.body.length).toBe(16_384);
    expect(passage?.excerpt.text).toContain('Anchorage dues');
  });
});

async function workspaceOf({ owner, projectId }: PlantingGround): Promise<string> {
  const { rows } = await owner.query<{ workspace_id: string }>('select workspace_id from projects where id = $1', [
    projectId,
  ]);
  return rows[0]?.workspace_id ?? '';
}
