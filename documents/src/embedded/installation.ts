import {
  DOCSVC,
  DOCSVC_TEMPORAL,
  documentsEnvironment,
  DocumentsPrograms,
} from '../../../src/embedded/documents-service.js';
import { choosePorts } from '../../../src/embedded/ports.js';
import { EmbeddedPostgres } from '../../../src/embedded/postgres.js';
import { isUnset } from '../../../src/embedded/service-environment.js';
import { StartLock } from '../../../src/embedded/start-lock.js';
import { StartRefused } from '../../../src/embedded/start-refused.js';
import { StateLock } from '../../../src/embedded/state-lock.js';
import { Supervisor } from '../../../src/embedded/supervisor.js';
import { EmbeddedTemporal, startTemporal } from '../../../src/embedded/temporal.js';
import { provideTemporalBinary } from '../../../src/embedded/temporal-binary.js';
import { OrdinaryUser } from '../../../src/embedded/user-namespace.js';
import { configWarnings, loadConfig, NO_SEAL_KEY, publicUrl, type DocsvcConfig } from '../platform/config/index.js';
import { openDocsvcFolder, type DocsvcFolder } from './state-folder.js';

/** Of whoever starts an installation, for what it throws. */
export { StartRefused };

export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** A line for the terminal: progress, restarts, warnings. */
  notify(line: string): void;
  /** Aborts the start: what was started so far is stopped at once. */
  readonly signal?: AbortSignal;
}

/** Tried first, so that a machine with one installation has the addresses that the documentation names. */
const USUAL_PORTS = { api: 8790, temporal: 7233, temporalWeb: 8233 };

type Ports = typeof USUAL_PORTS;

interface TemporalAddresses {
  temporalAddress: string | null;
  temporalWebUrl: string | null;
}

/**
 * One running documents service on one machine: PostgreSQL, Temporal, API and worker under one supervisor. Configured stores replace
 * embedded ones, one by one.
 */
export class DocsvcInstallation {
  private readonly supervisor: Supervisor;
  private readonly programs = new DocumentsPrograms();
  private stopped: Promise<void> | undefined;
  private ordinaryUser: OrdinaryUser | undefined;
  url = '';
  temporalAddress = '';
  temporalWebUrl: string | null = null;

  private constructor(
    private readonly options: StartOptions,
    private readonly config: DocsvcConfig,
    readonly folder: DocsvcFolder,
    private readonly lock: StateLock,
  ) {
    this.supervisor = new Supervisor(folder.logs, (line) => options.notify(line));
  }

  /** Starts everything; what was started is stopped again when a part fails. Throws `ConfigError` or `StartRefused`. */
  static async start(options: StartOptions): Promise<DocsvcInstallation> {
    const config = loadConfig(options.env);
    for (const warning of configWarnings(config, options.env)) {
      if (warning !== NO_SEAL_KEY) options.notify(`warning: ${warning}`);
    }
    const folder = openDocsvcFolder(config.data.dir);
    const lock = StateLock.acquire(folder.lock, 'the documents service');
    const installation = new DocsvcInstallation(options, config, folder, lock);
    const giveUp = () => void installation.stop();
    options.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await installation.launch();
      return installation;
    } catch (error) {
      await installation.stop();
      throw options.signal?.aborted === true ? new StartRefused('the start was interrupted') : error;
    } finally {
      options.signal?.removeEventListener('abort', giveUp);
    }
  }

  get embeddedPostgres(): boolean {
    return this.config.database.url === null;
  }

  /** Pids of the parts that live now; each leads a process group of its own. */
  get pids(): Partial<Record<string, number>> {
    return this.supervisor.pids;
  }

  /** Ends every part within two seconds. */
  stop(): Promise<void> {
    this.stopped ??= this.supervisor.end().then(() => this.lock.release());
    return this.stopped;
  }

  private async launch(): Promise<void> {
    // Neither takes a port, and fetching the program takes longer than other starts wait for the lock.
    const [databaseUrl, program] = await Promise.all([this.launchPostgres(), this.provideTemporal()]);
    using _lock = await StartLock.take(this.options.signal);
    const ports = await this.choosePorts();
    const addresses = await this.launchTemporal(ports, program);
    const bind = this.options.env['DOCSVC_BIND'] || `127.0.0.1:${ports.api}`;
    const env = documentsEnvironment(this.options.env, { dir: this.folder.dir, bind, databaseUrl, ...addresses });
    await this.programs.prepare(env);
    await this.launchServices(env);
    this.lock.describe({
      url: this.url,
      temporalAddress: this.temporalAddress,
      temporalWebUrl: this.temporalWebUrl ?? undefined,
      clientFile: this.folder.firstClient,
      postgresSocketDir: this.embeddedPostgres ? this.folder.postgresSocketDir : undefined,
    });
  }

  /** Null when the database is configured. */
  private async launchPostgres(): Promise<string | null> {
    if (!this.embeddedPostgres) return null;
    const postgres = new EmbeddedPostgres(this.folder, this.user, { owner: DOCSVC, guests: [] });
    await postgres.initialize();
    await this.supervisor.launch('store', postgres.part(this.supervisor.shared));
    return postgres.url;
  }

  /** Null when a configured server is used. */
  private async provideTemporal(): Promise<string | null> {
    if (!isTemporalEmbedded(this.options.env)) return null;
    return provideTemporalBinary(this.config.temporal.binary, (line) => this.options.notify(line), {
      binary: 'DOCSVC_TEMPORAL_BIN',
      address: 'DOCSVC_TEMPORAL_ADDRESS',
    });
  }

  private async launchTemporal(ports: Ports, program: string | null): Promise<TemporalAddresses> {
    if (program === null) return { temporalAddress: null, temporalWebUrl: null };
    const temporal = await startTemporal(
      ports,
      () => this.choosePorts(),
      (chosen) => new EmbeddedTemporal(program, this.folder, chosen, this.user, DOCSVC_TEMPORAL),
      (one) => this.supervisor.launch('store', one.part(this.supervisor.shared)),
      () => this.supervisor.isGivenUp,
    );
    return { temporalAddress: temporal.address, temporalWebUrl: temporal.webUrl };
  }

  private async launchServices(env: NodeJS.ProcessEnv): Promise<void> {
    const { http, temporal } = loadConfig(env);
    this.url = publicUrl({ publicUrl: null, bind: http.bind });
    this.temporalAddress = temporal.address;
    this.temporalWebUrl = temporal.webUrl;
    await Promise.all([
      this.supervisor.launch('service', this.programs.api(this.supervisor.shared, env, this.url)),
      this.supervisor.launch('service', this.programs.worker(this.supervisor.shared, env, temporal)),
    ]);
  }

  private choosePorts(): Promise<Ports> {
    return choosePorts(this.folder.ports, USUAL_PORTS);
  }

  /** Made when a store needs it: an installation with both stores configured needs no namespace. */
  private get user(): OrdinaryUser {
    this.ordinaryUser ??= new OrdinaryUser(this.folder.postgresSocketDir);
    return this.ordinaryUser;
  }
}

/** Whether nothing names a Temporal server. */
function isTemporalEmbedded(env: NodeJS.ProcessEnv): boolean {
  const names = ['DOCSVC_TEMPORAL_ADDRESS', 'TEMPORAL_ADDRESS', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_PROFILE'];
  return names.every((name) => isUnset(env, name));
}
