import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { TemporalPorts } from './ports.js';
import type { StateFolder } from './state-folder.js';
import type { PartDefinition } from './supervised-process.js';
import type { OrdinaryUser } from './user-namespace.js';

const READY_TIMEOUT_MS = 60_000;

/**
 * The server writes one transaction after the other. With SQLite's default journal each makes a file, syncs three times and removes
 * the file; with a log ahead of the store it syncs once and is as durable.
 */
const STORE_PRAGMAS = ['--sqlite-pragma', 'journal_mode=WAL'];

/** What the server is told beside: both eager modes, and turns between the fairness keys of a queue, which holds over one partition. */
const SETTINGS = [
  'system.enableActivityEagerExecution=true',
  'system.enableEagerWorkflowStart=true',
  ...['matching.useNewMatcher=true', 'matching.enableFairness=true', 'matching.enableMigration=true'],
  ...['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'],
];

/** What a server holds from its start. */
export interface TemporalContents {
  /** Made where they are missing; `default` is there in any case. */
  readonly namespaces: readonly string[];
  /** Kinds by name. */
  readonly searchAttributes: Readonly<Record<string, string>>;
}

/** The Temporal server of the installation: store in the state folder, loopback only, with both eager modes (docs/design/workflows.md). */
export class EmbeddedTemporal {
  constructor(
    private readonly binary: string,
    private readonly folder: Pick<StateFolder, 'temporalStore'>,
    private readonly ports: TemporalPorts,
    private readonly user: OrdinaryUser,
    private readonly contents: TemporalContents,
  ) {}

  get address(): string {
    return `127.0.0.1:${this.ports.temporal}`;
  }

  get webUrl(): string {
    return `http://127.0.0.1:${this.ports.temporalWeb}`;
  }

  part(shared: Pick<PartDefinition, 'logs' | 'guard' | 'notify'>): PartDefinition {
    return {
      ...shared,
      name: 'temporal',
      stopSignal: 'SIGTERM',
      launch: () => ({
        argv: this.user.named([this.binary, ...this.arguments()]),
        env: plainEnvironment(),
        channel: false,
      }),
      ready: (signal) => this.ready(signal),
    };
  }

  private arguments(): string[] {
    const { temporal, temporalWeb } = this.ports;
    return [
      ...['server', 'start-dev', '--db-filename', this.folder.temporalStore, ...STORE_PRAGMAS],
      ...['--ip', '127.0.0.1', '--port', String(temporal), '--ui-port', String(temporalWeb), '--headless=false'],
      ...SETTINGS.flatMap((setting) => ['--dynamic-config-value', setting]),
      ...this.contents.namespaces.flatMap((name) => ['--namespace', name]),
      ...Object.entries(this.contents.searchAttributes).flatMap(([name, type]) => [
        '--search-attribute',
        `${name}=${type}`,
      ]),
      ...['--log-level', 'warn'],
    ];
  }

  /** The port opens before the namespaces exist, so they are asked for. */
  private async ready(signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!(await isOpen(this.ports.temporal))) await this.pause(signal, deadline);
    const connection = await Connection.connect({ address: this.address, connectTimeout: '10s' });
    try {
      for (const namespace of ['default', ...this.contents.namespaces])
        while (!(await knowsNamespace(connection, namespace))) await this.pause(signal, deadline);
    } finally {
      await connection.close();
    }
  }

  private async pause(signal: AbortSignal, deadline: number): Promise<void> {
    if (Date.now() > deadline) throw new Error(`the Temporal server does not answer on ${this.address}`);
    await delay(25, undefined, { signal });
  }
}

/** A server is started with other ports this often when one was taken meanwhile. */
const PORT_ATTEMPTS = 3;

/**
 * Starts a server, with other ports where one is taken between its choice and the moment at which the server binds it.
 *
 * @returns the server that runs
 */
export async function startTemporal<P extends TemporalPorts>(
  ports: P,
  chooseAgain: () => Promise<P>,
  make: (ports: P) => EmbeddedTemporal,
  launch: (temporal: EmbeddedTemporal) => Promise<void>,
  isGivenUp: () => boolean,
): Promise<EmbeddedTemporal> {
  let chosen = ports;
  for (let attempt = 1; ; attempt += 1) {
    const temporal = make(chosen);
    try {
      await launch(temporal);
      return temporal;
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || isGivenUp()) throw error;
      chosen = await chooseAgain();
    }
  }
}

async function knowsNamespace(connection: Connection, namespace: string): Promise<boolean> {
  return connection.workflowService.describeNamespace({ namespace }).then(
    () => true,
    () => false,
  );
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1000 });
    const settle = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}

/** The server reads configuration files of the user's own Temporal client from HOME; it gets none of the client variables. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], TZ: 'UTC' };
}
