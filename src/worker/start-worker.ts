import type { Context } from '@temporalio/activity';
import { Worker, type ActivityInterceptorsFactory, type WorkerOptions } from '@temporalio/worker';
import { createHeadSigner } from '../domain/ledger/signed-head.js';
import { createApprovalNoticeActivities, type NoticeReceiver } from '../activities/approval-notice.activities.js';
import {
  createHostMaintenanceActivities,
  reapHostOrphans,
  type HostMaintenanceDependencies,
} from '../activities/host-maintenance.activities.js';
import { createMaintenanceActivities } from '../activities/maintenance.activities.js';
import { createRelayActivities } from '../activities/relay.activities.js';
import { createRunRecordActivities } from '../activities/run-record.activities.js';
import { createSandboxHostActivities, type SandboxHostDependencies } from '../activities/sandbox-host.activities.js';
import { createSandboxWatchActivities } from '../activities/sandbox-watch.activities.js';
import { publicUrl, requireSetting, type SandgateConfig } from '../platform/config/index.js';
import { admitRun } from '../core/launch/admission.js';
import { admitWaiting } from '../core/runs/capacity.js';
import { seeHost } from '../core/hosts/hosts.js';
import type { Logger } from '../platform/telemetry/logger.js';
import { Metrics } from '../core/metrics/metrics.js';
import type { Tracing } from '../platform/telemetry/tracing.js';
import { listenForScrapes } from '../platform/telemetry/metrics-listener.js';
import { HEARTBEAT_THROTTLE_MS } from '../platform/temporal/heartbeats.js';
import { withoutSourceMaps } from '../platform/temporal/without-source-maps.js';
import { CONTROL_QUEUE, DRIVEN_WORKFLOWS, hostQueue, hostWatchQueue } from '../workflows/messages.js';
import type { SandboxHostActivities } from '../activities/run-activities.js';
import { ActivityMetrics } from './activity-metrics.js';
import { brokerActivities } from './broker-activities.js';
import { deliveryActivities } from './delivery-activities.js';
import { FailureInterceptor } from './failure-interceptor.js';
import { openWorkflows } from './open-workflows.js';
import { RunSpans } from './run-spans.js';
import { everyWhileAlive } from './repeated-duties.js';
import { ensurePermanentWorkflows } from './permanent-workflows.js';
import { triggerActivities, type TriggerActivities } from './trigger-activities.js';
import { workflowSource } from './workflow-bundle.js';
import { connectParts, type WorkerParts } from './worker-parts.js';

/** A worker process: control queue, and the two queues of this sandbox host. */
export interface RunningWorker {
  /** Begins an orderly stop; live sandboxes stay and are supervised again by the next worker (docs/design/sandbox.md). */
  stop(): void;
  /** Resolves when every queue is closed; rejects when one failed. */
  ended: Promise<void>;
}

/** How often this host reports; well within the time after which it would get no more runs. */
const HOST_SEEN_EVERY_MS = 15_000;
/** How soon a driver whose store was lost has its relay and its schedule again. */
const PERMANENT_EVERY_MS = 15_000;
/**
 * Runs whose workflow stays in memory between its steps, about half a MiB each; one that was put aside is replayed from its history
 * when it goes on, which a run that waits for a human or for its sandbox does rarely.
 */
const CACHED_RUNS = 64;
/** Brokered calls that wait for slow servers must not keep other steps of the control queue waiting. */
const CONTROL_ACTIVITIES = 1000;
const MIB = 1024 * 1024;
/** One collection of a diff, all git calls together (docs/design/workspaces.md). */
const COLLECT_TIMEOUT_MS = 120_000;

