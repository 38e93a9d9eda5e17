import pLimit from 'p-limit';
import type pg from 'pg';
import { deferOutbox, deleteOutbox, type OutboxDispatcher, type OutboxRow } from '../record/outbox.js';
import type { Driver } from './driver.js';
import { isAway } from '../../platform/temporal/is-away.js';

/** Called for wake-ups that could not be sent; the relay sends them again. */
export type OnUndelivered = (rows: OutboxRow[], cause: unknown) => void;

/** Runs whose wake-ups are sent at once. */
const AT_ONCE = 8;
/** After this many runs found the driver unreachable, the rest of the batch waits for the next round. */
const GIVE_UP_AFTER = 8;

interface Outcome {
  delivered: OutboxRow[];
  refused: OutboxRow[];
  /** The client's error while the driver was unreachable. */
  away?: unknown;
}

/** Sends committed wake-ups to their workflows and deletes the rows that were delivered (docs/design/workflows.md). */
export class TemporalOutboxDispatcher implements OutboxDispatcher {
  private readonly inFlight = new Set<Promise<void>>();

  constructor(
    private readonly driver: Pick<Driver, 'wake'>,
    private readonly pool: pg.Pool,
    private readonly onUndelivered: OnUndelivered,
  ) {}

  dispatch(rows: OutboxRow[]): void {
    const sending = this.deliver(rows).catch((cause: unknown) => this.onUndelivered(rows, cause));
    this.inFlight.add(sending);
    void sending.finally(() => this.inFlight.delete(sending));
  }

  /**
   * Sends the rows, those of one subject in their order and one wake-up per kind, and deletes what was delivered. A row that the
   * driver refuses is put off and holds up no other.
   *
   * @throws the client's error when the driver is unreachable; unsent rows stay as they are
   */
  async deliver(rows: OutboxRow[]): Promise<void> {
    const limit = pLimit(AT_ONCE);
    const runs = Map.groupBy(rows, (row) => row.subjectId).values();
    let failures = 0;
    const deliverRun = async (ofRun: OutboxRow[]): Promise<Outcome> => {
      if (failures >= GIVE_UP_AFTER) return { delivered: [], refused: [] };
      const outcome = await this.deliverRun(ofRun);
      if (outcome.away !== undefined) failures += 1;
      return outcome;
    };
    const outcomes = await Promise.all([...runs].map((ofRun) => limit(() => deliverRun(ofRun))));
    const idsOf = (what: 'delivered' | 'refused') => outcomes.flatMap((one) => one[what].map((row) => row.id));
    await deleteOutbox(this.pool, idsOf('delivered'));
    await deferOutbox(this.pool, idsOf('refused'));
    const away = outcomes.find((one) => one.away !== undefined);
    if (away !== undefined) throw away.away;
  }

  private async deliverRun(rows: OutboxRow[]): Promise<Outcome> {
    const delivered: OutboxRow[] = [];
    const refused: OutboxRow[] = [];
    const kinds = Map.groupBy(rows, (row) => row.kind);
    for (const [kind, ofKind] of kinds) {
      try {
        await this.driver.wake(ofKind[0] as OutboxRow, kind);
        delivered.push(...ofKind);
      } catch (cause) {
        if (isAway(cause)) return { delivered, refused, away: cause };
        this.onUndelivered(ofKind, cause);
        refused.push(...ofKind);
      }
    }
    return { delivered, refused };
  }

  /** Waits for what is being sent; for a clean stop. */
  async drained(): Promise<void> {
    await Promise.allSettled(this.inFlight);
  }
}
