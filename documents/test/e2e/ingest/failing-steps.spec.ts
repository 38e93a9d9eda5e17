import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { v7 as uuidv7 } from 'uuid';
import type { AttemptRef, IngestSteps, ParseRef, ParseSteps } from '../../../src/activities/ingest-steps.js';
import type { IngestEnding } from '../../../src/domain/ingest/ingest-errors.js';
import type { documentIngest } from '../../../src/workflows/index.js';
import { documentIngestWorkflow, INGEST_QUEUE, PARSE_QUEUE } from '../../../src/workflows/messages.js';
import { createNamespace, type OwnNamespace } from '../../support/temporal/own-namespace.js';

const BUNDLE = fileURLToPath(new URL('../../../../dist/documents/workflows.bundle.js', import.meta.url));
/** As often as it may take a worker that dies of a document to be sure of it. */
const MOST_TRIES = 20;

// Steps fail here on purpose.
Runtime.install({ logger: new DefaultLogger('ERROR') });

describe('an ingest whose step never succeeds', () => {
  let temporal: OwnNamespace;
  let connection: NativeConnection;

  beforeAll(async () => {
    temporal = await createNamespace();
    connection = await NativeConnection.connect({ address: temporal.address });
  });
  afterAll(async () => {
    await connection.close();
    await temporal.close();
  });

  it.each(['joinTables', 'indexVersion'] as const)(
    'DI-005 %s: is tried a number of times, then the version has failed and says so',
    async (failing) => {
      const endings: (IngestEnding | null)[] = [];
      const ref: AttemptRef = {
        ...{
          orgId: uuidv7(),
          versionId: uuidv7(),
          attempt: 1,
          isFindable: false,
          projectId: uuidv7(),
          isHashedApart: false,
        },
        timing: { heartbeatMs: 2000, workflowTaskMs: 2000 },
      };
      const options = { ocr: false, ocrLanguages: [], withPassword: false } as unknown as ParseRef['options'];
      const parse: ParseRef = { ...ref, parseId: uuidv7(), blobKey: 'b', format: 'xlsx', options, pageCount: 1 };
      // What a worker says that has tried for the last time.
      const never = () => Promise.reject(ApplicationFailure.nonRetryable('it does not fit into memory'));
      const steps: IngestSteps = {
        beginIngest: () => Promise.resolve(ref),
        validateVersion: () => Promise.resolve({ next: 'read', parse }),
        failPage: () => Promise.resolve(),
        joinTables: () => Promise.resolve(),
        indexVersion: () => Promise.resolve(),
        finishVersion: (_ref, _parseId, ending) => {
          endings.push(ending);
          return Promise.resolve();
        },
        [failing]: never,
      };
      const parsers: ParseSteps = {
        readSpan: () => Promise.resolve({ read: 1, failure: null, recognize: [], ending: null }),
      };
      const of = { connection, namespace: temporal.namespace };
      const worker = await Worker.create({
        ...of,
        ...{ taskQueue: INGEST_QUEUE, workflowBundle: { codePath: BUNDLE }, activities: steps },
      });
      const parser = await Worker.create({ ...of, taskQueue: PARSE_QUEUE, activities: parsers });
      const workflowId = documentIngestWorkflow.workflowId(ref.versionId);
      await worker.runUntil(
        parser.runUntil(
          temporal.client.workflow.execute<typeof documentIngest>('documentIngest', {
            ...{ taskQueue: INGEST_QUEUE, workflowId, args: [{ orgId: ref.orgId, subjectId: ref.versionId }] },
          }),
        ),
      );
      expect(endings).toEqual([{ status: 'failed', code: 'index_failed' }]);
      const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
      const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: of }) => of ?? []);
      const step = scheduled.find(({ activityType }) => activityType?.name === failing);
      expect(step?.retryPolicy?.maximumAttempts).toBe(MOST_TRIES);
    },
    60_000,
  );
});