/** Connects, removes what an earlier process of this host left behind, and serves its queues. */
export async function startWorker(config: SandgateConfig, log: Logger, tracing: Tracing): Promise<RunningWorker> {
  const metrics = new Metrics();
  const parts = await connectParts(config, log, { metrics, tracing });
  metrics.observe(parts.database);
  const activities = new ActivityMetrics(metrics, parts.host.capacity);
  const report = hostReport(config, parts);
  await report();
  await reapHostOrphans({ ...parts, archiveTtlSecs: config.workspace.archiveTtlSecs });
  const spans = new RunSpans(parts.database, tracing, log);
  const interceptors = [
    (context: Context) => ({ inbound: spans.interceptor(context) }),
    (context: Context) => ({ inbound: activities.interceptor(context) }),
    (context: Context) => ({ inbound: new FailureInterceptor(context, log) }),
  ];
  const { workerMetricsBind } = config.telemetry;
  if (workerMetricsBind !== null) await listenForScrapes(metrics, workerMetricsBind, log);
  const triggers = triggerActivities(config, parts);
  // Temporal tries the workflows in an empty realm first, where they fail.
  const workers = await withoutSourceMaps(() =>
    Promise.all(queues(config, parts, triggers).map((queue) => createWorker(config, parts, interceptors, queue))),
  );
  await ensurePermanentWorkflows(parts.client, config.timing.maintenanceMs);
  // Runs may have waited for a host.
  await admitWaiting(parts.database, config.capacity);
  const seeing = everyWhileAlive(HOST_SEEN_EVERY_MS, log, report);
  const permanent = everyWhileAlive(PERMANENT_EVERY_MS, log, () =>
    ensurePermanentWorkflows(parts.client, config.timing.maintenanceMs),
  );
  const reconciled = triggers
    .reconcileSchedules()
    .catch((cause: unknown) => log.warn({ err: cause }, 'schedules are left to the next round of maintenance'));
  const stopping = new AbortController();
  const running = workers.map(async (worker) => {
    await worker.run();
    // Without one of its queues a host takes runs that it cannot serve.
    if (!stopping.signal.aborted) throw new Error(`the queue ${worker.options.taskQueue} closed by itself`);
  });
  return {
    stop: () => {
      stopping.abort();
      workers.filter((worker) => worker.getState() === 'RUNNING').forEach((worker) => worker.shutdown());
    },
    ended: Promise.all([...running, reconciled])
      .finally(() => {
        seeing.stop();
        permanent.stop();
      })
      .then(() => undefined),
  };
}

/** Tells that this host is there and which harnesses it can run; runs may have waited for one that was installed meanwhile. */
function hostReport(config: SandgateConfig, { database, host, runHost }: WorkerParts): () => Promise<void> {
  let before: string | null = null;
  return async () => {
    const harnesses = await runHost.usableHarnesses();
    await seeHost(database.pool, { ...host, harnesses });
    const has = harnesses.join();
    if (before !== null && before !== has) await admitWaiting(database, config.capacity);
    before = has;
  };
}

type Queue = Pick<WorkerOptions, 'activities' | 'workflowBundle' | 'maxConcurrentActivityTaskExecutions'> & {
  taskQueue: string;
};

function hostActivities(config: SandgateConfig, parts: WorkerParts): SandboxHostActivities {
  return createSandboxHostActivities({
    database: parts.database,
    provider: parts.provider,
    workspaces: parts.workspaces,
    runHost: parts.runHost,
    accessOf: (run, spec) => parts.codehost.accessOf(run, spec),
    tokenTtlSecs: config.timing.tokenTtlMs / 1000,
    limits: config.capacity,
    log: parts.log,
    maxArchiveBytes: config.workspace.maxArchiveBytes,
    collectTimeoutMs: COLLECT_TIMEOUT_MS,
    awayMs: config.timing.hostGoneMs,
    ...keptSetups(config, parts),
  });
}

/** A host without room for them keeps no results of setups. */
function keptSetups(config: SandgateConfig, { layers, host }: WorkerParts): Pick<SandboxHostDependencies, 'kept'> {
  return layers === undefined || config.sandbox.setupCacheMb === 0 ? {} : { kept: { layers, hostId: host.id } };
}

