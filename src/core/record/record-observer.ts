import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { RunStatus } from '../../domain/run/status.js';

/** A run changed its status. Durations are seconds by the database's clock. */
export interface RunMove {
  runId: string;
  from: RunStatus;
  to: RunStatus;
  /** Since the run was last put into the queue, or created. */
  waitedSecs: number;
  /** Since it was first `running`; null for one that never was. */
  ranSecs: number | null;
}

/** What happened to reservations of model budget. `swept` ones are counted as `unreported` too. */
export type ReservationEvent = 'booked' | 'refused' | 'charged' | 'released' | 'unreported' | 'swept';

/** What became of a grant of the network. */
export type GrantOutcome = 'active' | 'awaiting_authorization' | 'denied' | 'revoked';

/**
 * Hears, after the commit, what this process put on the record; for metrics. Every fact is told by the one process that wrote it,
 * so the sum over all processes is what happened. It must neither fail nor wait.
 */
export interface RecordObserver {
  appended(events: readonly NewEvent[]): void;
  moved(move: RunMove): void;
  /** `waitedSecs` is the time from the question to the answer. */
  approvalSettled(decision: string, waitedSecs: number): void;
  reservation(event: ReservationEvent): void;
  networkGrant(outcome: GrantOutcome): void;
  /** Somebody took the authority of a connection away. */
  connectionRevoked(): void;
}
