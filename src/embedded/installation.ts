import { configWarnings, loadConfig } from '../platform/config/index.js';
import type { SandgateConfig } from '../platform/config/index.js';
import { generateSecrets, readSecret } from './generated-secrets.js';
import { OrphanGuard } from './orphan-guard.js';
import { choosePorts } from './ports.js';
import type { Ports } from './ports.js';
import { EmbeddedPostgres } from './postgres.js';
import { isUnset, serviceEnvironment } from './service-environment.js';
import { apiPart, migrateDatabase, workerPart } from './service-parts.js';
import { StartRefused } from './start-refused.js';
import { StartLock } from './start-lock.js';
import { StateLock } from './state-lock.js';
import { openStateFolder } from './state-folder.js';
import type { StateFolder } from './state-folder.js';
import { drain, killRuns } from './stop-modes.js';
import { SERVICES_GRACE_MS, STORES_GRACE_MS } from './stop-times.js';
import type { StopMode } from './stop-modes.js';
import { SupervisedProcess } from './supervised-process.js';
import { EmbeddedTemporal } from './temporal.js';
import { OrdinaryUser } from './user-namespace.js';
import { provideTemporalBinary } from './temporal-binary.js';

export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** A line for the terminal: progress, restarts, warnings. */
  notify(line: string): void;
  /** Aborts the start: what was started so far is stopped at once. */
  readonly signal?: AbortSignal;
}

/** Temporal is started with other ports this often when one was taken meanwhile. */
const PORT_ATTEMPTS = 3;

/**
 * One running Sandgate on one machine: PostgreSQL, Temporal, API and worker under one supervisor (docs/design/workflows.md).
 * Configured parts replace embedded ones, one by one.
 */
export class Installation {
  private readonly services: SupervisedProcess[] = [];
  private readonly stores: SupervisedProcess[] = [];
  private readonly guard = new OrphanGuard();
  private readonly config: SandgateConfig;
  private stopped: Promise<void> | undefined;
  private ordinaryUser: OrdinaryUser | undefined;
  url = '';
  temporalAddress = '';
  temporalWebUrl: string | undefined;

  private constructor(
    private readonly options: StartOptions,
    readonly folder: StateFolder,
    private readonly lock: StateLock,
  ) {
    this.config = loadConfig(options.env);
  }

