import type pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { isUuid } from '../../domain/uuid.js';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';
import { appendAlone, appendEvents } from '../ledger/append-events.js';
import { insertOutbox, type OutboxDispatcher, type OutboxKind, type OutboxRow } from './outbox.js';
import type { RecordObserver } from './record-observer.js';
import { RunCalls } from './run-calls.js';
import { LedgerWakeups } from './wakeups.js';

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  /** TypeORM entities of the process. */
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type
  entities?: Function[];
  applicationName: string;
}

/** Settings of every pooled connection: the runtime role, bounds so that nothing waits for ever, and a log without parameters. */
const SESSION_SETTINGS = {
  role: 'sandgate_app',
  jit: 'off',
  statement_timeout: '30000',
  lock_timeout: '10000',
  idle_in_transaction_session_timeout: '60000',
  // The one setting of what PostgreSQL logs of a failed statement that an ordinary role may set (docs/operations.md).
  log_parameter_max_length_on_error: '0',
};

/** One transaction of one organization: row-level isolation shows and accepts only its rows (00-design §4). */
export interface TenantTransaction {
  readonly organizationId: string;
  readonly manager: EntityManager;
  query<R extends object>(sql: string, params?: unknown[]): Promise<R[]>;
  /**
   * Appends to a run's ledger: redacts, normalises, digests, then one SQL call that locks the run's head row.
   *
   * @returns the sequence numbers, in order
   * @throws SandgateError `not_found` when the organization has no such run
   */
  append(sessionId: string, events: NewEvent[]): Promise<number[]>;
  /** Leaves a wake-up for the run's workflow; handed to the dispatcher after commit, re-sent by the relay if that is lost. */
  enqueue(sessionId: string, kind: OutboxKind): Promise<void>;
  /** After commit, wakes whoever follows the run's ledger, or waits for one of its approvals (also in the organization's inbox). */
  wake(sessionId: string, what: 'ledger' | 'approval'): void;
  /** After commit, hands an outbox row that a SQL function wrote to the dispatcher. */
  handOver(row: OutboxRow): void;
  /** After commit, tells whoever measures this process what it put on the record; `append` does so by itself. */
  tell(what: (observer: RecordObserver) => void): void;
}

/** The process's way into PostgreSQL, as the runtime role that row-level isolation binds. */
export class Database {
  /** Hot-path calls of runs, which share round trips under load. */
  readonly calls: RunCalls;
  /** Set by the process that can reach the driver; without it outbox rows wait for the relay. */
  outbox: OutboxDispatcher | null = null;
  /** Set by the process that is measured. */
  observer: RecordObserver | null = null;

  private constructor(
    readonly dataSource: DataSource,
    readonly pool: pg.Pool,
    readonly wakeups: LedgerWakeups,
  ) {
    this.calls = new RunCalls(pool);
  }

  static async connect(options: DatabaseOptions): Promise<Database> {
    const dataSource = new DataSource({
      type: 'postgres',
      url: options.url,
      applicationName: options.applicationName,
      poolSize: options.poolSize,
      connectTimeoutMS: 10_000,
      entities: options.entities ?? [],
      extra: {
        options: Object.entries(SESSION_SETTINGS)
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(' '),
      },
    });
    await dataSource.initialize();
    const { master } = dataSource.driver as unknown as { master: pg.Pool };
    return new Database(dataSource, master, new LedgerWakeups(options.url, master, options.applicationName));
  }

  /**
   * Runs `work` in a transaction of the organization. Commits when it resolves, rolls back when it rejects; after commit
   * publishes wake-ups and hands outbox rows over. No network call belongs inside.
   */
  async withTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    if (!isUuid(organizationId)) throw new TypeError('withTenant needs the id of an organization');
    const runner = this.dataSource.createQueryRunner();
    const tx = new OpenTransaction(organizationId, runner);
    try {
      return await translateDatabaseErrors(async () => {
        await runner.startTransaction();
        try {
          await runner.query(`select set_config('svc.tenant', $1, true)`, [organizationId]);
          const result = await work(tx);
          await runner.commitTransaction();
          this.publish(tx);
          return result;
        } catch (error) {
          if (runner.isTransactionActive) await runner.rollbackTransaction();
          throw error;
        }
      });
    } finally {
      await runner.release();
    }
  }

  /**
   * Appends to a run's ledger in one round trip, for writers with nothing else to commit.
   *
   * @throws SandgateError `not_found` when the organization has no such run
   */
  async append(organizationId: string, sessionId: string, events: NewEvent[]): Promise<number[]> {
    const seqs = await translateDatabaseErrors(() => appendAlone(this.pool, organizationId, sessionId, events));
    this.wakeups.publish(sessionId);
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
    await this.dataSource.destroy();
  }

  private publish(tx: OpenTransaction): void {
    for (const sessionId of tx.ledgers) this.wakeups.publish(sessionId);
    for (const sessionId of tx.approvals) this.wakeups.publishApproval(sessionId);
    if (tx.approvals.size > 0) this.wakeups.publishInbox(tx.organizationId);
    if (tx.rows.length > 0) this.handOver(tx.rows);
    if (this.observer !== null) for (const tell of tx.told) tell(this.observer);
  }

  private handOver(rows: OutboxRow[]): void {
    this.outbox?.dispatch(rows);
  }
}

class OpenTransaction implements TenantTransaction {
  readonly ledgers = new Set<string>();
  readonly approvals = new Set<string>();
  readonly rows: OutboxRow[] = [];
  readonly told: ((observer: RecordObserver) => void)[] = [];

  constructor(
    readonly organizationId: string,
    private readonly runner: QueryRunner,
  ) {}

  get manager(): EntityManager {
    return this.runner.manager;
  }

  /** Rows of the statement; TypeORM answers `[rows, count]` for update and delete. */
  async query<R extends object>(sql: string, params: unknown[] = []): Promise<R[]> {
    const result = await this.runner.query(sql, params, true);
    return (result.records as R[] | undefined) ?? [];
  }

  async append(sessionId: string, events: NewEvent[]): Promise<number[]> {
    if (events.length === 0) return [];
    const seqs = await appendEvents(this, sessionId, events);
    this.ledgers.add(sessionId);
    this.tell((observer) => observer.appended(events));
    return seqs;
  }

  async enqueue(sessionId: string, kind: OutboxKind): Promise<void> {
    this.rows.push(await insertOutbox(this, sessionId, kind));
  }

  wake(sessionId: string, what: 'ledger' | 'approval'): void {
    (what === 'ledger' ? this.ledgers : this.approvals).add(sessionId);
  }

  handOver(row: OutboxRow): void {
    this.rows.push(row);
  }

  tell(what: (observer: RecordObserver) => void): void {
    this.told.push(what);
  }
}
