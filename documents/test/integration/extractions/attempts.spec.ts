import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { killEngine } from '../../support/extractions/engines.js';
import { sweepDeleted } from '../../support/extractions/sweep-deleted.js';
import { ExtractionBench, type RefusedBody, type RunBody } from '../../support/extractions/extraction-bench.js';
import type { Answer } from '../../support/api/api.js';

let bench: ExtractionBench;
let oats: { documentId: string; versionId: string };

beforeAll(async () => {
  bench = await ExtractionBench.open({ DOCSVC_RATE_EXTRACTIONS_PER_MIN: '100000' });
  oats = await bench.document('oats.pdf');
});
afterAll(() => bench.close());

const cancel = (id: string): Promise<Answer<RunBody>> =>
  bench.acme.ask<RunBody>(`/api/v2/extractions/${id}/cancel`, { method: 'POST' });
const retry = (id: string, body: object = {}): Promise<Answer<RunBody & RefusedBody>> =>
  bench.acme.ask(`/api/v2/extractions/${id}/retry`, { method: 'POST', body });

/** A run over a good document and one that cannot be read; driven to its end. */
async function partialRun(): Promise<{ run: RunBody; broken: { documentId: string; versionId: string } }> {
  const broken = await bench.unread(`broken ${Math.random()}.pdf`, 'failed');
  const { body } = await bench.start({ documentVersionIds: [oats.versionId, broken.versionId] });
  return { run: await bench.drive(body.id), broken };
}

describe('cancelling a run', () => {
  it('before it was taken up ends it without anything being done', async () => {
    const { body: run } = await bench.start();
    expect(await cancel(run.id)).toMatchObject({
      status: 202,
      body: { status: 'cancelling', progress: { stage: 'cancel' } },
    });
    expect(await cancel(run.id)).toMatchObject({ status: 202 });
    expect(await bench.drive(run.id)).toMatchObject({ status: 'cancelled', progress: { itemsDone: 0 } });
    expect(await bench.events(run.id)).toEqual(['extraction.cancelled']);
    expect(await bench.audit(run.id)).toEqual(['extraction.created', 'extraction.cancelled']);
    expect(await bench.result(run.id)).toMatchObject({
      status: 409,
      body: { error: { code: 'extraction_cancelled' } },
    });
  });

  it('while a document is extracted keeps what comes after it from being kept', async () => {
    const { body: run } = await bench.start();
    const taken = await bench.take(run.id);
    if (taken === null) throw new Error('it is not to be done');
    await cancel(run.id);
    await bench.extract(taken.ref, 1);
    expect(await bench.take(run.id)).toMatchObject({ status: 'cancelling' });
    await bench.finish(taken.ref);
    expect(await bench.read(run.id)).toMatchObject({ status: 'cancelled', progress: { itemsDone: 0 } });
    expect(await bench.events(run.id)).toEqual(['extraction.started', 'extraction.cancelled']);
  });

  it('that has ended leaves it as it is', async () => {
    const { body } = await bench.start();
    const before = await bench.drive(body.id);
    const answer = await cancel(body.id);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: before });
    expect(await bench.audit(body.id)).toEqual(['extraction.created']);
  });
});

