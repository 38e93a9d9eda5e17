import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModulesContainer } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { declaredRoutes, type DeclaredRoute } from '../../../src/api/http/declared-routes.js';
import { SCOPES } from '../../../src/domain/access/scopes.js';
import type { Ask } from '../../support/api/api.js';
import { requestOf, type Description, type PlantedIds } from '../../support/api/route-requests.js';
import { plantProject, plantWorkspace } from '../../support/database/plant-organization.js';
import { ExtractionBench, LETTER, type RefusedBody, type RunBody } from '../../support/extractions/extraction-bench.js';
import { plantReadDocument } from '../../support/extractions/plant-read-document.js';

const SHARED = 'a key that everybody uses';

/** Somebody who has a project of their own, and none of what is asked for. */
interface Foreigner {
  ask: Ask;
  projectId: string;
  schemaVersionId: string;
}

let bench: ExtractionBench;
let ids: PlantedIds & { extractions: string; projects: string; documents: string };
let versionId: string;
let foreigners: [string, Foreigner][];
let routes: DeclaredRoute[];
let description: Description;

beforeAll(async () => {
  bench = await ExtractionBench.open({ DOCSVC_RATE_EXTRACTIONS_PER_MIN: '100000' });
  const letter = await bench.document('letter.pdf');
  await bench.start({ externalId: 'older' });
  const { body: run } = await bench.start({ externalId: SHARED });
  await bench.drive(run.id);
  versionId = letter.versionId;
  const [schemas, version] = [bench.schemaId, bench.schemaVersionId];
  ids = { extractions: run.id, projects: bench.projectId, documents: letter.documentId };
  Object.assign(ids, { schemas, 'schema-versions': version });
  foreigners = await openForeigners();
  const { app, ask } = bench.api;
  description = (await ask<Description>('/api/openapi.json')).body;
  routes = declaredRoutes(app.get(ModulesContainer)).filter(({ path }) =>
    /^\/api\/(v2\/)?(extractions|schemas|schema-versions|documents)\/:id|\/projects\/:id\/(extractions|schemas|documents)/.test(
      path,
    ),
  );
});
afterAll(() => bench.close());

async function openForeigners(): Promise<[string, Foreigner][]> {
  const { acme, api } = bench;
  const { owner } = api.database;
  const workspaceId = await plantWorkspace(owner, acme.orgId);
  const beside = await plantProject(owner, { orgId: acme.orgId, workspaceId });
  const other = await api.organization('Other');
  const ofOther = await plantProject(owner, {
    orgId: other.orgId,
    workspaceId: await plantWorkspace(owner, other.orgId),
  });
  const asToken =
    (token: string): Ask =>
    (path, sent) =>
      api.ask(path, { token, ...sent });
  const forProject = asToken((await acme.client([...SCOPES], { projectIds: [beside] })).token);
  const forWorkspace = asToken((await acme.client([...SCOPES], { workspaceIds: [workspaceId] })).token);
  const schemaVersionId = await settle(forProject, acme.orgId, beside);
  return [
    ['of another organization', await withProject(other.ask, other.orgId, ofOther)],
    ['that is listed for another project', { ask: forProject, projectId: beside, schemaVersionId }],
    ['that is listed for another workspace', { ask: forWorkspace, projectId: beside, schemaVersionId }],
  ];
}

async function withProject(ask: Ask, orgId: string, projectId: string): Promise<Foreigner> {
  return { ask, projectId, schemaVersionId: await settle(ask, orgId, projectId) };
}

/** A document and a schema of a project. @returns the version of the schema */
async function settle(ask: Ask, orgId: string, projectId: string): Promise<string> {
  await plantReadDocument({ ...bench.ground, orgId, projectId }, bench.store, 'own.pdf', [['Subject Rye']]);
  const body = { name: 'Letter', jsonSchema: LETTER };
  const made = await ask<{ latestVersionId: string }>(`/api/projects/${projectId}/schemas`, { method: 'POST', body });
  return made.body.latestVersionId;
}

const foreignerOf = (name: string): Foreigner => {
  const found = foreigners.find(([one]) => one === name);
  if (found === undefined) throw new Error(`nobody is ${name}`);
  return found[1];
};

