import pLimit from 'p-limit';
import { isAway } from '../../../../src/platform/temporal/is-away.js';
import type { WokenSubject } from '../../platform/temporal/workflow-waker.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import { deferOutbox, deleteOutbox, type OutboxDispatcher, type OutboxKind, type OutboxRow } from '../record/outbox.js';

/** Starts or wakes the workflows of one kind. */
export interface Waker {
  wake(subject: WokenSubject): Promise<void>;
}

/** Called for wake-ups that could not be sent; the relay sends them again. */
export type OnUndelivered = (rows: OutboxRow[], cause: unknown) => void;

/** Wake-ups that are sent at once. */
const AT_ONCE = 8;
/** After so many wake-ups found the driver unreachable, the rest of the batch waits for the next round. */
const GIVE_UP_AFTER = 8;

interface Outcome {
  delivered: string[];
  refused: string[];
  /** The client's error while the driver was unreachable. */
  away?: unknown;
}

/** Sends committed wake-ups to their workflows and deletes the rows that were delivered. */
export class TemporalOutboxDispatcher implements OutboxDispatcher {
  private readonly inFlight = new Set<Promise<void>>();

  constructor(
    private readonly wakers: Record<OutboxKind, Waker>,
    private readonly record: Pick<DocsvcRecord, 'query'>,
    private readonly onUndelivered: OnUndelivered,
  ) {}

  dispatch(rows: OutboxRow[]): void {
    const sending = this.deliver(rows).catch((cause: unknown) => this.onUndelivered(rows, cause));
    this.inFlight.add(sending);
    void sending.finally(() => this.inFlight.delete(sending));
  }

  /**
   * Sends one wake-up for each subject and deletes what was delivered. A row that the driver refuses is put off and holds up no other.
   *
   * @throws the client's error when the driver is unreachable; unsent rows stay as they are
   */
  async deliver(rows: OutboxRow[]): Promise<void> {
    const limit = pLimit(AT_ONCE);
    let failures = 0;
    const send = async (ofSubject: OutboxRow[]): Promise<Outcome> => {
      if (failures >= GIVE_UP_AFTER) return { delivered: [], refused: [] };
      const outcome = await this.send(ofSubject);
      if (outcome.away !== undefined) failures += 1;
      return outcome;
    };
    const subjects = [...Map.groupBy(rows, (row) => `${row.kind} ${row.subjectId}`).values()];
    const outcomes = await Promise.all(subjects.map((ofSubject) => limit(() => send(ofSubject))));
    await deleteOutbox(
      this.record,
      outcomes.flatMap(({ delivered }) => delivered),
    );
    await deferOutbox(
      this.record,
      outcomes.flatMap(({ refused }) => refused),
    );
    const away = outcomes.find((one) => one.away !== undefined);
    if (away !== undefined) throw away.away;
  }

  private async send(ofSubject: OutboxRow[]): Promise<Outcome> {
    const ids = ofSubject.map(({ id }) => id);
    const { kind, orgId, subjectId, workflowName } = ofSubject[0] as OutboxRow;
    try {
      await this.wakers[kind].wake({ orgId, subjectId, workflowName });
      return { delivered: ids, refused: [] };
    } catch (cause) {
      if (isAway(cause)) return { delivered: [], refused: [], away: cause };
      this.onUndelivered(ofSubject, cause);
      return { delivered: [], refused: ids };
    }
  }

  /** Waits for what is being sent; for a clean stop. */
  async drained(): Promise<void> {
    await Promise.allSettled(this.inFlight);
  }
}
