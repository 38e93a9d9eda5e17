import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../domain/system-error.js';
import { StartRefused } from './start-refused.js';

const VERSION = 'v1.5.1';
const MODULE = `github.com/temporalio/cli/cmd/temporal@${VERSION}`;
/** The workers inside the server take the MD5 of its 200 megabytes for the name of their build where they have none: half of a start. */
const BUILD_NAME = `-X go.temporal.io/sdk/internal.binaryChecksum=temporal-cli-${VERSION}`;
const DOWNLOAD_TIMEOUT_MS = 180_000;
const BUILD_TIMEOUT_MS = 20 * 60_000;
const PROBE_TIMEOUT_MS = 20_000;
const SMALLEST_COMPILER_BYTES = 512 * 2 ** 20;

/** Where Go's own installer puts it, which login shells alone know. */
const GO_PLACES = ['/usr/local/go/bin', '/usr/lib/go/bin'];

const run = promisify(execFile);

/** Where binaries live that are shared by all checkouts of this user. */
export function cacheDir(): string {
  const base = process.env['XDG_CACHE_HOME'];
  return join(base !== undefined && base.startsWith('/') ? base : join(homedir(), '.cache'), 'sandgate');
}

/** The settings that a person may change when there is no server. */
export interface TemporalNames {
  readonly binary: string;
  readonly address: string;
}

const SERVICE_NAMES: TemporalNames = { binary: 'SERVICE_TEMPORAL_BIN', address: 'TEMPORAL_ADDRESS' };

/** Tells the person what is happening and why a step failed. */
export type Progress = (line: string) => void;

/**
 * Finds or gets the Temporal server: the configured program, PATH, the cache, the download of Temporal's SDK, and at last a build
 * from source. Throws `StartRefused` with what was tried, in one sentence.
 */
export async function provideTemporalBinary(
  configured: string | null,
  progress: Progress,
  names: TemporalNames = SERVICE_NAMES,
): Promise<string> {
  if (configured !== null) return checkConfigured(configured, names);
  const present = await findTemporalBinary();
  if (present !== undefined) return present;
  const tried: string[] = ['there is no temporal program on PATH or in the cache'];
  for (const [step, get] of [
    ['download', download],
    ['build', build],
  ] as const) {
    try {
      return await get(progress);
    } catch (error) {
      const why = `${step}: ${firstLine(error)}`;
      tried.push(why);
      progress(`  ${why}`);
    }
  }
  throw new StartRefused(
    `no Temporal server: ${tried.join('; ')}. Put the temporal program (${VERSION} or newer) on PATH, name it in ${names.binary}, or set ${names.address}`,
  );
}

/** A program that is here already, without getting one. */
export async function findTemporalBinary(): Promise<string | undefined> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((dir) => dir.startsWith('/'));
  for (const candidate of [...onPath.map((dir) => join(dir, 'temporal')), cached()]) {
    if (isExecutable(candidate) && (await answers(candidate))) return candidate;
  }
  return undefined;
}

function cached(): string {
  return join(cacheDir(), 'bin', `temporal-${VERSION}`);
}

async function checkConfigured(path: string, names: TemporalNames): Promise<string> {
  if (isExecutable(path) && (await answers(path))) return path;
  throw new StartRefused(`${names.binary} names ${path}, which does not run as a Temporal program`);
}

/** The SDK downloads its own test server: the same program. It is started once by the SDK and then kept. */
async function download(progress: Progress): Promise<string> {
  progress('getting the Temporal server (download by the Temporal SDK) …');
  const draft = newDraft();
  const started = Date.now();
  const ticker = setInterval(() => progress(`  still downloading after ${seconds(started)} s`), 15_000);
  try {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const environment = TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir: draft } },
    });
    const server = await within(environment, DOWNLOAD_TIMEOUT_MS);
    await server.teardown();
    const file = readdirSync(draft).find((name) => isExecutable(join(draft, name)));
    if (file === undefined) throw new Error('the SDK left no program behind');
    return keep(join(draft, file));
  } finally {
    clearInterval(ticker);
    rmSync(draft, { recursive: true, force: true });
  }
}

async function build(progress: Progress): Promise<string> {
  const env = { ...process.env, PATH: [process.env['PATH'], ...GO_PLACES].join(delimiter) };
  await run('go', ['version'], { timeout: PROBE_TIMEOUT_MS, env }).catch(() => {
    throw new Error('Go is not installed');
  });
  progress(`building the Temporal server with Go (${MODULE}): about four minutes on two cores, once …`);
  const draft = newDraft();
  const started = Date.now();
  const ticker = setInterval(() => progress(`  still building after ${seconds(started)} s`), 30_000);
  try {
    await run('go', ['install', `-ldflags=-s -w ${BUILD_NAME}`, MODULE], {
      timeout: BUILD_TIMEOUT_MS,
      env: { ...env, GOBIN: draft, GOGC: 'off', GOMEMLIMIT: `${memoryOfOneCompiler()}B` },
      maxBuffer: 16 * 1024 * 1024,
    });
    return keep(join(draft, 'temporal'));
  } finally {
    clearInterval(ticker);
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * The bytes that Go's compiler may fill before it collects garbage, which is otherwise a fifth of its work. One compiler runs on
 * each core; together they leave half of the free memory to others.
 */
function memoryOfOneCompiler(): number {
  return Math.max(SMALLEST_COMPILER_BYTES, Math.floor(process.availableMemory() / 2 / availableParallelism()));
}

function newDraft(): string {
  const bin = join(cacheDir(), 'bin');
  mkdirSync(bin, { recursive: true });
  return mkdtempSync(join(bin, 'draft-'));
}

function keep(file: string): string {
  renameSync(file, cached());
  return cached();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

/** Another program may have the same name. */
async function answers(path: string): Promise<boolean> {
  return run(path, ['--version'], { timeout: PROBE_TIMEOUT_MS }).then(
    ({ stdout }) => /temporal version/i.test(stdout),
    () => false,
  );
}

function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function seconds(since: number): number {
  return Math.round((Date.now() - since) / 1000);
}

function firstLine(error: unknown): string {
  const parts = ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').split(': ');
  // Nested errors repeat the address at every level; the outermost says what, the innermost why.
  return parts.length < 4 ? parts.join(': ') : [parts[0], ...parts.slice(-2)].join(': ');
}
