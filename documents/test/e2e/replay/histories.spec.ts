import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { HISTORIES, recordHistories } from '../../replay/record.js';

const BUNDLE = fileURLToPath(new URL('../../../../dist/documents/workflows.bundle.js', import.meta.url));
const RECORDS = process.env['TEST_RECORD_HISTORIES'] === '1';

// A replay that fails says so by its error; the runtime's own lines about it are noise.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
});

const PATHS = [
  'delivery',
  ...['duty-reapUploads', 'duty-reconcileQuotas', 'duty-sweepRetention', 'duty-wakeMissing'],
  ...['extraction-cancelled', 'extraction-partial', 'extraction-waited'],
  ...['ingest-failed', 'ingest-hashed', 'ingest-ready', 'ingest-stored'],
  ...['page-batch', 'page-batch-failed', 'page-batch-halved', 'page-recognized', 'relay'],
];
const text = (name: string): string => readFileSync(`${HISTORIES}${name}.json`, 'utf8');

/** Steps that have another name in a history than in the workflows of this build. */
const RENAMED: [name: string, from: string, to: string][] = [
  ['ingest-ready', '"joinTables"', '"joinTheTables"'],
  ['page-batch', '"readSpan"', '"readPages"'],
  ['page-batch-failed', '"failPage"', '"losePage"'],
  ['delivery', '"attemptDelivery"', '"deliver"'],
  ['ingest-hashed', '"hashVersion"', '"hash"'],
  ['extraction-waited', '"takeExtraction"', '"take"'],
  ['extraction-partial', '"extractItem"', '"extract"'],
  ['extraction-cancelled', '"finishExtraction"', '"finish"'],
  ['page-recognized', '"recognizePage"', '"recognize"'],
];
const renamed = (name: string): string => `${name} renamed`;

/** All of them one after the other, by one worker: to start one takes longer than to replay a history. */
function* histories(): Generator<{ workflowId: string; history: unknown }> {
  for (const name of PATHS) yield { workflowId: name, history: JSON.parse(text(name)) };
  for (const [name, from, to] of RENAMED)
    yield { workflowId: renamed(name), history: JSON.parse(text(name).replaceAll(from, to)) };
}

describe('recorded histories of every path of documents', () => {
  /** What each came to. */
  const outcomes = new Map<string, Error | 'replayed'>();

  beforeAll(async () => {
    if (RECORDS) await recordHistories();
    const replayed = Worker.runReplayHistories({ workflowBundle: { codePath: BUNDLE } }, histories());
    for await (const { workflowId, error } of replayed) outcomes.set(workflowId, error ?? 'replayed');
  });

  it.each(PATHS)('%s replays against the workflows of this build', (name) => {
    expect(outcomes.get(name)).toBe('replayed');
  });

  it('are all tried', () => {
    expect(readdirSync(HISTORIES).toSorted()).toEqual(PATHS.map((name) => `${name}.json`).toSorted());
  });

  it.each(RENAMED)('%s with a step of another name is refused', (name, from) => {
    expect(text(name)).toContain(from);
    expect(outcomes.get(renamed(name))).toBeInstanceOf(DeterminismViolationError);
  });
});
