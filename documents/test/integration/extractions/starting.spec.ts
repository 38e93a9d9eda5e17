import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { isUnreachable } from '../../support/api/unreachable.js';
import { ExtractionBench, type RunBody } from '../../support/extractions/extraction-bench.js';
import type { Answer } from '../../support/api/api.js';
import { plantProject } from '../../support/database/plant-organization.js';
import { plantReadDocument } from '../../support/extractions/plant-read-document.js';
import { plantVersion } from '../../support/search/plant-document.js';

let bench: ExtractionBench;
let letter: { documentId: string; versionId: string };

beforeAll(async () => {
  bench = await ExtractionBench.open({
    DOCSVC_RATE_EXTRACTIONS_PER_MIN: '100000',
    DOCSVC_QUOTA_RUNNING_EXTRACTIONS: '100000',
  });
  letter = await bench.document('letter.pdf');
});
afterAll(() => bench.close());

async function wakeUps(id: string): Promise<object[]> {
  const sql = 'select kind, workflow_name from driver_outbox where subject_id = $1';
  return (await bench.api.database.owner.query<object>(sql, [id])).rows;
}

/** Whose connection found no room sends the request again, as a client would. */
async function startSurely(externalId: string): Promise<Answer<RunBody>> {
  for (;;) {
    try {
      return await bench.start({ externalId });
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
  }
}

/** A further project of the organization, with nothing in it. */
async function emptyProject(settings: object = {}): Promise<string> {
  const { owner } = bench.api.database;
  const { rows } = await owner.query<{ workspace_id: string }>('select workspace_id from projects where id = $1', [
    bench.projectId,
  ]);
  return plantProject(owner, { orgId: bench.acme.orgId, workspaceId: rows[0]?.workspace_id ?? '' }, settings);
}

describe('starting a run of extraction', () => {
  it('DI-014 DI-034 DI-041 is answered with 202 and on its way at once', async () => {
    const { status, body } = await bench.start({ externalId: 'first', metadata: { ticket: 7 } });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      ...{ externalId: 'first', schemaVersionId: bench.schemaVersionId, schemaId: bench.schemaId },
      ...{ status: 'queued', mode: 'per_document', engine: 'local', attempt: 1, replayed: false, requestMatches: true },
      ...{ documentVersionIds: [letter.versionId], progress: { stage: 'queue', itemsDone: 0, itemsTotal: 1 } },
      ...{ metadata: { ticket: 7 }, error: null, startedAt: null },
    });
    const digest = createHash('sha256').update('first').digest('hex');
    expect(await wakeUps(body.id)).toEqual([{ kind: 'extract', workflow_name: `${bench.projectId}/${digest}` }]);
    expect(await bench.audit(body.id)).toEqual(['extraction.created']);
  });

  it('DI-034 without an externalId the run has its own id as one', async () => {
    const { body } = await bench.start();
    expect(body.externalId).toBe(body.id);
    expect((await bench.start({ externalId: body.id })).body).toMatchObject({ id: body.id, replayed: true });
  });

  it('DI-018 DI-042 an externalId that the project has answers its run, and says whether the request is the same', async () => {
    const first = await bench.start({ externalId: 'again', minConfidence: 0.5, mode: 'combined' });
    const same = await bench.start({ mode: 'combined', externalId: 'again', minConfidence: 0.5 });
    expect(same).toMatchObject({ status: 202, body: { id: first.body.id, replayed: true, requestMatches: true } });
    for (const other of [{ minConfidence: 0.6 }, { schemaVersionId: randomUUID() }, { engine: 'llm' }]) {
      const replayed = await bench.start({ externalId: 'again', ...other });
      expect(replayed).toMatchObject({
        status: 202,
        body: { id: first.body.id, replayed: true, requestMatches: false },
      });
    }
    expect(await wakeUps(first.body.id)).toHaveLength(1);
    const elsewhere = await emptyProject();
    expect(await bench.start({ externalId: 'again' }, elsewhere)).not.toMatchObject({ status: 202 });
  });

  it('DI-018 a thousand requests with one externalId at once make one run, and one terminal event', async () => {
    const answers = await Promise.all(Array.from({ length: 1000 }, () => startSurely('crowd')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const ids = new Set(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect(answers.filter(({ body }) => body.replayed === false)).toHaveLength(1);
    const [id = ''] = ids;
    expect(await wakeUps(id)).toHaveLength(1);
    const taken = await bench.take(id);
    if (taken === null) throw new Error('it is not to be done');
    await Promise.all(Array.from({ length: 3 }, () => bench.extract(taken.ref, 1)));
    await Promise.all(Array.from({ length: 8 }, () => bench.finish(taken.ref)));
    expect(await bench.events(id)).toEqual(['extraction.started', 'extraction.completed']);
  });

  it('reads the newest version of each document that was read or still is, and freezes them', async () => {
    const projectId = await emptyProject();
    const ground = { ...bench.ground, projectId };
    const there = new Elsewhere(projectId);
    const [ready, indexing, broken] = [
      await there.document('ready.pdf'),
      await there.document('indexing.pdf'),
      await there.document('broken.pdf'),
    ];
    const next = await plantVersion(ground, ready.documentId, 2, { pages: ['two'] });
    await there.setStatus(indexing.versionId, 'indexing');
    await there.setStatus(broken.versionId, 'failed');
    const schemaVersionId = await there.schema();
    const { status, body } = await bench.start({ schemaVersionId }, projectId);
    expect({ status, chosen: body.documentVersionIds.toSorted() }).toEqual({
      status: 202,
      chosen: [next.versionId, indexing.versionId].toSorted(),
    });
    await plantVersion(ground, ready.documentId, 3, { pages: ['three'] });
    expect((await bench.read(body.id)).documentVersionIds).toEqual(body.documentVersionIds);
    const named = await bench.start(
      { schemaVersionId, documentIds: [indexing.documentId], documentVersionIds: [ready.versionId, broken.versionId] },
      projectId,
    );
    expect(named.body.documentVersionIds).toEqual([indexing.versionId, ready.versionId, broken.versionId]);
    const refused = await bench.start({ schemaVersionId, documentIds: [broken.documentId] }, projectId);
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'no_documents' } } });
    expect(refused.body.error.details[0]?.path).toContain(broken.documentId);
  });

  it('refuses a project without documents, and ids of other projects', async () => {
    const projectId = await emptyProject();
    const schemaVersionId = await new Elsewhere(projectId).schema();
    expect(await bench.start({ schemaVersionId }, projectId)).toMatchObject({
      status: 422,
      body: { error: { code: 'no_documents' } },
    });
    for (const foreign of [
      { schemaVersionId, documentIds: [letter.documentId] },
      { schemaVersionId, documentVersionIds: [letter.versionId] },
      { schemaVersionId: bench.schemaVersionId },
    ]) {
      expect(await bench.start(foreign, projectId)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    }
    expect((await bench.acme.ask<{ data: RunBody[] }>(`/api/v2/projects/${projectId}/extractions`)).body.data).toEqual(
      [],
    );
  });

  it('says that engines with a model are of a later release, whoever asks for one', async () => {
    for (const engine of ['llm', 'hybrid']) {
      const { status, body } = await bench.start({ engine });
      expect({ status, ...body.error }).toMatchObject({ status: 501, code: 'not_implemented' });
      expect(body.error.message).toContain('no');
    }
    expect(await bench.start({ engine: 'auto' })).toMatchObject({ status: 202, body: { engine: 'local' } });
    const projectId = await emptyProject({ defaultEngine: 'hybrid' });
    const there = new Elsewhere(projectId);
    await there.document('a.pdf');
    const schemaVersionId = await there.schema();
    expect(await bench.start({ schemaVersionId }, projectId)).toMatchObject({ status: 501 });
    expect(await bench.start({ schemaVersionId, engine: 'local' }, projectId)).toMatchObject({ status: 202 });
  });

  it('refuses what no run can be', async () => {
    const faults: [object, string][] = [
      [{ externalId: '' }, 'externalId'],
      [{ mode: 'both' }, 'mode'],
      [{ minConfidence: 2 }, 'minConfidence'],
      [{ documentIds: [] }, 'documentIds'],
      [{ pageRange: { first: 4, last: 3 } }, 'pageRange.last'],
      [{ pageRange: {} }, 'pageRange.first'],
      [{ schemaVersionId: 'x' }, 'schemaVersionId'],
    ];
    for (const [body, path] of faults) {
      const refused = await bench.start(body);
      expect({ body, status: refused.status, path: refused.body.error.details[0]?.path }).toEqual({
        body,
        status: 400,
        path,
      });
    }
  });

  it('takes ids in either case, as one, and metadata with members of every name', async () => {
    const { schemaVersionId } = bench;
    const externalId = 'either case';
    const metadata = { constructor: 'Jansen', inner: { constructor: 1, then: 2 } };
    const asked = { documentIds: [letter.documentId], metadata, externalId };
    const upper = { ...asked, schemaVersionId: schemaVersionId.toUpperCase() };
    const made = await bench.start({ ...upper, documentIds: [letter.documentId.toUpperCase()] });
    expect(made).toMatchObject({ status: 202, body: { schemaVersionId, documentVersionIds: [letter.versionId] } });
    expect((await bench.start(asked)).body).toMatchObject({ id: made.body.id, requestMatches: true, metadata });
    const documentVersionIds = [letter.versionId.toUpperCase(), letter.versionId];
    expect((await bench.start({ documentVersionIds })).body.documentVersionIds).toEqual([letter.versionId]);
  });

  it('refuses times that are none, wherever they are asked for', async () => {
    const { acme, projectId } = bench;
    for (const time of ['2026-W01', '20260101', '2026-01-01T10', '2026-01-01T10:00,5', '2026-02-30', '1 May 2026']) {
      const query = encodeURIComponent(time);
      const answers = [
        await acme.ask(`/api/v2/projects/${projectId}/extractions?createdAfter=${query}`),
        await acme.ask(`/api/projects/${projectId}/documents?updatedAfter=${query}`),
        await acme.ask(`/api/audit?since=${query}`),
      ];
      expect({ time, answers: answers.map(({ status }) => status) }).toEqual({ time, answers: [400, 400, 400] });
    }
    expect(await acme.ask(`/api/v2/projects/${projectId}/extractions?createdAfter=2026-01-31`)).toMatchObject({
      status: 200,
    });
  });

  /** The bench in another of its projects. */
  class Elsewhere {
    constructor(private readonly projectId: string) {}

    document(name: string): Promise<{ documentId: string; versionId: string }> {
      return plantReadDocument({ ...bench.ground, projectId: this.projectId }, bench.store, name, [['one']]);
    }

    async setStatus(versionId: string, status: string): Promise<void> {
      await bench.api.database.owner.query('update document_versions set status = $2 where id = $1', [
        versionId,
        status,
      ]);
    }

    async schema(): Promise<string> {
      const jsonSchema = { type: 'object', properties: { a: { type: 'string', description: 'The letter.' } } };
      const { body } = await bench.acme.ask<{ latestVersionId: string }>(`/api/projects/${this.projectId}/schemas`, {
        ...{ method: 'POST', body: { name: 'S', jsonSchema } },
      });
      return body.latestVersionId;
    }
  }
});

