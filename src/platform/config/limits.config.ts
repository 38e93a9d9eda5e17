import { integer } from './readers.js';
import { setting } from './setting.js';

/** Limits of one run at the runner plane (docs/design/runner.md). */
export class LimitsConfig {
  @setting({
    variable: 'SERVICE_LIMIT_CONNECTIONS',
    read: integer(1),
    default: 64,
    about: 'Connections of one run to the runner plane.',
  })
  readonly connections!: number;

  @setting({
    variable: 'SERVICE_LIMIT_HEADER_BYTES',
    read: integer(1024),
    default: 16_384,
    about: 'Bytes of request headers.',
  })
  readonly headerBytes!: number;

  @setting({
    variable: 'SERVICE_LIMIT_HEADER_TIMEOUT_MS',
    read: integer(100),
    default: 10_000,
    about: 'Milliseconds within which the headers of a request must have arrived.',
  })
  readonly headerTimeoutMs!: number;

  @setting({
    variable: 'SERVICE_LIMIT_PARKED_PERMISSIONS',
    read: integer(1),
    default: 32,
    about: 'Permission requests of one run that wait at once.',
  })
  readonly parkedPermissions!: number;

  @setting({
    variable: 'SERVICE_LIMIT_PENDING_APPROVALS',
    read: integer(1),
    default: 16,
    about: 'Pending approvals of one run; further asks are denied.',
  })
  readonly pendingApprovals!: number;

  @setting({
    variable: 'SERVICE_LIMIT_APPROVAL_WAITERS',
    read: integer(1),
    default: 1000,
    about: 'Long polls of approval lists that one process keeps at once, of all callers; beyond them 503.',
  })
  readonly approvalWaiters!: number;

  @setting({
    variable: 'SERVICE_LIMIT_EVENTS_PER_SECOND',
    read: integer(1),
    default: 20,
    about: 'Narrative events a second that one run may post.',
  })
  readonly eventsPerSecond!: number;

  @setting({
    variable: 'SERVICE_LIMIT_EVENTS_BURST',
    read: integer(1),
    default: 200,
    about: 'Narrative events that one run may post at once.',
  })
  readonly eventsBurst!: number;

  @setting({
    variable: 'SERVICE_LIMIT_EVENT_BYTES',
    read: integer(1024),
    default: 65_536,
    about: 'Bytes of one posted event.',
  })
  readonly eventBytes!: number;

  @setting({
    variable: 'SERVICE_LIMIT_RUNNER_EVENTS',
    read: integer(1),
    default: 20_000,
    about: 'Events that one run may post in all.',
  })
  readonly runnerEvents!: number;

  @setting({
    variable: 'SERVICE_LIMIT_LEDGER_BYTES',
    read: integer(65_536),
    default: 67_108_864,
    about: 'Bytes of one run in the ledger.',
  })
  readonly ledgerBytes!: number;

  @setting({
    variable: 'SERVICE_LIMIT_MODEL_REQUESTS',
    read: integer(1),
    default: 8,
    about: 'Model requests of one run in flight.',
  })
  readonly modelRequests!: number;

  @setting({
    variable: 'SERVICE_LIMIT_BROKERED_CALLS',
    read: integer(1),
    default: 8,
    about: 'Brokered calls of one run in flight.',
  })
  readonly brokeredCalls!: number;

  @setting({
    variable: 'SERVICE_LIMIT_TUNNELS',
    read: integer(1),
    default: 32,
    about: 'Connections of one run to hosts outside, open at once.',
  })
  readonly tunnels!: number;

  @setting({
    variable: 'SERVICE_LIMIT_TUNNEL_OPENS',
    read: integer(1),
    default: 10_000,
    about: 'Connections to hosts outside that one run may open in all.',
  })
  readonly tunnelOpens!: number;

  @setting({
    variable: 'SERVICE_LIMIT_TUNNEL_BYTES',
    read: integer(1024),
    default: 8_589_934_592,
    about: 'Bytes that one run may exchange with hosts outside, both directions together.',
  })
  readonly tunnelBytes!: number;

  @setting({
    variable: 'SERVICE_LIMIT_TUNNEL_IDLE_MS',
    read: integer(1000),
    default: 300_000,
    about: 'Milliseconds after which a connection to a host outside that carries nothing is closed.',
  })
  readonly tunnelIdleMs!: number;

  @setting({
    variable: 'SERVICE_LIMIT_TUNNEL_FIRST_BYTES_MS',
    read: integer(100),
    default: 10_000,
    about: 'Milliseconds within which a new connection to a host outside must say whom it means.',
  })
  readonly tunnelFirstBytesMs!: number;

  @setting({
    variable: 'SERVICE_TUNNEL_PIN_MS',
    read: integer(1),
    default: 30_000,
    about: 'Milliseconds for which a run keeps the addresses that a name led to when it was last judged.',
  })
  readonly tunnelPinMs!: number;

  @setting({
    variable: 'SERVICE_LIMIT_BODY_BYTES_IN_FLIGHT',
    read: integer(1_048_576),
    default: 268_435_456,
    about: 'Bytes of request bodies that one process holds at once.',
  })
  readonly bodyBytesInFlight!: number;
}
