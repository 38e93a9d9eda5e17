import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type {
  BrokerActivities,
  DriverTiming,
  RunRecordActivities,
  SandboxHostActivities,
  SandboxWatchActivities,
} from '../activities/run-activities.js';
import { offerTwice, secondChanceMs } from './host-lost.js';
import { hostQueue, hostWatchQueue } from './messages.js';

const patientRetry = { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '5s' } as const;

export const record = proxyLocalActivities<RunRecordActivities>({
  startToCloseTimeout: '15s',
  localRetryThreshold: '10s',
  retry: patientRetry,
});

/**
 * Calls of upstream servers, on this workflow's own queue, so that the worker that runs the workflow may start them at once. One
 * attempt: the claim's row says whether there may be another, never this history (docs/design/broker.md).
 */
export function brokerActivities(timing: Pick<DriverTiming, 'activityHeartbeatMs'>) {
  const calls = proxyActivities<BrokerActivities>({
    startToCloseTimeout: '9m',
    heartbeatTimeout: timing.activityHeartbeatMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
    summary: 'Make a brokered call',
  });
  const closing = proxyActivities<BrokerActivities>({
    startToCloseTimeout: '60s',
    scheduleToCloseTimeout: '3m',
    retry: { ...patientRetry, maximumAttempts: 3 },
    summary: 'Close the sessions at upstream servers',
  });
  return { execute: calls.executeBrokeredCall, close: closing.closeUpstreamSessions };
}

/** The activities of one sandbox host. A host that takes no work for `hostAwayMs` is lost (docs/design/sandbox.md). */
export function hostActivities(hostId: string, timing: DriverTiming) {
  const first = offered(hostId, timing, timing.hostAwayMs);
  const again = offered(hostId, timing, secondChanceMs(timing.hostAwayMs));
  return {
    launch: offerTwice(first.launch, again.launch),
    stop: offerTwice(first.stop, again.stop),
    collect: offerTwice(first.collect, again.collect),
    release: offerTwice(first.release, again.release),
    watch: offerTwice(first.watch, again.watch),
  };
}

/** `summary` lines are what an operator reads in Temporal Web. */
function offered(hostId: string, timing: DriverTiming, scheduleToStartTimeout: number) {
  const base = {
    taskQueue: hostQueue(hostId),
    scheduleToStartTimeout,
    heartbeatTimeout: timing.activityHeartbeatMs,
    retry: patientRetry,
  } as const;
  return {
    launch: proxyActivities<SandboxHostActivities>({
      ...base,
      // The workflow gives it up at its deadline, which setup commands and questions about them put off.
      startToCloseTimeout: '30d',
      // A launch that lost its run must have ended before its files are touched.
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      summary: 'Prepare the workspace and start the sandbox',
    }).launchSandbox,
    stop: proxyActivities<SandboxHostActivities>({
      ...base,
      startToCloseTimeout: '90s',
      summary: 'Stop the sandbox and confirm its death',
    }).stopSandbox,
    collect: proxyActivities<SandboxHostActivities>({
      ...base,
      startToCloseTimeout: '180s',
      summary: 'Collect the diff and the log',
    }).collectArtifacts,
    release: proxyActivities<SandboxHostActivities>({
      ...base,
      startToCloseTimeout: '90s',
      summary: 'Remove sandbox and workspace',
    }).releaseSandbox,
    watch: proxyActivities<SandboxWatchActivities>({
      taskQueue: hostWatchQueue(hostId),
      scheduleToStartTimeout,
      startToCloseTimeout: '30d',
      heartbeatTimeout: timing.activityHeartbeatMs,
      retry: patientRetry,
      summary: 'Supervise the sandbox',
    }).superviseSandbox,
  };
}
