import type { BrokeredCallRef, BrokeredOutcome } from '../domain/broker/dispatch.js';
import type { DeliveryWay } from '../domain/deliveries/delivery-way.js';
import type { RunOutcome, RunStatus } from '../domain/run/status.js';

/** Names one run; activities of the `run` workflow are given nothing else. */
export interface RunRef {
  organizationId: string;
  runId: string;
}

/**
 * What the workflow may know of a run: statuses, ids and durations measured by the database's clock.
 * Durations are milliseconds from now, negative when overdue, null when nothing is due.
 */
export interface RunView {
  status: RunStatus | 'unknown';
  organizationSlug: string;
  agentName: string;
  hostId: string | null;
  sandboxAttached: boolean;
  pendingApprovals: number;
  msUntilApprovalExpiry: number | null;
  msUntilWallClock: number | null;
  /** Until 80 % of the wall clock; null once the warning is written. */
  msUntilWallClockWarning: number | null;
  /** Until the wait in the queue is over; null for a run that does not wait. */
  msUntilQueueExpiry: number | null;
  /** Null while the run waits for a person to authorize it. */
  msUntilLaunchDeadline: number | null;
  /** Commands are run before the agent, and people may be asked about them while it is launched. Not known to older histories. */
  setsUp?: boolean;
  /** Until the first open claim of a brokered call is past its time. */
  msUntilClaimExpiry: number | null;
  /** The run has brokered tools. */
  brokered: boolean;
  finalizationRequest: { outcome: RunOutcome; msUntilQuiesceDeadline: number | null } | null;
  timing: DriverTiming;
  /** The namespace lacks the search attributes of runs, so none may be set. */
  searchAttributesMissing: boolean;
}

/** Configured durations of the deployment in milliseconds; they travel with the view so that replays see the same ones. */
export interface DriverTiming {
  activityHeartbeatMs: number;
  hostAwayMs: number;
  exitGraceMs: number;
  reservationDrainMs: number;
}

/** Why the driver itself ends a run. The texts that people read are made from these codes in the activity. */
export type DriverStop =
  | { code: 'wall_clock' }
  | { code: 'launch_deadline' }
  | { code: 'queue_ttl' }
  | { code: 'sandbox_exited'; exitCode: number | null }
  | { code: 'host_lost' }
  | { code: 'finalization_request_lost' };

/** Steps that speak to upstream servers, on the control queue. */
export interface BrokerActivities {
  /** Takes the claim, sends at most once, settles. Never throws for what the upstream does. */
  executeBrokeredCall(run: RunRef, call: BrokeredCallRef): Promise<BrokeredOutcome>;
  /** Ends the sessions that were opened at upstream servers for the run. */
  closeUpstreamSessions(run: RunRef): Promise<void>;
}

/** Short steps on the record, each one idempotent transaction. */
export interface RunRecordActivities {
  describeRun(run: RunRef): Promise<RunView | null>;
  /** Moves to `provisioning` when the run is given a place, else parks it in the queue; `waitMs`: when to ask again. */
  admitRun(run: RunRef): Promise<{ admitted: boolean; hostId: string | null; waitMs: number | null }>;
  /** Goes on with a run whose network somebody has authorized, or not; nothing while nobody has decided. */
  authorizeRun(run: RunRef): Promise<{ state: 'pending' | 'authorized' | 'refused' | 'over' }>;
  /** Requests the finalization that the workflow decided; an earlier request wins. */
  stopRun(run: RunRef, stop: DriverStop): Promise<void>;
  expireApprovals(run: RunRef): Promise<void>;
  /** Settles claims as ambiguous: those past their time, or with `all` every open one. */
  giveUpClaims(run: RunRef, which: 'expired' | 'all'): Promise<void>;
  /** Settles the claim of a dispatch whose activity was lost; answers what the record says of the call. */
  settleLostCall(run: RunRef, call: BrokeredCallRef): Promise<BrokeredOutcome>;
  /** Writes `budget.warning` for the wall clock, once. */
  warnWallClock(run: RunRef): Promise<void>;
  /** Moves to `cancelling` and tells the runner to stop. */
  beginQuiesce(run: RunRef): Promise<void>;
  beginFinalizing(run: RunRef): Promise<void>;
  /** Number of open model reservations; with `force` every one is charged in full and the answer is 0. */
  drainReservations(run: RunRef, force: boolean): Promise<number>;
  /** Records that nothing could be collected, unless something already was. */
  recordMissingDiff(run: RunRef, reason: 'host_lost' | 'collection_failed'): Promise<void>;
  /** Summary, terminal move, signed head, `run.result`; frees the capacity. */
  concludeRun(run: RunRef): Promise<void>;
  /** Deletes the finalization request: the run is over and cleaned up. */
  forgetFinalizationRequest(run: RunRef): Promise<void>;
}