describe('doing a run again', () => {
  it('is for runs that failed, were cancelled or are partial', async () => {
    const { body: run } = await bench.start();
    expect(await retry(run.id)).toMatchObject({ status: 409, body: { error: { code: 'not_retryable' } } });
    await bench.drive(run.id);
    expect(await retry(run.id)).toMatchObject({ status: 409, body: { error: { code: 'not_retryable' } } });
    const { body: stopped } = await bench.start();
    await cancel(stopped.id);
    await bench.drive(stopped.id);
    expect(await retry(stopped.id)).toMatchObject({
      status: 202,
      body: { attempt: 2, status: 'queued', finishedAt: null },
    });
    expect(await bench.drive(stopped.id)).toMatchObject({ status: 'completed', attempt: 2 });
  });

  it('keeps id and externalId, and every earlier attempt as it was', async () => {
    const { run, broken } = await partialRun();
    expect(run).toMatchObject({ status: 'partial', warnings: [{ code: 'version_unreadable' }] });
    const first = (await bench.result(run.id)).body;
    expect(first).toMatchObject({
      results: [{ documentId: oats.documentId }],
      failures: [{ documentId: broken.documentId, code: 'version_unreadable' }],
    });
    const { body: again } = await retry(run.id);
    expect(again).toMatchObject({ id: run.id, externalId: run.externalId, attempt: 2, warnings: [] });
    expect((await bench.result(run.id)).status).toBe(202);
    expect((await bench.result(run.id, '?attempt=1')).body).toEqual(first);
    await bench.drive(run.id);
    expect((await bench.result(run.id, '?attempt=1')).body).toEqual(first);
    expect((await bench.result(run.id, '?attempt=2')).body).toMatchObject({ attempt: 2, status: 'partial' });
    expect((await bench.result(run.id, '?attempt=3')).status).toBe(404);
    expect(await bench.events(run.id)).toEqual([
      ...['extraction.started', 'extraction.partial', 'extraction.started', 'extraction.partial'],
    ]);
    expect(await bench.audit(run.id)).toContain('extraction.retried');
  });

  it('of its failures alone takes over what came to a result', async () => {
    const { run, broken } = await partialRun();
    const before = (await bench.result(run.id)).body;
    await bench.api.database.owner.query(
      `update document_versions v set status = 'ready', parse_id = (select parse_id from document_versions where id = $2)
         where id = $1`,
      [broken.versionId, oats.versionId],
    );
    const { body: again } = await retry(run.id, { onlyFailed: true });
    expect(again).toMatchObject({ attempt: 2, progress: { itemsDone: 1, itemsTotal: 2 } });
    expect(await bench.drive(run.id)).toMatchObject({ status: 'completed', usage: { pages: 2 } });
    const after = (await bench.result(run.id)).body;
    expect(after.results).toHaveLength(2);
    expect(after.results[0]).toEqual(before.results[0]);
  });

  it('whole is what a request without a body asks for', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const { run } = await partialRun();
      const path = `/api/v2/extractions/${run.id}/retry`;
      const again = await bench.acme.ask(path, { method: 'POST', headers });
      expect(again).toMatchObject({ status: 202, body: { attempt: 2, progress: { itemsDone: 0, itemsTotal: 2 } } });
    }
  });

  it('a step of an attempt before changes nothing of the next one', async () => {
    const { body: run } = await bench.start();
    const taken = await bench.take(run.id);
    if (taken === null) throw new Error('it is not to be done');
    await cancel(run.id);
    await bench.finish(taken.ref);
    await retry(run.id);
    await bench.extract(taken.ref, 1);
    await bench.finish(taken.ref);
    expect(await bench.read(run.id)).toMatchObject({ status: 'queued', attempt: 2, progress: { itemsDone: 0 } });
  });

  it('what an attempt came to is never changed', async () => {
    const { run } = await partialRun();
    const { owner } = bench.api.database;
    for (const sql of [
      `update extraction_attempts set status = 'completed' where extraction_id = $1`,
      `update extraction_items set status = 'completed' where extraction_id = $1`,
    ]) {
      await expect(owner.query(sql, [run.id])).rejects.toThrow(/never change/);
    }
  });
});

describe('an engine that somebody kills', () => {
  it('is started again, and ends its document the third time alone; the run can be done again', async () => {
    const { body: run } = await bench.start({ documentIds: [oats.documentId] });
    const taken = await bench.take(run.id);
    if (taken === null) throw new Error('it is not to be done');
    for (const number of [1, 2, 3]) {
      const [tried] = await Promise.allSettled([bench.extract(taken.ref, 1, number), killEngine(process.pid)]);
      expect({ number, tried: tried.status }).toEqual({ number, tried: number < 3 ? 'rejected' : 'fulfilled' });
      expect((await bench.read(run.id)).progress.itemsDone).toBe(number < 3 ? 0 : 1);
    }
    await bench.finish(taken.ref);
    expect(await bench.read(run.id)).toMatchObject({ status: 'failed', error: { code: 'extraction_crashed' } });
    await retry(run.id, { onlyFailed: true });
    expect(await bench.drive(run.id)).toMatchObject({ status: 'completed', attempt: 2 });
  });
});

describe('waiting for versions', () => {
  it('a run waits while one is still being read, and is woken by the last of them', async () => {
    const [one, two] = [await bench.unread('one.pdf', 'indexing'), await bench.unread('two.pdf', 'indexing')];
    const { body: run } = await bench.start({ documentVersionIds: [one.versionId, two.versionId, oats.versionId] });
    expect(await bench.take(run.id)).toMatchObject({ status: 'waiting' });
    expect(await bench.read(run.id)).toMatchObject({ status: 'waiting', progress: { stage: 'wait' } });
    expect(await bench.events(run.id)).toEqual([]);
    const wakeUps = await bench.wakeUpsAfter(run.id, [one, two]);
    expect(wakeUps).toEqual([0, 1]);
    expect(await bench.drive(run.id)).toMatchObject({ status: 'completed', progress: { itemsDone: 3 } });
  });

  it('for an hour at most; then what was not read in time fails, and the others are done', async () => {
    const slow = await bench.unread('slow.pdf', 'indexing');
    const { body: run } = await bench.start({ documentVersionIds: [oats.versionId, slow.versionId] });
    await bench.take(run.id);
    await bench.api.database.owner.query(
      `update extractions set waiting_since = now() - interval '61 minutes' where id = $1`,
      [run.id],
    );
    expect(await bench.drive(run.id)).toMatchObject({
      status: 'partial',
      warnings: [{ code: 'timeout_waiting', documentVersionId: slow.versionId }],
    });
  });
});

