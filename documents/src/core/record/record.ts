import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import { SandgateError } from '../../../../src/domain/errors.js';
import { translateDatabaseErrors } from '../../../../src/platform/postgres/database-errors.js';
import {
  Postgres,
  type OrganizationTransaction,
  type PostgresOptions,
} from '../../../../src/platform/postgres/postgres.js';
import { DocsvcError } from '../../domain/errors.js';
import type { OutboxDispatcher } from './outbox.js';
import { DOCSVC } from '../../platform/postgres/docsvc-product.js';

/** One transaction of one organization, and what follows its commit. */
export interface RecordTransaction extends OrganizationTransaction {
  /**
   * Runs after the commit, in the order in which steps were added, and not at all when the transaction is rolled back. What must happen
   * for certain is a row of the transaction: a step is lost with its process, and one that fails is told and keeps no other one back.
   */
  afterCommit(step: () => void | Promise<void>): void;
  /** Takes wake-ups that were committed; null in a process that drives nothing. */
  readonly outbox: OutboxDispatcher | null;
}

/** The process's way into PostgreSQL, as the runtime role that row-level isolation binds. */
export class Record {
  /** Set by a process that wakes workflows. */
  outbox: OutboxDispatcher | null = null;

  private constructor(
    private readonly postgres: Postgres,
    /** Told of a step after a commit that failed. */
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  static async connect(options: PostgresOptions, onTrouble: (error: unknown) => void): Promise<Record> {
    return new Record(await Postgres.connect(options, DOCSVC), onTrouble);
  }

  get pool(): pg.Pool {
    return this.postgres.pool;
  }

  /**
   * Runs `work` in a transaction of the organization: commits when it resolves, rolls back when it rejects, then runs the steps that
   * `work` left. No network call belongs inside.
   *
   * @throws DocsvcError `unavailable` when the database cannot be reached, and what `work` throws
   */
  async inOrganization<T>(orgId: string, work: (tx: RecordTransaction) => Promise<T>): Promise<T> {
    const steps: (() => void | Promise<void>)[] = [];
    const result = await inOurWords(() =>
      this.postgres.withTenant(orgId, (tx) => work(new OpenRecordTransaction(tx, steps, this.outbox))),
    );
    for (const step of steps) await this.run(step);
    return result;
  }

  /**
   * Calls a function that works across organizations, outside of any one's transaction; for who an access token belongs to, sweeps
   * and relays.
   *
   * @throws DocsvcError `unavailable` when the database cannot be reached
   */
  query<R extends object>(sql: string, params: unknown[] = []): Promise<R[]> {
    return inOurWords(() => translateDatabaseErrors(async () => (await this.pool.query<R>(sql, params)).rows));
  }

  close(): Promise<void> {
    return this.postgres.close();
  }

  private async run(step: () => void | Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.onTrouble(error);
    }
  }
}

class OpenRecordTransaction implements RecordTransaction {
  constructor(
    private readonly tx: OrganizationTransaction,
    private readonly steps: (() => void | Promise<void>)[],
    readonly outbox: OutboxDispatcher | null,
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

  afterCommit(step: () => void | Promise<void>): void {
    this.steps.push(step);
  }
}

/** The adapter that both products use knows the control plane's errors. */
async function inOurWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SandgateError) || error.code !== 'unavailable') throw error;
    throw new DocsvcError('unavailable', `${error.message}; try again in a moment`, {
      cause: error,
      retryAfterSeconds: 2,
    });
  }
}
