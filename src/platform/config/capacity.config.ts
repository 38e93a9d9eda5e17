import { integer } from './readers.js';
import { setting } from './setting.js';

/** Admission and launch (docs/design/runs.md). */
export class CapacityConfig {
  @setting({
    variable: 'SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE',
    read: integer(1),
    default: null,
    defaultText: 'unlimited',
    about: 'Active runs of the deployment.',
  })
  readonly globalMaxActive!: number | null;

  @setting({
    variable: 'SERVICE_CAPACITY_TENANT_MAX_ACTIVE',
    read: integer(1),
    default: null,
    defaultText: 'unlimited',
    about: 'Active runs of one organization.',
  })
  readonly tenantMaxActive!: number | null;

  @setting({
    variable: 'SERVICE_CAPACITY_TENANT_QUEUE_DEPTH',
    read: integer(0),
    default: null,
    defaultText: 'unlimited',
    about: 'Runs of one organization that may wait in the queue; beyond it 429.',
  })
  readonly tenantQueueDepth!: number | null;

  @setting({
    variable: 'SERVICE_QUEUE_TTL_SECS',
    read: integer(1),
    default: 900,
    about: 'Longest wait in the queue, in seconds, from each entry; then the run fails with `queue_ttl_expired`.',
  })
  readonly queueTtlSecs!: number;

  @setting({
    variable: 'SERVICE_DISPATCH_MAX_CONCURRENT_PROVISIONS',
    read: integer(1, 1024),
    default: 8,
    about: 'Launches in flight on one host.',
  })
  readonly maxConcurrentProvisions!: number;

  @setting({
    variable: 'SERVICE_DISPATCH_MAX_STARTS_PER_SEC',
    read: integer(1, 10_000),
    default: 10,
    about: 'Launches that one host starts in a second.',
  })
  readonly maxStartsPerSec!: number;

  @setting({
    variable: 'SERVICE_LAUNCH_MAX_ATTEMPTS',
    read: integer(1, 100),
    default: 5,
    about: 'Launches that may find their host full; then the run fails with `capacity_exhausted_max_attempts`.',
  })
  readonly launchMaxAttempts!: number;

  @setting({
    variable: 'SERVICE_LAUNCH_REQUEUE_BACKOFF_SECS',
    read: integer(1, 3600),
    default: 5,
    about:
      'Wait in the queue after the first launch that found its host full, in seconds; it doubles. Also the `Retry-After` of a full queue.',
  })
  readonly launchRequeueBackoffSecs!: number;

  @setting({
    variable: 'SERVICE_STALE_LAUNCH_MINS',
    read: integer(5, 1440),
    default: 30,
    about: 'Minutes from admission after which a launch that does not arrive fails the run.',
  })
  readonly staleLaunchMins!: number;
}
