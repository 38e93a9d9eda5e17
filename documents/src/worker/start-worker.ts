import { availableParallelism, hostname } from 'node:os';
import type { Context } from '@temporalio/activity';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Logger } from '../../../src/platform/telemetry/logger.js';
import { listenForScrapes } from '../../../src/platform/telemetry/metrics-listener.js';
import {
  createHashActivities,
  createIngestActivities,
  createParseActivities,
  createRecognitionActivities,
} from '../activities/ingest.activities.js';
import { createEngineActivities, createExtractionActivities } from '../activities/extraction.activities.js';
import { createMaintenanceActivities, openSubjects } from '../activities/maintenance.activities.js';
import { createRelayActivities } from '../activities/relay.activities.js';
import { createWebhookActivities } from '../activities/webhook.activities.js';
import type { DocsvcConfig } from '../platform/config/index.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { WorkflowWaker } from '../platform/temporal/workflow-waker.js';
import {
  documentIngestWorkflow,
  EXTRACT_QUEUE,
  extractionRunWorkflow,
  HASH_QUEUE,
  INGEST_QUEUE,
  OCR_QUEUE,
  PARSE_QUEUE,
  WEBHOOK_QUEUE,
  webhookDeliveryWorkflow,
} from '../workflows/messages.js';
import { ActivityMetrics } from './activity-metrics.js';
import { FailureInterceptor } from './failure-interceptor.js';
import { ensurePermanentWorkflows } from './permanent-workflows.js';
import { everyWhileAlive } from './repeated-duties.js';
import { HEARTBEAT_THROTTLE_MS } from '../../../src/platform/temporal/heartbeats.js';
import { withoutSourceMaps } from '../../../src/platform/temporal/without-source-maps.js';
import { connectParts, type WorkerParts } from './worker-parts.js';
import { workflowSource } from './workflow-bundle.js';

/** A worker process with all its queues. */
export interface RunningWorker {
  /** Begins an orderly stop: what is being read is read again by the next worker. */
  stop(): void;
  /** Resolves when every queue is closed; rejects when one failed. */
  ended: Promise<void>;
}

/** How soon a driver whose store was lost has its relay and its schedules again. */
const PERMANENT_EVERY_MS = 15_000;
/** Ingests whose workflow stays in memory between its steps. */
const CACHED_WORKFLOWS = 64;
/** Short steps at once; those that open documents have slots of their own. */
const SHORT_STEPS = 32;
/** Each reads its file as fast as the disk and one core allow. */
const HASHES_AT_ONCE = 4;
/** Receivers may take their time, which costs little here. */
const DELIVERIES_AT_ONCE = 100;
const SHUTDOWN_MS = 1500;

type Queue = Pick<WorkerOptions, 'activities' | 'workflowBundle' | 'maxConcurrentActivityTaskExecutions'> & {
  taskQueue: string;
};

/** Connects and serves the queues. @throws DocsvcError `unavailable` where no sandbox can be built */
export async function startWorker(config: DocsvcConfig, log: Logger): Promise<RunningWorker> {
  const metrics = new Metrics();
  const parts = await connectParts(config, log, metrics);
  const { workerMetricsBind } = config.telemetry;
  if (workerMetricsBind !== null) await listenForScrapes(metrics, workerMetricsBind, log);
  const measured = new ActivityMetrics(metrics);
  // Temporal tries the workflows in an empty realm first, where they fail.
  const workers = await withoutSourceMaps(() =>
    Promise.all(queues(config, parts).map((queue) => createWorker(config, parts, measured, queue))),
  );
  await ensurePermanentWorkflows(parts.client);
  const permanent = everyWhileAlive(PERMANENT_EVERY_MS, log, () => ensurePermanentWorkflows(parts.client));
  const stopping = new AbortController();
  const running = workers.map(async (worker) => {
    await worker.run();
    // Without one of its queues a worker takes documents that it cannot read to the end.
    if (!stopping.signal.aborted) throw new Error(`the queue ${worker.options.taskQueue} closed by itself`);
  });
  return {
    stop: () => {
      stopping.abort();
      workers.filter((worker) => worker.getState() === 'RUNNING').forEach((worker) => worker.shutdown());
    },
    ended: Promise.all(running)
      .finally(() => permanent.stop())
      .then(() => parts.close()),
  };
}

function queues({ parsing, quotas, timing }: DocsvcConfig, parts: WorkerParts): Queue[] {
  const { ingest, extraction, deliveries, client, dispatcher, log } = parts;
  return [
    {
      taskQueue: INGEST_QUEUE,
      ...workflowSource(),
      activities: {
        ...createIngestActivities(ingest),
        ...createExtractionActivities(extraction),
        ...createRelayActivities({ record: ingest.record, dispatcher, staleMs: timing.relayStaleMs, log }),
        ...createMaintenanceActivities({
          place: { record: ingest.record, store: ingest.store, quotas },
          waker: new WorkflowWaker(client, documentIngestWorkflow, timing.workflowTaskMs),
          deliveryWaker: new WorkflowWaker(client, webhookDeliveryWorkflow, timing.workflowTaskMs),
          extractionWaker: new WorkflowWaker(client, extractionRunWorkflow, timing.workflowTaskMs),
          openIngests: () => openSubjects(client, documentIngestWorkflow),
          openExtractions: () => openSubjects(client, extractionRunWorkflow),
        }),
      },
      maxConcurrentActivityTaskExecutions: SHORT_STEPS,
    },
    {
      taskQueue: HASH_QUEUE,
      activities: createHashActivities(ingest),
      maxConcurrentActivityTaskExecutions: HASHES_AT_ONCE,
    },
    {
      taskQueue: PARSE_QUEUE,
      activities: createParseActivities(ingest),
      maxConcurrentActivityTaskExecutions: parsing.parsers,
    },
    {
      taskQueue: OCR_QUEUE,
      activities: createRecognitionActivities(ingest),
      maxConcurrentActivityTaskExecutions: availableParallelism(),
    },
    {
      taskQueue: EXTRACT_QUEUE,
      activities: createEngineActivities(extraction),
      maxConcurrentActivityTaskExecutions: parsing.extractors,
    },
    {
      taskQueue: WEBHOOK_QUEUE,
      activities: createWebhookActivities(deliveries),
      maxConcurrentActivityTaskExecutions: DELIVERIES_AT_ONCE,
    },
  ];
}

function createWorker(
  config: DocsvcConfig,
  { connection, log }: WorkerParts,
  measured: ActivityMetrics,
  queue: Queue,
): Promise<Worker> {
  return Worker.create({
    ...queue,
    connection,
    namespace: config.temporal.namespace,
    identity: `${hostname()}:${process.pid}`,
    maxCachedWorkflows: CACHED_WORKFLOWS,
    stickyQueueScheduleToStartTimeout: config.timing.stickyMs,
    shutdownGraceTime: 0,
    shutdownForceTime: SHUTDOWN_MS,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    interceptors: {
      activity: [
        (context: Context) => ({ inbound: measured.interceptor(context) }),
        (context: Context) => ({ inbound: new FailureInterceptor(context, log) }),
      ],
    },
  });
}
