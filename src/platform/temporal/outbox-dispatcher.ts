import type pg from 'pg';
import { deleteOutbox, type OutboxDispatcher, type OutboxRow } from '../db/outbox.js';
import type { RunDriver } from './run-driver.js';

/** What a process does with a wake-up that could not be sent; the relay sends it again. */
export type OnUndelivered = (rows: OutboxRow[], cause: unknown) => void;

/** Sends committed wake-ups to their workflows and deletes the rows that were delivered (00-design §2). */
export class TemporalOutboxDispatcher implements OutboxDispatcher {
  private readonly inFlight = new Set<Promise<void>>();

  constructor(
    private readonly driver: RunDriver,
    private readonly pool: pg.Pool,
    private readonly onUndelivered: OnUndelivered,
  ) {}

  dispatch(rows: OutboxRow[]): void {
    const sending = this.deliver(rows).catch((cause: unknown) => this.onUndelivered(rows, cause));
    this.inFlight.add(sending);
    void sending.finally(() => this.inFlight.delete(sending));
  }

  /** Sends the rows in their order, one wake-up per run and kind, and deletes them. */
  async deliver(rows: OutboxRow[]): Promise<void> {
    const sent = new Set<string>();
    for (const row of rows) {
      const key = `${row.sessionId} ${row.kind}`;
      if (!sent.has(key)) await this.driver.wake(row, row.kind);
      sent.add(key);
    }
    await deleteOutbox(
      this.pool,
      rows.map((row) => row.id),
    );
  }

  /** Waits for what is being sent; for a clean stop. */
  async drained(): Promise<void> {
    await Promise.allSettled(this.inFlight);
  }
}