function setupUpkeep(
  config: SandgateConfig,
  { layers, host }: WorkerParts,
): Pick<HostMaintenanceDependencies, 'upkeep'> {
  const maxBytes = config.sandbox.setupCacheMb * MIB;
  return layers === undefined ? {} : { upkeep: { layers, hostId: host.id, maxBytes } };
}

function queues(config: SandgateConfig, parts: WorkerParts, triggers: TriggerActivities): Queue[] {
  const { database, provider, host } = parts;
  return [
    {
      taskQueue: CONTROL_QUEUE,
      ...workflowSource(),
      activities: { ...controlActivities(config, parts), ...triggers },
      maxConcurrentActivityTaskExecutions: CONTROL_ACTIVITIES,
    },
    {
      taskQueue: hostQueue(host.id),
      activities: {
        ...hostActivities(config, parts),
        ...createHostMaintenanceActivities({
          ...parts,
          archiveTtlSecs: config.workspace.archiveTtlSecs,
          ...setupUpkeep(config, parts),
        }),
      },
      maxConcurrentActivityTaskExecutions: host.capacity,
    },
    {
      taskQueue: hostWatchQueue(host.id),
      activities: createSandboxWatchActivities({ database, provider }),
      maxConcurrentActivityTaskExecutions: host.capacity,
    },
  ];
}

function controlActivities(config: SandgateConfig, parts: WorkerParts): object {
  const { database, client, drivers, dispatcher, log } = parts;
  const { timing } = config;
  return {
    ...createRunRecordActivities({
      database,
      signer: createHeadSigner(requireSetting(config.seal.ledgerKey, 'SERVICE_LEDGER_KEY')),
      capacity: config.capacity,
      launchLimitSecs: config.capacity.staleLaunchMins * 60,
      quiesceSecs: timing.quiesceMs / 1000,
      timing: {
        activityHeartbeatMs: timing.activityHeartbeatMs,
        hostAwayMs: timing.hostGoneMs,
        exitGraceMs: timing.quiesceMs,
        reservationDrainMs: timing.processLeaseMs,
      },
      searchAttributesMissing: parts.searchAttributesMissing,
      admit: (run) => admitRun(database, run, config.capacity),
    }),
    ...brokerActivities(config, parts),
    ...deliveryActivities(config, parts),
    ...createRelayActivities({ database, dispatcher, staleMs: timing.relayStaleMs, log }),
    ...createMaintenanceActivities({
      database,
      driver: drivers.runs,
      capacity: config.capacity,
      quiesceSecs: timing.quiesceMs / 1000,
      openRuns: () => openWorkflows(client, DRIVEN_WORKFLOWS.run),
      notices: drivers.notices,
      deliveries: drivers.deliveries,
      webhooks: drivers.webhooks,
      openWebhooks: () => openWorkflows(client, DRIVEN_WORKFLOWS.event),
      startedWithinMs: timing.maintenanceMs,
    }),
    ...createApprovalNoticeActivities({
      database,
      client: parts.egress.operator,
      target: webhookOf(config),
      ...noticeTerms(config),
      log,
    }),
  };
}

function webhookOf({ notices }: SandgateConfig): NoticeReceiver | null {
  const { url, secret, timeoutMs } = notices;
  return url === null || secret === null ? null : { url, secret, timeoutMs };
}

function noticeTerms({ notices, http }: SandgateConfig): { waitsMs: readonly number[]; publicUrl: string } {
  return { waitsMs: notices.waitsMs, publicUrl: publicUrl(http) };
}

function createWorker(
  config: SandgateConfig,
  parts: WorkerParts,
  activity: ActivityInterceptorsFactory[],
  queue: Queue,
): Promise<Worker> {
  return Worker.create({
    ...queue,
    connection: parts.connection,
    namespace: config.temporal.namespace,
    identity: `${parts.host.name}:${process.pid}`,
    stickyQueueScheduleToStartTimeout: config.timing.stickyMs,
    maxCachedWorkflows: CACHED_RUNS,
    shutdownGraceTime: 0,
    shutdownForceTime: config.timing.shutdownMs,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    interceptors: { activity },
  });
}
