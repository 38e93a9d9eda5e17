import { beforeAll, expect, it } from '@jest/globals';
import { makePdf } from '../../support/documents/make-pdf.js';
import { holdEngine, killEngine } from '../../support/extractions/engines.js';
import { LiveExtractions } from '../../support/extractions/live-extractions.js';
import type { LiveApi } from '../../support/installation/live-api.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';

interface Place {
  documentId: string;
  documentVersionId: string;
  version: number;
}

interface Result {
  status: string;
  attempt: number;
  purged: number;
  results: (Place & {
    data: object;
    fields: { [path: string]: { citations: { excerpt: string; pageNumber: number }[] } };
  })[];
  failures: (Place & { code: string })[];
}

const JANSEN = [['Pilot: Jansen', 'Draught: 4.5'], ['Nothing else.']];

/** Documents that change or go while their extraction runs. */
export function outlivesDocuments(enter: Enter): void {
  let live: LivePipeline;
  let api: LiveApi;
  let runs: LiveExtractions;

  beforeAll(async () => {
    ({ live, api } = await enter());
    runs = await LiveExtractions.open(live, api);
  });

  async function add(name: string, pages: string[][] = JANSEN): Promise<{ documentId: string; versionId: string }> {
    const added = await api.add(name, await makePdf(pages));
    expect(await live.untilTerminal(added.versionId)).toMatchObject({ status: 'ready' });
    return added;
  }

  const statusOf = async (path: string, method = 'GET'): Promise<number> => (await api.ask(path, { method })).status;
  const resultOf = async (id: string): Promise<Result> =>
    (await api.ask<Result>(`/api/v2/extractions/${id}/result`)).body;

  /** A run whose only document is being extracted while something is done. */
  async function during(externalId: string, asked: object, work: () => Promise<unknown>): Promise<string> {
    const { id } = await runs.start(externalId, asked);
    const goOn = await holdEngine(live.workerPid);
    await work();
    goOn();
    await runs.untilEnded(id);
    return id;
  }

  /** Deletes it, and sweeps as if that had been long ago. */
  async function purge(documentId: string): Promise<void> {
    const { owner } = live.test;
    await owner.query(`update documents set deleted_at = now() - interval '31 days' where id = $1`, [documentId]);
    await live.runSchedule('retention-sweep');
    await owner.query(`update parses set retired_at = now() - interval '2 hours' where retired_at is not null`);
    await live.runSchedule('retention-sweep');
  }

  /** Of these ids, those to which bytes in the store belong. */
  async function keptOf(ids: readonly string[]): Promise<string[]> {
    const kept: string[] = [];
    for await (const { ownerId } of live.store.owners()) if (ids.includes(ownerId)) kept.push(ownerId);
    return kept;
  }

  it('one that is deleted gives what it said, is shown no more, and takes its result along when it is purged', async () => {
    const { documentId, versionId } = await add('deleted.pdf');
    const chosen = { documentIds: [documentId] };
    const before = await runs.untilEnded((await runs.start('undisturbed', chosen)).id);
    const id = await during('deleted', chosen, async () => {
      expect(await statusOf(`/api/documents/${documentId}`, 'DELETE')).toBe(204);
    });
    expect(await runs.read(id)).toMatchObject({ status: 'completed', warnings: [] });
    const { results } = await resultOf(id);
    expect(results).toMatchObject([{ data: { pilot: 'Jansen', draught: 4.5 } }]);
    expect(results).toEqual((await resultOf(before.id)).results);
    for (const path of ['', '/pages/1', '/pages/1/image', '/download', '/versions/1'])
      expect([path, await statusOf(`/api/documents/${documentId}${path}`)]).toEqual([path, 404]);
    expect(await statusOf(`/api/v2/extractions/${id}/retry`, 'POST')).toBe(409);

    const { owner } = live.test;
    const { rows: items } = await owner.query<{ id: string }>(
      'select id from extraction_items where document_id = $1',
      [documentId],
    );
    const { parse_id: parseId } = await live.version(versionId);
    const owners = [versionId, parseId ?? '', ...items.map((item) => item.id)];
    expect((await keptOf(owners)).toSorted()).toEqual(owners.toSorted());
    await purge(documentId);
    const ours = [live.org.orgId];
    expect(await keptOf(owners)).toEqual([]);
    for (const run of [id, before.id]) expect(await statusOf(`/api/v2/extractions/${run}/result`)).toBe(410);
    for (const table of ['document_versions', 'parses', 'pages', 'chunks'])
      expect([table, (await owner.query(`select 1 from ${table} where org_id = $1`, ours)).rowCount]).toEqual([
        table,
        0,
      ]);
    const named = await owner.query(
      'select 1 from extraction_items where document_name is not null and org_id = $1',
      ours,
    );
    expect(named.rowCount).toBe(0);
  });

  it('one that is deleted before its turn fails alone, again and again, and what the others said is kept', async () => {
    const [first, kept, gone] = [await add('first.pdf'), await add('kept.pdf'), await add('gone.pdf')];
    let id = '';
    await during('first', { documentIds: [first.documentId] }, async () => {
      ({ id } = await runs.start('both', { documentIds: [kept.documentId, gone.documentId] }));
      expect(await statusOf(`/api/documents/${gone.documentId}`, 'DELETE')).toBe(204);
    });
    expect(await runs.untilEnded(id)).toMatchObject({ status: 'partial', warnings: [{ code: 'document_gone' }] });
    const once = await resultOf(id);
    expect(once.results).toMatchObject([{ documentId: kept.documentId }]);
    expect(once.failures).toMatchObject([{ documentId: gone.documentId, code: 'document_gone' }]);
    for (const [body, attempt] of [
      [undefined, 2],
      ['{"onlyFailed":true}', 3],
    ] as const) {
      if (body !== undefined) await purge(gone.documentId);
      const init = { method: 'POST', ...(body === undefined ? {} : { body }) };
      expect((await api.ask(`/api/v2/extractions/${id}/retry`, init)).status).toBe(202);
      expect(await runs.untilEnded(id)).toMatchObject({ status: 'partial' });
      expect(await resultOf(id)).toMatchObject({ attempt, purged: 0, failures: [{ code: 'document_gone' }] });
      expect((await resultOf(id)).results).toEqual(once.results);
    }
  });

  it('one of which a newer version comes gives what the version said that was chosen, whose pages stay to be seen', async () => {
    const { documentId, versionId } = await add('moved.pdf');
    const chosen = { documentIds: [documentId] };
    const id = await during('superseded', chosen, () => add('moved.pdf', [['Pilot: Smit', 'Draught: 9.25']]));
    const { results } = await resultOf(id);
    const data = { pilot: 'Jansen', draught: 4.5 };
    expect(results).toMatchObject([{ documentId, documentVersionId: versionId, version: 1, data }]);
    const text = (await api.ask<{ text: string }>(`/api/documents/${documentId}/pages/1?version=1`)).body.text;
    expect(text).toContain('Jansen');
    const cited = Object.values(results[0]?.fields ?? {}).flatMap(({ citations }) => citations);
    expect(cited).toHaveLength(2);
    for (const { excerpt, pageNumber } of cited) {
      expect(pageNumber).toBe(1);
      expect(text).toContain(excerpt);
    }
    expect(await statusOf(`/api/documents/${documentId}/pages/1/image?version=1`)).toBe(200);
    const newer = await runs.untilEnded((await runs.start('newer', chosen)).id);
    expect((await resultOf(newer.id)).results).toMatchObject([{ version: 2, data: { pilot: 'Smit', draught: 9.25 } }]);
    expect((await resultOf(id)).results).toEqual(results);
  });

  it('an engine that the host kills is started again, and nobody sees it by the result', async () => {
    const chosen = { documentIds: [(await add('killed.pdf')).documentId] };
    const undisturbed = await runs.untilEnded((await runs.start('not killed', chosen)).id);
    const { id } = await runs.start('killed', chosen);
    await killEngine(live.workerPid);
    expect(await runs.untilEnded(id)).toMatchObject({ status: 'completed', warnings: [] });
    expect((await resultOf(id)).results).toEqual((await resultOf(undisturbed.id)).results);
  });
}