  /** Starts everything; what was started is stopped again when a part fails. Throws `ConfigError` or `StartRefused`. */
  static async start(options: StartOptions): Promise<Installation> {
    const config = loadConfig(options.env);
    for (const warning of configWarnings(config, options.env)) {
      if (!warning.startsWith('no sealing key')) options.notify(`warning: ${warning}`);
    }
    const folder = openStateFolder(config.data.dir);
    const lock = StateLock.acquire(folder.lock);
    const installation = new Installation(options, folder, lock);
    const giveUp = () => void installation.stop('leave');
    options.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await installation.launch();
      return installation;
    } catch (error) {
      await installation.stop('leave');
      throw options.signal?.aborted === true ? new StartRefused('the start was interrupted') : error;
    } finally {
      options.signal?.removeEventListener('abort', giveUp);
    }
  }

  get adminTokenFile(): string | undefined {
    return this.config.auth.adminToken === null ? this.folder.adminToken : undefined;
  }

  get adminToken(): string {
    return this.config.auth.adminToken ?? readSecret(this.folder.adminToken);
  }

  get embeddedPostgres(): boolean {
    return this.config.database.url === null;
  }

  get embeddedTemporal(): boolean {
    return isTemporalEmbedded(this.options.env);
  }

  /** Pids of the parts that live now; each leads a process group of its own. */
  get pids(): Partial<Record<string, number>> {
    return Object.fromEntries([...this.services, ...this.stores].map((part) => [part.name, part.pid]));
  }

  /** Ends every part within two seconds (mode `leave`). Sandboxes live on and are found again by the next start. */
  stop(mode: StopMode, signal: AbortSignal = new AbortController().signal): Promise<void> {
    this.stopped ??= this.stopParts(mode, signal);
    return this.stopped;
  }

  private async launch(): Promise<void> {
    generateSecrets(this.folder);
    // Neither takes a port, and fetching the program takes longer than other starts wait for the lock.
    const [databaseUrl, program] = await Promise.all([this.launchPostgres(), this.provideTemporal()]);
    using _lock = await StartLock.take(this.options.signal);
    const ports = await choosePorts(this.folder.ports);
    const [temporal] = await Promise.all([
      this.launchTemporal(ports, program),
      migrateDatabase({ ...this.options.env, DATABASE_URL: databaseUrl }),
    ]);
    const embedded = { databaseUrl, ...temporal, bind: this.bind(ports) };
    await this.launchServices(serviceEnvironment(this.options.env, this.config, this.folder, embedded));
    this.lock.describe({
      url: this.url,
      temporalAddress: this.temporalAddress,
      temporalWebUrl: this.temporalWebUrl,
      ...(this.adminTokenFile === undefined ? {} : { adminTokenFile: this.adminTokenFile }),
      postgresSocketDir: this.embeddedPostgres ? this.folder.postgresSocketDir : undefined,
    });
  }

  private async launchPostgres(): Promise<string> {
    if (this.config.database.url !== null) return this.config.database.url;
    const postgres = new EmbeddedPostgres(this.folder, this.user);
    await postgres.initialize();
    await this.launchPart(this.stores, postgres.part(this.shared()));
    return postgres.url;
  }

  /** Null when a configured server is used. */
  private async provideTemporal(): Promise<string | null> {
    if (!this.embeddedTemporal) return null;
    return provideTemporalBinary(this.config.temporal.binary, (line) => this.options.notify(line));
  }

  private async launchTemporal(
    ports: Ports,
    program: string | null,
  ): Promise<{ temporalAddress: string | null; temporalWebUrl: string | null }> {
    if (program === null) return { temporalAddress: null, temporalWebUrl: null };
    let chosen = ports;
    for (let attempt = 1; ; attempt += 1) {
      const temporal = new EmbeddedTemporal(program, this.folder, chosen, this.user);
      try {
        await this.launchPart(this.stores, temporal.part(this.shared()));
        return { temporalAddress: temporal.address, temporalWebUrl: temporal.webUrl };
      } catch (error) {
        // A port can be taken between its choice and the moment at which the server binds it; then others are chosen.
        if (attempt === PORT_ATTEMPTS || this.stopped !== undefined) throw error;
        chosen = await choosePorts(this.folder.ports);
      }
    }
  }

  private async launchServices(env: NodeJS.ProcessEnv): Promise<void> {
    const complete = loadConfig(env);
    const { host, port } = complete.http.bind;
    const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    this.url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
    this.temporalAddress = complete.temporal.address;
    this.temporalWebUrl = complete.temporal.webUrl ?? undefined;
    await Promise.all([
      this.launchPart(this.services, apiPart(this.shared(), env, this.url, this.adminToken)),
      this.launchPart(this.services, workerPart(this.shared(), env, complete.temporal)),
    ]);
  }

  private async launchPart(
    list: SupervisedProcess[],
    part: ConstructorParameters<typeof SupervisedProcess>[0],
  ): Promise<void> {
    if (this.stopped !== undefined) throw new StartRefused(`${part.name} was not started: the start was given up`);
    const supervised = new SupervisedProcess(part);
    list.push(supervised);
    await supervised.start();
  }

  /** Made when a store needs it: an installation with both parts configured needs no namespace. */
  private get user(): OrdinaryUser {
    this.ordinaryUser ??= new OrdinaryUser(this.folder.postgresSocketDir);
    return this.ordinaryUser;
  }

  private bind(ports: Ports): string {
    return this.options.env['SERVICE_BIND'] || `127.0.0.1:${ports.api}`;
  }

  private shared() {
    return { logs: this.folder.logs, guard: this.guard, notify: (line: string) => this.options.notify(line) };
  }

  private async stopParts(mode: StopMode, signal: AbortSignal): Promise<void> {
    try {
      await this.settleRuns(mode, signal);
    } catch (error) {
      this.options.notify(`live runs were left as they are: ${error instanceof Error ? error.message : String(error)}`);
    }
    await this.endAll(this.services, SERVICES_GRACE_MS);
    await this.endAll(this.stores, STORES_GRACE_MS);
    this.guard.dismiss();
    this.lock.release();
  }

  /** A part that cannot be stopped in an orderly way must not keep the others running. */
  private async endAll(parts: readonly SupervisedProcess[], graceMs: number): Promise<void> {
    const results = await Promise.allSettled(parts.map((part) => part.stop(graceMs)));
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') continue;
      this.options.notify(
        `${result.reason instanceof Error ? result.reason.message : String(result.reason)}; killing it`,
      );
      parts[index]?.kill();
    }
  }

  private async settleRuns(mode: StopMode, signal: AbortSignal): Promise<void> {
    if (mode === 'leave' || this.url === '') return;
    const api = { url: this.url, adminToken: this.adminToken };
    const settle = mode === 'drain' ? drain : killRuns;
    await settle(api, (line) => this.options.notify(line), signal);
  }
}

/** Whether nothing in the standard client environment names a Temporal server. */
function isTemporalEmbedded(env: NodeJS.ProcessEnv): boolean {
  return ['TEMPORAL_ADDRESS', 'TEMPORAL_CONFIG_FILE', 'TEMPORAL_PROFILE'].every((name) => isUnset(env, name));
}
