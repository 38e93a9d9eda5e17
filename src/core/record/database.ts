import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';
import { SANDGATE } from '../../platform/postgres/database-product.js';
import { Postgres, type OrganizationTransaction, type PostgresOptions } from '../../platform/postgres/postgres.js';
import { appendAlone, appendEvents } from '../ledger/append-events.js';
import { insertOutbox, type OutboxDispatcher, type OutboxRow } from './outbox.js';
import type { OutboxKind } from '../../domain/run/outbox-kind.js';
import type { RecordObserver } from './record-observer.js';
import { StatementBatches } from './statement-batches.js';
import { LedgerWakeups } from './wakeups.js';

/** One transaction of one organization, and what its commit makes known. */
export interface TenantTransaction extends OrganizationTransaction {
  /**
   * Appends to a run's ledger: redacts, normalises, digests, then one SQL call that locks the run's head row.
   *
   * @returns the sequence numbers, in order
   * @throws SandgateError `not_found` when the organization has no such run
   */
  append(runId: string, events: NewEvent[]): Promise<number[]>;
  /**
   * Leaves a wake-up for the workflow of a run, or of the stored webhook whose kind it is; handed to the dispatcher after commit, re-sent by the
   * relay if that is lost.
   */
  enqueue(subjectId: string, kind: OutboxKind): Promise<void>;
  /** After commit, wakes whoever follows the run's ledger, or waits for one of its approvals (also in the organization's inbox). */
  wake(runId: string, what: 'ledger' | 'approval'): void;
  /** After commit, hands an outbox row that a SQL function wrote to the dispatcher. */
  handOver(row: OutboxRow): void;
  /** After commit, tells the metrics what was put on the record; `append` does so by itself. */
  tell(what: (observer: RecordObserver) => void): void;
}

/** The process's way into PostgreSQL, as the runtime role that row-level isolation binds. */
export class Database {
  /** Hot-path calls of runs, which share round trips under load. */
  readonly calls: StatementBatches;
  /** Set by the process that can reach the driver; without it outbox rows wait for the relay. */
  outbox: OutboxDispatcher | null = null;
  /** Set by the process that is measured. */
  observer: RecordObserver | null = null;

  readonly pool: pg.Pool;

  private constructor(
    private readonly postgres: Postgres,
    readonly wakeups: LedgerWakeups,
  ) {
    this.pool = postgres.pool;
    this.calls = new StatementBatches(postgres.pool);
  }

  static async connect(options: PostgresOptions): Promise<Database> {
    const postgres = await Postgres.connect(options, SANDGATE);
    return new Database(postgres, new LedgerWakeups(options.url, postgres.pool, options.applicationName));
  }

  /**
   * Runs `work` in a transaction of the organization. Commits when it resolves, rolls back when it rejects; after commit
   * publishes wake-ups and hands outbox rows over. No network call belongs inside.
   */
  async withTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const left = new LeftBehind();
    const result = await this.postgres.withTenant(organizationId, (tx) => work(new RecordTransaction(tx, left)));
    this.publish(organizationId, left);
    return result;
  }

  /**
   * Appends to a run's ledger in one round trip, for writers with nothing else to commit.
   *
   * @throws SandgateError `not_found` when the organization has no such run
   */
  async append(organizationId: string, runId: string, events: NewEvent[]): Promise<number[]> {
    const seqs = await translateDatabaseErrors(() => appendAlone(this.pool, organizationId, runId, events));
    this.wakeups.publish(runId);
    this.observer?.appended(events);
    return seqs;
  }

  /** Publishes what a committed hot-path call changed. */
  announce(change: { ledger?: string; inbox?: string; outbox?: OutboxRow[] }): void {
    if (change.ledger !== undefined) this.wakeups.publish(change.ledger);
    if (change.inbox !== undefined) this.wakeups.publishInbox(change.inbox);
    const rows = change.outbox ?? [];
    if (rows.length > 0) this.handOver(rows);
  }

  async close(): Promise<void> {
    await this.wakeups.close();
    await this.postgres.close();
  }

  private publish(organizationId: string, left: LeftBehind): void {
    for (const runId of left.ledgers) this.wakeups.publish(runId);
    for (const runId of left.approvals) this.wakeups.publishApproval(runId);
    if (left.approvals.size > 0) this.wakeups.publishInbox(organizationId);
    if (left.rows.length > 0) this.handOver(left.rows);
    if (this.observer !== null) for (const tell of left.told) tell(this.observer);
  }

  private handOver(rows: OutboxRow[]): void {
    this.outbox?.dispatch(rows);
  }
}

/** What a transaction leaves to be made known after its commit. */
class LeftBehind {
  readonly ledgers = new Set<string>();
  readonly approvals = new Set<string>();
  readonly rows: OutboxRow[] = [];
  readonly told: ((observer: RecordObserver) => void)[] = [];
}

class RecordTransaction implements TenantTransaction {
  constructor(
    private readonly tx: OrganizationTransaction,
    private readonly left: LeftBehind,
  ) {}

  get organizationId(): string {
    return this.tx.organizationId;
  }

  get manager(): EntityManager {
    return this.tx.manager;
  }

  query<R extends object>(sql: string, params: unknown[] = []): Promise<R[]> {
    return this.tx.query<R>(sql, params);
  }

  async append(runId: string, events: NewEvent[]): Promise<number[]> {
    if (events.length === 0) return [];
    const seqs = await appendEvents(this, runId, events);
    this.left.ledgers.add(runId);
    this.tell((observer) => observer.appended(events));
    return seqs;
  }

  async enqueue(subjectId: string, kind: OutboxKind): Promise<void> {
    this.left.rows.push(await insertOutbox(this, subjectId, kind));
  }

  wake(runId: string, what: 'ledger' | 'approval'): void {
    (what === 'ledger' ? this.left.ledgers : this.left.approvals).add(runId);
  }

  handOver(row: OutboxRow): void {
    this.left.rows.push(row);
  }

  tell(what: (observer: RecordObserver) => void): void {
    this.left.told.push(what);
  }
}
