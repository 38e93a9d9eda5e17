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

function replay(history: string): Promise<void> {
  return Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, JSON.parse(history), 'replayed');
}

describe('recorded histories of every path of documents', () => {
  beforeAll(async () => {
    if (RECORDS) await recordHistories();
  });

  it.each(PATHS)('%s replays against the workflows of this build', async (name) => {
    await replay(text(name));
  });

  it('are all tried', () => {
    expect(readdirSync(HISTORIES).toSorted()).toEqual(PATHS.map((name) => `${name}.json`).toSorted());
  });

  it.each([
    ['ingest-ready', '"joinTables"', '"joinTheTables"'],
    ['page-batch', '"readSpan"', '"readPages"'],
    ['page-batch-failed', '"failPage"', '"losePage"'],
    ['delivery', '"attemptDelivery"', '"deliver"'],
    ['ingest-hashed', '"hashVersion"', '"hash"'],
    ['extraction-waited', '"takeExtraction"', '"take"'],
    ['extraction-partial', '"extractItem"', '"extract"'],
    ['extraction-cancelled', '"finishExtraction"', '"finish"'],
    ['page-recognized', '"recognizePage"', '"recognize"'],
  ])('%s with a step of another name is refused', async (name, from, to) => {
    const altered = text(name).replaceAll(from, to);
    expect(altered).not.toBe(text(name));
    await expect(replay(altered)).rejects.toThrow(DeterminismViolationError);
  });
});