describe('documents that go', () => {
  it('take what was extracted from them along once they are purged, and leave the other results', async () => {
    const gone = await bench.document('gone.pdf');
    const { body: run } = await bench.start({ documentIds: [oats.documentId, gone.documentId] });
    const { body: alone } = await bench.start({ documentIds: [gone.documentId] });
    const { body: joined } = await bench.start({ documentIds: [oats.documentId, gone.documentId], mode: 'combined' });
    for (const { id } of [run, alone, joined]) await bench.drive(id);
    const before = (await bench.result(run.id)).body.results;
    const owners = await bench.blobOwners([run.id, alone.id, joined.id]);
    expect(owners.filter(({ isKept }) => isKept)).toHaveLength(4);
    await bench.acme.ask(`/api/documents/${gone.documentId}`, { method: 'DELETE' });
    expect((await bench.result(run.id)).body.results).toEqual(before);
    await sweepDeleted(bench, gone.documentId);
    const after = (await bench.result(run.id)).body;
    expect(after).toMatchObject({ results: [before[0]], purged: 1 });
    for (const { id } of [alone, joined])
      expect(await bench.result(id)).toMatchObject({ status: 410, body: { error: { code: 'purged' } } });
    expect((await bench.blobOwners([run.id, alone.id, joined.id])).filter(({ isKept }) => isKept)).toHaveLength(1);
    expect(await retry(run.id)).toMatchObject({ status: 409 });
  });

  it('fail a run that began before they were deleted', async () => {
    const gone = await bench.document('deleted.pdf');
    const { body: run } = await bench.start({ documentIds: [gone.documentId] });
    await bench.acme.ask(`/api/documents/${gone.documentId}`, { method: 'DELETE' });
    expect(await bench.drive(run.id)).toMatchObject({ status: 'failed', error: { code: 'document_gone' } });
  });

  it('leave neither name nor file where nothing came of them, and count as no result that went', async () => {
    const gone = await bench.document('named.pdf');
    const chosen = { documentIds: [oats.documentId, gone.documentId] };
    const { body: run } = await bench.start(chosen);
    const { body: joined } = await bench.start({ ...chosen, mode: 'combined' });
    const { body: open } = await bench.start({ documentIds: [gone.documentId] });
    await cancel(joined.id);
    await bench.drive(joined.id);
    await bench.acme.ask(`/api/documents/${gone.documentId}`, { method: 'DELETE' });
    expect(await bench.drive(run.id)).toMatchObject({ status: 'partial', warnings: [{ code: 'document_gone' }] });
    await sweepDeleted(bench, gone.documentId);
    const { body: result } = await bench.result(run.id);
    expect(result).toMatchObject({ purged: 0, failures: [{ documentName: null, code: 'document_gone' }] });
    const { rows } = await bench.api.database.owner.query(
      `select from extraction_items where document_name = 'named.pdf'`,
    );
    expect(rows).toEqual([]);
    expect(await bench.drive(open.id)).toMatchObject({ status: 'failed', error: { code: 'document_gone' } });
    await retry(joined.id);
    expect(await bench.drive(joined.id)).toMatchObject({
      status: 'partial',
      warnings: [{ code: 'document_gone', message: expect.any(String) }],
    });
  });

  it('a file of a document that was cancelled while it was extracted is nobody’s; those of results are kept', async () => {
    const { body: done } = await bench.start({ documentIds: [oats.documentId] });
    await bench.drive(done.id);
    const { body: open } = await bench.start({ documentIds: [oats.documentId] });
    const { body: stopped } = await bench.start({ documentIds: [oats.documentId] });
    await cancel(stopped.id);
    await bench.drive(stopped.id);
    const { owner, record } = bench.api.database;
    const { rows: items } = await owner.query<{ id: string; extraction_id: string }>(
      'select id, extraction_id from extraction_items where extraction_id = any ($1)',
      [[done.id, open.id, stopped.id]],
    );
    const wanted = await record.query<{ id: string }>('select docsvc_find_wanted_owners($1::uuid[]) as id', [
      items.map(({ id }) => id),
    ]);
    const runs = wanted.map(({ id }) => items.find((item) => item.id === id)?.extraction_id);
    expect(new Set(runs)).toEqual(new Set([done.id, open.id]));
  });
});
