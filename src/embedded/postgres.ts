import { execFile } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureDatabase, ensureGuest } from '../platform/postgres/one-off.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { killPostgresLeftovers, postmasterPid } from './postgres-processes.js';
import type { StateFolder } from './state-folder.js';
import type { Launch, PartDefinition } from './supervised-process.js';
import type { OrdinaryUser } from './user-namespace.js';

/** Who is in a cluster. Each name is that of a login and of the database that it owns. */
export interface ClusterNames {
  /** The administrator of the cluster. */
  readonly owner: string;
  /** Others, who have power over their own database alone. */
  readonly guests: readonly string[];
}

const OF_SANDGATE: ClusterNames = { owner: 'sandgate', guests: [] };
const INITDB_TIMEOUT_MS = 120_000;
/** Recovery after a crash replays the log first. */
const READY_TIMEOUT_MS = 120_000;

/** Where the parts of a cluster lie. */
type PostgresFolder = Pick<StateFolder, 'dir' | 'postgresData' | 'postgresSocketDir'>;

/** Address of a database of the installation for whoever may enter its state folder. */
export function embeddedDatabaseUrl(
  folder: Pick<StateFolder, 'postgresSocketDir'>,
  name: string = OF_SANDGATE.owner,
): string {
  return `postgres://${name}@/${name}?host=${encodeURIComponent(folder.postgresSocketDir)}`;
}

/**
 * The PostgreSQL of the installation. It listens on a unix socket inside the 0700 state folder only, so whoever reaches it is the
 * user who runs it, and it trusts them. Durability settings are PostgreSQL's own: `fsync` and `synchronous_commit` are on.
 */
export class EmbeddedPostgres {
  private readonly binaries: PostgresBinaries;

  constructor(
    private readonly folder: PostgresFolder,
    private readonly user: OrdinaryUser,
    private readonly names: ClusterNames = OF_SANDGATE,
  ) {
    this.binaries = findPostgresBinaries();
  }

  get url(): string {
    return embeddedDatabaseUrl(this.folder, this.names.owner);
  }

  /** Makes the cluster on the first start: in a draft folder that is renamed when complete, so that a crash leaves no half cluster. */
  async initialize(): Promise<void> {
    const { postgresData } = this.folder;
    if (existsSync(join(postgresData, 'PG_VERSION'))) return;
    const draft = `${postgresData}.new`;
    rmSync(draft, { recursive: true, force: true });
    const argv = this.user.command([
      this.binaries.initdb,
      ...[
        '-D',
        draft,
        '-U',
        this.names.owner,
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C.UTF-8',
        '--no-instructions',
      ],
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
      ...this.entrances().flatMap((setting) => ['-c', setting]),
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

  private async ensureDatabase(): Promise<void> {
    const { owner, guests } = this.names;
    const host = this.folder.postgresSocketDir;
    const administrator = { host, user: owner, database: 'postgres', connectionTimeoutMillis: 5000 };
    await ensureDatabase(administrator, owner);
    for (const guest of guests) await ensureGuest(administrator, guest, owner);
  }

  /**
   * Who may enter which database, where several products share the cluster: each its own and no other one, the administrator's product
   * included, whom privileges alone would not keep out.
   */
  private entrances(): string[] {
    const { owner, guests } = this.names;
    if (guests.length === 0) return [];
    const path = join(this.folder.dir, 'pg_hba.conf');
    const lines = [`local ${owner},postgres ${owner} trust`, ...guests.map((guest) => `local ${guest} ${guest} trust`)];
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
    return [`hba_file=${path}`];
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
