import { RUN_SEARCH_ATTRIBUTES } from '../domain/run/search-attributes.js';
import { configWarnings, loadConfig } from '../platform/config/index.js';
import type { SandgateConfig } from '../platform/config/index.js';
import { generateSecrets, readSecret } from './generated-secrets.js';
import { DocumentsCompanion } from './documents-companion.js';
import { DOCSVC, DOCSVC_TEMPORAL, withoutDocuments } from './documents-service.js';
import { choosePorts, USUAL_PORTS, USUAL_PORTS_WITH_DOCUMENTS } from './ports.js';
import type { Ports } from './ports.js';
import { EmbeddedPostgres, embeddedDatabaseUrl } from './postgres.js';
import { isUnset, serviceEnvironment } from './service-environment.js';
import { apiPart, migrateDatabase, workerPart } from './service-parts.js';
import { StartRefused } from './start-refused.js';
import { StartLock } from './start-lock.js';
import { StateLock } from './state-lock.js';
import { openStateFolder } from './state-folder.js';
import type { StateFolder } from './state-folder.js';
import { drain, killRuns } from './stop-modes.js';
import type { StopMode } from './stop-modes.js';
import { Supervisor } from './supervisor.js';
import { EmbeddedTemporal, startTemporal, type TemporalContents } from './temporal.js';
import { OrdinaryUser } from './user-namespace.js';
import { provideTemporalBinary } from './temporal-binary.js';

export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** A line for the terminal: progress, restarts, warnings. */
  notify(line: string): void;
  /** Products that are started beside Sandgate, on its servers. */
  readonly with?: readonly 'documents'[];
  /** Aborts the start: what was started so far is stopped at once. */
  readonly signal?: AbortSignal;
}

/** What the driver of runs needs of its server. */
const CONTROL_PLANE: TemporalContents = { namespaces: [], searchAttributes: RUN_SEARCH_ATTRIBUTES };

/**
 * One running Sandgate on one machine: PostgreSQL, Temporal, API and worker under one supervisor (docs/design/workflows.md).
 * Configured parts replace embedded ones, one by one.
 */
export class Installation {
  private readonly supervisor: Supervisor;
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
    /** Null where nobody asked for it. */
    readonly documents: DocumentsCompanion | null,
  ) {
    this.config = loadConfig(options.env);
    this.supervisor = new Supervisor(folder.logs, (line) => options.notify(line));
  }

  /** Starts everything; what was started is stopped again when a part fails. Throws `ConfigError` or `StartRefused`. */
  static async start(options: StartOptions): Promise<Installation> {
    const config = loadConfig(options.env);
    for (const warning of configWarnings(config, options.env)) {
      if (!warning.startsWith('no sealing key')) options.notify(`warning: ${warning}`);
    }
    const folder = openStateFolder(config.data.dir);
    const documents = options.with?.includes('documents')
      ? new DocumentsCompanion(options.env, folder.dir, config.database.url === null)
      : null;
    const lock = StateLock.acquire(folder.lock);
    const installation = new Installation(options, folder, lock, documents);
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
    return this.supervisor.pids;
  }

  /** Ends every part within two seconds (mode `leave`). Sandboxes live on and are found again by the next start. */
  stop(mode: StopMode, signal: AbortSignal = new AbortController().signal): Promise<void> {
    this.supervisor.refuseMore();
    this.stopped ??= this.stopParts(mode, signal);
    return this.stopped;
  }

  private async launch(): Promise<void> {
    generateSecrets(this.folder);
    // Neither takes a port, and fetching the program takes longer than other starts wait for the lock.
    const [databaseUrl, program] = await Promise.all([this.launchPostgres(), this.provideTemporal()]);
    using _lock = await StartLock.take(this.options.signal);
    const ports = await this.choosePorts();
    const [temporal] = await Promise.all([
      this.launchTemporal(ports, program),
      migrateDatabase({ ...withoutDocuments(this.options.env), DATABASE_URL: databaseUrl }),
    ]);
    const embedded = { databaseUrl, ...temporal, bind: this.bind(ports) };
    const env = serviceEnvironment(withoutDocuments(this.options.env), this.config, this.folder, embedded);
    await Promise.all([this.launchServices(env), this.launchDocuments(temporal, ports)]);
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
    const postgres = new EmbeddedPostgres(this.folder, this.user, {
      owner: 'sandgate',
      guests: this.documents?.isGuest === true ? [DOCSVC] : [],
    });
    await postgres.initialize();
    await this.supervisor.launch('store', postgres.part(this.supervisor.shared));
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
    const temporal = await startTemporal(
      ports,
      () => this.choosePorts(),
      (chosen) => new EmbeddedTemporal(program, this.folder, chosen, this.user, this.temporalContents()),
      (one) => this.supervisor.launch('store', one.part(this.supervisor.shared)),
      () => this.supervisor.isGivenUp,
    );
    return { temporalAddress: temporal.address, temporalWebUrl: temporal.webUrl };
  }

  private async launchServices(env: NodeJS.ProcessEnv): Promise<void> {
    const complete = loadConfig(env);
    const { host, port } = complete.http.bind;
    const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    this.url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
    this.temporalAddress = complete.temporal.address;
    this.temporalWebUrl = complete.temporal.webUrl ?? undefined;
    await Promise.all([
      this.supervisor.launch('service', apiPart(this.supervisor.shared, env, this.url, this.adminToken)),
      this.supervisor.launch('service', workerPart(this.supervisor.shared, env, complete.temporal)),
    ]);
  }

  private async launchDocuments(
    temporal: { temporalAddress: string | null; temporalWebUrl: string | null },
    ports: Ports,
  ): Promise<void> {
    const databaseUrl = this.embeddedPostgres ? embeddedDatabaseUrl(this.folder, DOCSVC) : null;
    await this.documents?.launch(this.supervisor, { databaseUrl, ...temporal }, ports.documents ?? 0);
  }

  private choosePorts(): Promise<Ports> {
    return choosePorts(this.folder.ports, this.documents === null ? USUAL_PORTS : USUAL_PORTS_WITH_DOCUMENTS);
  }

  private temporalContents(): TemporalContents {
    if (this.documents === null) return CONTROL_PLANE;
    const { namespaces, searchAttributes } = DOCSVC_TEMPORAL;
    return { namespaces, searchAttributes: { ...CONTROL_PLANE.searchAttributes, ...searchAttributes } };
  }

  /** Made when a store needs it: an installation with both parts configured needs no namespace. */
  private get user(): OrdinaryUser {
    this.ordinaryUser ??= new OrdinaryUser(this.folder.postgresSocketDir);
    return this.ordinaryUser;
  }

  private bind(ports: Ports): string {
    return this.options.env['SERVICE_BIND'] || `127.0.0.1:${ports.api}`;
  }

  private async stopParts(mode: StopMode, signal: AbortSignal): Promise<void> {
    try {
      await this.settleRuns(mode, signal);
    } catch (error) {
      this.options.notify(`live runs were left as they are: ${error instanceof Error ? error.message : String(error)}`);
    }
    await this.supervisor.end();
    this.lock.release();
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
