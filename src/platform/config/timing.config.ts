import { integer } from './readers.js';
import { setting } from './setting.js';

const MS = integer(1, 86_400_000);

/** Intervals and time limits in milliseconds. Tests make them small; production rarely touches them. */
export class TimingConfig {
  @setting({
    variable: 'SERVICE_TIMING_HEARTBEAT_MS',
    read: MS,
    default: 10_000,
    about: 'Between two heartbeats of a runner.',
  })
  readonly heartbeatMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_HEARTBEAT_STALE_MS',
    read: MS,
    default: 60_000,
    about: 'Silence of a runner after which its sandbox is examined.',
  })
  readonly heartbeatStaleMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_QUIESCE_MS',
    read: MS,
    default: 30_000,
    about: 'For a runner to wind down before its sandbox is killed.',
  })
  readonly quiesceMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_TOKEN_TTL_MS',
    read: integer(1000, 604_800_000),
    default: 10_800_000,
    about: 'Life of the tokens of a run, and of one renewal.',
  })
  readonly tokenTtlMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_RESERVATION_TTL_MS',
    read: MS,
    default: 1_800_000,
    about: 'Life of a budget reservation whose usage never arrives.',
  })
  readonly reservationTtlMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_RELAY_STALE_MS',
    read: MS,
    default: 2000,
    about: 'Age of an outbox row before the relay sends it again.',
  })
  readonly relayStaleMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_MAINTENANCE_MS',
    read: MS,
    default: 30_000,
    about: 'Between two runs of the maintenance schedule.',
  })
  readonly maintenanceMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_TAIL_REREAD_MS',
    read: MS,
    default: 2000,
    about: 'Fallback re-read of a followed ledger.',
  })
  readonly tailRereadMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_SSE_HEARTBEAT_MS',
    read: integer(100, 15_000),
    default: 15_000,
    about: 'Between two comments on a silent event stream.',
  })
  readonly sseHeartbeatMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_STICKY_MS',
    read: MS,
    default: 10_000,
    about: 'How long Temporal offers a workflow task to the worker that holds the workflow.',
  })
  readonly stickyMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_WORKFLOW_TASK_MS',
    read: MS,
    default: 10_000,
    about: 'Time limit of one workflow task.',
  })
  readonly workflowTaskMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_ACTIVITY_HEARTBEAT_MS',
    read: MS,
    default: 10_000,
    about: 'Silence of a supervising activity after which it is started again.',
  })
  readonly activityHeartbeatMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_ACTIVITY_RETRY_MS',
    read: MS,
    default: 500,
    about: 'First wait before a failed activity is tried again; it doubles.',
  })
  readonly activityRetryMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_HOST_GONE_MS',
    read: MS,
    default: 300_000,
    about: 'Absence of a sandbox host after which its runs fail.',
  })
  readonly hostGoneMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_PROCESS_LEASE_MS',
    read: MS,
    default: 30_000,
    about: 'Life of a process lease; reservations of a process whose lease ran out are settled.',
  })
  readonly processLeaseMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_SHUTDOWN_MS',
    read: MS,
    default: 1500,
    about: 'Grace for requests and activities at a clean stop.',
  })
  readonly shutdownMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_WEBHOOK_BODY_MS',
    read: MS,
    default: 30_000,
    about: 'For the body of a webhook to arrive; then 408.',
  })
  readonly webhookBodyMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_DEVICE_POLL_MS',
    read: integer(1000, 60_000),
    default: 5000,
    about: 'Between two questions of a terminal that signs in, in whole seconds.',
  })
  readonly devicePollMs!: number;

  @setting({
    variable: 'SERVICE_TIMING_REAUTH_ANSWER_MS',
    read: MS,
    default: 10_000,
    about: 'For the database to say whether a person may go on following a run; then the stream ends.',
  })
  readonly reauthAnswerMs!: number;
}
