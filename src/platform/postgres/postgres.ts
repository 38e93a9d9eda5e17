import type pg from 'pg';
import {
  DataSource,
  getMetadataArgsStorage,
  QueryRunnerAlreadyReleasedError,
  type EntityManager,
  type QueryRunner,
} from 'typeorm';
import { isUuid } from '../../domain/uuid.js';
import { databaseAway, translateDatabaseErrors } from './database-errors.js';
import type { DatabaseProduct } from './database-product.js';
import { surviveLoss } from './one-off.js';
import { rollBack } from './roll-back.js';

export interface PostgresOptions {
  url: string;
  poolSize: number;
  applicationName: string;
}

/** Settings of every pooled connection beside the runtime role: bounds so that nothing waits for ever, and a log without parameters. */
const SESSION_SETTINGS = {
  jit: 'off',
  statement_timeout: '30000',
  lock_timeout: '10000',
  idle_in_transaction_session_timeout: '60000',
  // The one setting of what PostgreSQL logs of a failed statement that an ordinary role may set (docs/operations.md).
  log_parameter_max_length_on_error: '0',
};

/** A new connection compiles every function anew that it calls; the pool's ten seconds would make that the rule where little happens. */
const IDLE_TIMEOUT_MS = 300_000;

/** One transaction of one organization: row-level isolation shows and accepts only its rows. */
export interface OrganizationTransaction {
  readonly organizationId: string;
  readonly manager: EntityManager;
  query<R extends object>(sql: string, params?: unknown[]): Promise<R[]>;
}

/** Runs work in transactions of an organization, for readers that change nothing. */
export interface OrganizationTransactions {
  withTenant<T>(organizationId: string, work: (tx: OrganizationTransaction) => Promise<T>): Promise<T>;
}

/** A pool of connections to PostgreSQL, as the runtime role that row-level isolation binds. */
export class Postgres implements OrganizationTransactions {
  private constructor(
    private readonly dataSource: DataSource,
    readonly pool: pg.Pool,
    private readonly product: Pick<DatabaseProduct, 'organizationSetting'>,
  ) {}

  static async connect(
    options: PostgresOptions,
    product: Pick<DatabaseProduct, 'organizationSetting' | 'roles'>,
  ): Promise<Postgres> {
    const dataSource = new DataSource({
      type: 'postgres',
      url: options.url,
      applicationName: options.applicationName,
      poolSize: options.poolSize,
      connectTimeoutMS: 10_000,
      // Every class with `@Entity` that the process has loaded, so that no list of them has to be kept.
      entities: getMetadataArgsStorage().tables.map(({ target }) => target),
      extra: {
        idleTimeoutMillis: IDLE_TIMEOUT_MS,
        onConnect: surviveLoss,
        options: Object.entries({ role: product.roles[0], ...SESSION_SETTINGS })
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(' '),
      },
    });
    await dataSource.initialize();
    const { master } = dataSource.driver as unknown as { master: pg.Pool };
    return new Postgres(dataSource, master, product);
  }

  /** Commits when `work` resolves, rolls back when it rejects. No network call belongs inside. */
  async withTenant<T>(organizationId: string, work: (tx: OrganizationTransaction) => Promise<T>): Promise<T> {
    if (!isUuid(organizationId)) throw new TypeError('withTenant needs the id of an organization');
    const runner = this.dataSource.createQueryRunner();
    try {
      return await translateDatabaseErrors(async () => {
        await runner.startTransaction();
        try {
          await runner.query('select set_config($1, $2, true)', [this.product.organizationSetting, organizationId]);
          const result = await work(new OpenTransaction(organizationId, runner));
          await runner.commitTransaction();
          return result;
        } catch (error) {
          await rollBack(runner);
          // What TypeORM says of a connection that broke, and which it has let go of.
          throw runner.isReleased && error instanceof QueryRunnerAlreadyReleasedError ? databaseAway(error) : error;
        }
      });
    } finally {
      await runner.release();
    }
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
  }
}

class OpenTransaction implements OrganizationTransaction {
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
}