describe('the limits of runs', () => {
  it('of starts in a minute are not touched by requests whose externalId is known', async () => {
    const limited = await ExtractionBench.open({ DOCSVC_RATE_EXTRACTIONS_PER_MIN: '3' });
    await limited.document('a.pdf');
    for (const externalId of ['1', '2', '3'])
      expect(await limited.start({ externalId })).toMatchObject({ status: 202 });
    for (let at = 0; at < 10; at += 1) expect(await limited.start({ externalId: '2' })).toMatchObject({ status: 202 });
    const refused = await limited.start({ externalId: '4' });
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { rows } = await limited.api.database.owner.query('select external_id from extractions order by 1');
    expect(rows.map((row: { external_id: string }) => row.external_id)).toEqual(['1', '2', '3']);
    await limited.close();
  });

  it('of runs that are under way count those of the organization, until they end', async () => {
    const limited = await ExtractionBench.open({ DOCSVC_QUOTA_RUNNING_EXTRACTIONS: '2' });
    await limited.document('a.pdf');
    const [first, second, third] = await Promise.all(
      ['1', '2', '3'].map((externalId) => limited.start({ externalId })),
    );
    const made = [first, second, third].filter((answer) => answer?.status === 202);
    expect(made).toHaveLength(2);
    expect(await limited.start({ externalId: '4' })).toMatchObject({
      status: 429,
      body: { error: { code: 'quota_exceeded' } },
    });
    await limited.drive(made[0]?.body.id ?? '');
    expect(await limited.start({ externalId: '4' })).toMatchObject({ status: 202 });
    await limited.close();
  });
});
