import { describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { listDescendants } from '../../../../src/platform/host/process-identity.js';
import { packText } from '../../../src/platform/blobs/packed-text.js';
import type { PackedPage } from '../../../src/platform/extraction/engine-messages.js';
import { EngineProcess } from '../../../src/platform/extraction/engine-process.js';
import { LETTER } from '../../support/extractions/extraction-bench.js';

const HEAD: PackedPage['page'] = {
  ...{ pageNumber: 1, width: 595, height: 842, unit: 'pt', rotation: 0 },
  ...{ text: 'Subject Oats', source: 'text_layer', ocrConfidence: null },
};
const QUESTION = { schema: LETTER, minConfidence: null };

/** An engine that has one page. @param details what is said to stand on it */
async function engineWith(details: string, heapMib?: number): Promise<EngineProcess> {
  const engine = new EngineProcess(heapMib);
  const document = { documentId: randomUUID(), documentName: 'a.pdf', documentVersionId: randomUUID() };
  await engine.send({ kind: 'document', document, pageCount: 1, asked: { first: 1, last: 1 } });
  await engine.send({ kind: 'pages', pages: [{ page: HEAD, details: await packText(details) }] });
  return engine;
}

async function untilGone(pid: number | undefined): Promise<void> {
  for (const deadline = Date.now() + 5000; listDescendants(process.pid).includes(pid ?? -1); await delay(20))
    if (Date.now() > deadline) throw new Error('it still runs');
}

const EMPTY = JSON.stringify({ words: [], lines: [], rules: [], fields: [], images: [], tables: [] });

describe('the engine in its process', () => {
  it('answers the parts of a result, and says whether every list is complete', async () => {
    const engine = await engineWith(EMPTY);
    const outcome = await engine.extract(QUESTION, 1, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'result', result: { isComplete: true, parts: { data: { offset: 0 } } } });
  });

  it('that meets a fault ends alone, whatever the document is', async () => {
    for (const details of [
      '{',
      'null',
      '{"words": 7}',
      JSON.stringify({ ...JSON.parse(EMPTY), lines: [{ first: 5, last: 9 }] }),
    ]) {
      const engine = await engineWith(details);
      const outcome = await engine.extract(QUESTION, 1, new AbortController().signal);
      expect(['failed', 'result']).toContain(outcome.kind);
      if (outcome.kind === 'failed') expect(outcome.code).toBe('extraction_crashed');
    }
  });

  it('that takes all of its memory ends alone, and says so', async () => {
    const word = { text: 'x'.repeat(20), box: [0, 0, 0.1, 0.1], from: 0, to: 20, source: 'text_layer', confidence: 1 };
    const words = JSON.stringify(Array.from({ length: 2_000 }, () => word)).slice(1, -1);
    const details = EMPTY.replace('"words":[]', `"words":[${Array.from({ length: 150 }, () => words).join(',')}]`);
    const engine = await engineWith(details, 48);
    const outcome = await engine.extract(QUESTION, 1, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'memory_limit' });
  });

  it('that hangs while it is sent pages keeps nobody waiting, and is ended', async () => {
    const engine = new EngineProcess(undefined, 500);
    process.kill(engine.pid ?? 0, 'SIGSTOP');
    const details = randomBytes(1024 ** 2);
    const pages = Array.from({ length: 8 }, () => ({ page: HEAD, details }));
    await engine.send({ kind: 'pages', pages });
    const outcome = await engine.extract(QUESTION, 8, new AbortController().signal);
    expect(outcome).toEqual({ kind: 'failed', code: 'timeout_item' });
    await untilGone(engine.pid);
  });

  it('that somebody else kills says nothing of its document', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const engine = await engineWith(EMPTY);
      process.kill(engine.pid ?? 0, signal);
      expect(await engine.extract(QUESTION, 1, new AbortController().signal)).toEqual({ kind: 'killed' });
    }
  });

  it('that does not take its question keeps whoever cancels waiting no more than any other', async () => {
    const engine = new EngineProcess();
    process.kill(engine.pid ?? 0, 'SIGSTOP');
    const stopping = new AbortController();
    const pages = engine.send({ kind: 'pages', pages: [{ page: HEAD, details: randomBytes(8 * 1024 ** 2) }] });
    const work = engine.extract(QUESTION, 1, stopping.signal);
    stopping.abort(new Error('enough'));
    await expect(work).rejects.toThrow('enough');
    await untilGone(engine.pid);
    await pages;
  }, 10_000);

  it('is stopped by whoever cancels', async () => {
    const engine = await engineWith(EMPTY);
    const stopping = new AbortController();
    const work = engine.extract(QUESTION, 1, stopping.signal);
    stopping.abort(new Error('enough'));
    await expect(work).rejects.toThrow('enough');
    await untilGone(engine.pid);
  });
});