/** What a refusal says, but for the request and for the ids that it names. */
async function refusal(ask: Ask, path: string, sent: { method?: string; body?: unknown } = {}): Promise<object> {
  const { status, body } = await ask<RefusedBody>(path, sent);
  const { code, message, details } = body.error ?? {};
  return JSON.parse(
    JSON.stringify({ status, code, message, details }).replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'ID'),
  ) as object;
}

const WHO = [
  'of another organization',
  'that is listed for another project',
  'that is listed for another workspace',
] as const;

describe.each(WHO)('to a credential %s', (who) => {
  it('runs, schemas, documents and their pages are as if they were not there, at every route and in every format', async () => {
    const { ask } = foreignerOf(who);
    expect(routes.length).toBeGreaterThan(25);
    for (const route of routes) {
      const there = requestOf(route, ids, description);
      const queries = route.path.endsWith('/result') ? ['', '?format=csv', '?format=jsonl', '?attempt=1'] : [''];
      for (const query of queries) {
        const seen = await refusal(ask, there.path + query, there);
        const unknown = await refusal(ask, requestOf(route, {}, description).path + query, there);
        expect({ route: there.name, ...seen }).toMatchObject({ status: 404, code: 'not_found' });
        expect({ route: there.name, ...seen }).toEqual({ route: there.name, ...unknown });
      }
    }
  });

  it('nothing of them can be named in a request for a project of its own', async () => {
    const { ask, projectId, schemaVersionId } = foreignerOf(who);
    const starts = `/api/v2/projects/${projectId}/extractions`;
    const made = `/api/projects/${projectId}/schemas`;
    const naming = (version: string, document: string, ofDocument: string): [string, object][] => [
      [starts, { schemaVersionId: version }],
      [starts, { schemaVersionId, documentIds: [document] }],
      [starts, { schemaVersionId, documentVersionIds: [ofDocument] }],
      [`${made}/generate`, { description: 'the subject', documentIds: [document] }],
      [`${made}/infer`, { documentId: document }],
    ];
    const unknown = naming(randomUUID(), randomUUID(), randomUUID());
    for (const [at, [path, body]] of naming(bench.schemaVersionId, ids.documents, versionId).entries()) {
      const seen = await refusal(ask, path, { method: 'POST', body });
      expect({ path, ...seen }).toMatchObject({ status: 404, code: 'not_found' });
      expect(seen).toEqual(await refusal(ask, path, { method: 'POST', body: unknown[at]?.[1] }));
    }
  });

  it('lists hold nothing of them, and a key that they have makes a run of its own', async () => {
    const { ask, projectId, schemaVersionId } = foreignerOf(who);
    const path = `/api/v2/projects/${projectId}/extractions`;
    const idsOf = async (query: string): Promise<string[]> =>
      (await ask<{ data: RunBody[] }>(path + query)).body.data.map(({ id }) => id);
    const before = await idsOf('');
    expect(before).not.toContain(ids.extractions);
    expect(await idsOf(`?schemaId=${bench.schemaId}`)).toEqual([]);
    const body = { schemaVersionId, externalId: `${SHARED}${before.length === 0 ? '' : ' again'}` };
    expect(await idsOf(`?externalId=${encodeURIComponent(body.externalId)}`)).toEqual([]);
    const started = await ask<RunBody>(path, { method: 'POST', body });
    expect(started).toMatchObject({ status: 202, body: { replayed: false, schemaVersionId } });
    expect(await idsOf('')).toEqual([started.body.id, ...before]);
    const schemas = await ask<{ data: { latestVersionId: string }[] }>(`/api/projects/${projectId}/schemas`);
    expect(schemas.body.data.map(({ latestVersionId }) => latestVersionId)).toEqual([schemaVersionId]);
    const owners = await bench.acme.ask<{ nextCursor: string }>(
      `/api/v2/projects/${bench.projectId}/extractions?limit=1`,
    );
    expect(await ask(`${path}?cursor=${encodeURIComponent(owners.body.nextCursor)}`)).toMatchObject({ status: 400 });
  });
});

it('nothing of all that touched the run, which is whole for those who may read it', async () => {
  expect(await bench.audit(ids.extractions)).toEqual(['extraction.created']);
  expect(await bench.read(ids.extractions)).toMatchObject({ status: 'completed', attempt: 1 });
  expect(await bench.result(ids.extractions)).toMatchObject({ status: 200, body: { status: 'completed' } });
});
