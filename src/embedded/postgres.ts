import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureDatabase } from '../platform/postgres/one-off.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { killPostgresLeftovers, postmasterPid } from './postgres-processes.js';
import type { StateFolder } from './state-folder.js';
import type { Launch, PartDefinition } from './supervised-process.js';
import type { OrdinaryUser } from './user-namespace.js';

const OWNER = 'sandgate';
const DATABASE = 'sandgate';
const INITDB_TIMEOUT_MS = 120_000;
/** Recovery after a crash replays the log first. */
const READY_TIMEOUT_MS = 120_000;

/** Address of the installation's database for whoever may enter its state folder. */
export function embeddedDatabaseUrl(folder: Pick<StateFolder, 'postgresSocketDir'>): string {
  return `postgres://${OWNER}@/${DATABASE}?host=${encodeURIComponent(folder.postgresSocketDir)}`;
}

/**
 * The PostgreSQL of the installation. It listens on a unix socket inside the 0700 state folder only, so whoever reaches it is the
 * user who runs it, and it trusts them. Durability settings are PostgreSQL's own: `fsync` and `synchronous_commit` are on.
 */
export class EmbeddedPostgres {
  private readonly binaries: PostgresBinaries;

  constructor(
    private readonly folder: StateFolder,
    private readonly user: OrdinaryUser,
  ) {
    this.binaries = findPostgresBinaries();
  }

  get url(): string {
    return embeddedDatabaseUrl(this.folder);
  }

  /** Makes the cluster on the first start: in a draft folder that is renamed when complete, so that a crash leaves no half cluster. */
  async initialize(): Promise<void> {
    const { postgresData } = this.folder;
    if (existsSync(join(postgresData, 'PG_VERSION'))) return;
    const draft = `${postgresData}.new`;
    rmSync(draft, { recursive: true, force: true });
    const argv = this.user.command([
      this.binaries.initdb,
      ...['-D', draft, '-U', OWNER, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions'],
    ]);
    await promisify(execFile)(argv[0], argv.slice(1), {
      env: plainEnvironment(),
      timeout: INITDB_TIMEOUT_MS,
      cwd: this.folder.dir,
    });
    writeFileSync(join(draft, 'postgresql.auto.conf'), SETTINGS, { mode: 0o600 });
    renameSync(draft, postgresData);
  }

  part(shared: Pick<PartDefinition, 'logs' | 'guard' | 'notify'>): PartDefinition {
    return {
      ...shared,
      name: 'postgres',
      stopSignal: 'SIGINT',
      prepare: () => killPostgresLeftovers(this.folder.postgresData, 10_000),
      launch: () => this.launch(),
      ready: (signal) => this.ready(signal),
      target: () => postmasterPid(this.folder.postgresData),
    };
  }

  private launch(): Launch {
    const { postgresData, postgresSocketDir } = this.folder;
    const argv = this.user.command([
      this.binaries.postgres,
      ...['-D', postgresData, '-k', postgresSocketDir, '-c', 'listen_addresses=', '-c', 'unix_socket_permissions=0700'],
      ...QUIET_LOG.flatMap((setting) => ['-c', setting]),
    ]);
    return { argv, env: plainEnvironment(), channel: false };
  }

  /** Serves when it answers; the database is made on the first occasion. */
  private async ready(signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    for (;;) {
      try {
        return await this.ensureDatabase();
      } catch (error) {
        if (signal.aborted || Date.now() > deadline) throw error;
        await delay(20, undefined, { signal });
      }
    }
  }

  private ensureDatabase(): Promise<void> {
    const { postgresSocketDir: host } = this.folder;
    return ensureDatabase({ host, user: OWNER, database: 'postgres', connectionTimeoutMillis: 5000 }, DATABASE);
  }
}

/**
 * The data of a failed statement stays out of the log (docs/operations.md): neither its parameters, nor the detail and
 * context of the error, which quote rows and pieces of JSON. On the command line, so that clusters of earlier versions have it.
 */
const QUIET_LOG = ['log_parameter_max_length=0', 'log_parameter_max_length_on_error=0', 'log_error_verbosity=terse'];

const SETTINGS = `max_connections = 200
timezone = 'UTC'
log_timezone = 'UTC'
`;

/** PostgreSQL and initdb read PG* variables and the locale; neither belongs to this installation. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' };
}