/** Steps that need the host of the sandbox. */
export interface SandboxHostActivities {
  /** Prepares the workspace and starts the sandbox; false when the run stopped meanwhile, could not start or went back into the queue. */
  launchSandbox(run: RunRef): Promise<{ launched: boolean }>;
  /** Waits up to `graceMs` for the runner to leave, then kills the sandbox and confirms its death. */
  stopSandbox(run: RunRef, graceMs: number): Promise<void>;
  collectArtifacts(run: RunRef): Promise<void>;
  releaseSandbox(run: RunRef): Promise<void>;
}

/** Supervision, on the watch queue of the host. */
export interface SandboxWatchActivities {
  superviseSandbox(run: RunRef): Promise<{ exitCode: number | null }>;
}

/** Names one approval; the notice's workflow is given nothing else. */
export interface ApprovalRef {
  organizationId: string;
  runId: string;
  approvalId: string;
}

export interface ApprovalNoticeActivities {
  /**
   * Sends the notice unless it is settled already, and records what came of it. `waitMs`: the receiver did not take it, try again
   * after that long; null: there is nothing more to do.
   */
  deliverNotice(approval: ApprovalRef, attempt: number): Promise<{ waitMs: number | null }>;
}

export interface ResultDeliveryActivities {
  /**
   * Makes the attempt unless it is on the record already, and records what came of it. `attempt`: the last one on the record;
   * `waitMs`: make the next one after that long; null: the delivery is settled.
   *
   * @param random in [0, 1), for the spread of the wait
   */
  attemptDelivery(
    delivery: DeliveryWay,
    attempt: number,
    random: number,
  ): Promise<{ attempt: number; waitMs: number | null }>;
}

/** Names one stored webhook; its workflow is given nothing else. */
export interface StoredWebhookRef {
  organizationId: string;
  deliveryId: string;
}

export interface IngressEventActivities {
  /**
   * Starts every run that the webhook asks for and that has not been started. `waitMs`: some could not be started yet, try again after that
   * long; null: there is nothing more to do.
   */
  startEventRuns(webhook: StoredWebhookRef): Promise<{ waitMs: number | null }>;
}

export interface RelayActivities {
  /** Never returns by itself: re-sends wake-ups that were committed and not delivered. */
  relayOutbox(): Promise<void>;
}

/** A schedule as its workflow knows it. */
export interface ScheduleWakeUp {
  organizationId: string;
  subscriptionId: string;
}

export interface ScheduleActivities {
  /** Does what is due of the schedule; a wake-up that comes a little early waits. Says in one word what came of it. */
  fireSchedule(schedule: ScheduleWakeUp): Promise<string>;
  /** Puts right what is to wake schedules, and does what was due and not woken. */
  reconcileSchedules(): Promise<{ repaired: number; late: number }>;
}

export interface MaintenanceActivities {
  /** Starts the workflow of every run that should have one and has none; the number started. */
  startMissingRuns(): Promise<number>;
  recountCapacity(): Promise<void>;
  expireRecords(): Promise<void>;
  listHosts(): Promise<string[]>;
}

export interface HostMaintenanceActivities {
  /** Terminates and removes sandboxes whose run is over or unknown; the number reaped. */
  reapOrphans(): Promise<number>;
}
