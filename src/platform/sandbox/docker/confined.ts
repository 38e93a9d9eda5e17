import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { ContainerCreateOptions } from 'dockerode';
import { SandgateError } from '../../../domain/errors.js';
import type { Confine, ConfinedCommand, ConfinedResult } from '../../host/confine.js';
import { NOBODY, writeEtcFiles } from '../room/etc-files.js';
import { refuseLinks } from '../room/refuse-links.js';
import type { RunMount } from '../room/run-mounts.js';
import { attach } from './attach.js';
import { containerBody } from './container-spec.js';
import type { Engine } from './engine.js';
import { FrameReader } from './frames.js';
import { seccompOption } from './seccomp-option.js';
import { shortLived } from './short-lived.js';

const MIB = 1024 * 1024;
const MAX_FILE_BYTES = 2048 * MIB;
const PROCESSES = 256;
/** Of memory file systems, which the container's limit counts too. */
const SCRATCH_MB = 128;
/** How long the engine may take to tell how a program ended. */
const END_MS = 10_000;
const DEFAULTS = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/agent', LANG: 'C.UTF-8' };

/**
 * Its environment and its input come on standard input, one after the other, each as long as said: what engines are told about a container
 * can be read by whoever may ask them.
 */
const ENTRY = `unset HOSTNAME container TERM
eval "$(head -c "$1")"
bytes=$2
shift 2
[ "$bytes" = 0 ] && exec "$@" < /dev/null
head -c "$bytes" | "$@"`;

export interface ConfiningEngine {
  engine: Engine;
  image: string;
  dataDir: string;
  deployment: string;
  /** A Node that the engine sees; it stands in for the one of this process, whose files may be those of another container. */
  node: string;
}

/** Confines programs of our own in containers, where bubblewrap does not work; the image has the programs, except Node. */
export function confineInContainers(on: ConfiningEngine): Confine {
  return async (command) => {
    if (command.limits !== undefined || command.elsewhere !== undefined || command.dialogue !== undefined)
      throw new SandgateError(
        'unavailable',
        'a program with limits of its own, or one to talk with, can be confined by bubblewrap alone',
      );
    await refuseLinks([...command.readOnly, ...command.readWrite]);
    const id = await on.engine.create(`service-confined-${randomUUID()}`, await bodyOf(on, command));
    try {
      return await runToEnd(on.engine, id, command);
    } finally {
      await on.engine.remove(id);
    }
  };
}

async function bodyOf(on: ConfiningEngine, command: ConfinedCommand): Promise<ContainerCreateOptions> {
  const flavour = await on.engine.flavour();
  const uid = process.getuid?.() === 0 ? (command.uid ?? NOBODY) : (process.getuid?.() ?? NOBODY);
  const body = containerBody({
    image: on.image,
    flavour,
    runtime: null,
    labels: shortLived(on.deployment),
    uid,
    ownUid: false,
    sizes: { memory_mb: command.memoryMb + SCRATCH_MB, cpus: 1, disk_mb: 0, pids: PROCESSES },
    fileBytes: MAX_FILE_BYTES,
    mounts: await mountsOf(on, command, uid),
    seccomp: await seccompOption(flavour, on.dataDir),
    program: [],
  });
  const lengths = [environmentOf(command).length, inputOf(command).length].map(String);
  return {
    ...body,
    Entrypoint: ['/usr/bin/catatonit', '--', '/bin/sh', '-c', ENTRY, 'sandgate', ...lengths, ...command.argv],
    WorkingDir: command.cwd,
    NetworkDisabled: command.network !== true,
    HostConfig: { ...body.HostConfig, NetworkMode: command.network === true ? 'host' : 'none' },
  };
}

async function mountsOf(
  { dataDir, node }: ConfiningEngine,
  { readOnly, readWrite }: ConfinedCommand,
  uid: number,
): Promise<RunMount[]> {
  const etc = join(dataDir, 'confined-etc', String(uid));
  const names = await writeEtcFiles(etc, uid);
  const same = (path: string, isReadOnly: boolean): RunMount => ({
    source: path === process.execPath ? node : path,
    target: path,
    readOnly: isReadOnly,
  });
  return [
    ...names.map((name) => ({ source: join(etc, name), target: `/etc/${name}`, readOnly: true })),
    ...readOnly.map((path) => same(path, true)),
    ...readWrite.map((path) => same(path, false)),
  ];
}

/** Assignments of a shell. @throws SandgateError `invalid_request` for a name that is none */
function environmentOf({ env }: ConfinedCommand): Buffer {
  const lines = Object.entries({ ...DEFAULTS, ...env }).map(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new SandgateError('invalid_request', `${name} is not the name of a variable`);
    return `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`;
  });
  return Buffer.from(lines.join(''));
}

function inputOf({ stdin }: ConfinedCommand): Buffer {
  return Buffer.from(stdin ?? '');
}

async function runToEnd(engine: Engine, id: string, command: ConfinedCommand): Promise<ConfinedResult> {
  const stream = await attach(engine.socketPath, id);
  const killing = new AbortController();
  const ending = { timedOut: false, truncated: false };
  const timer = setTimeout(() => {
    ending.timedOut = true;
    killing.abort();
  }, command.timeoutMs);
  const stop = (): void => killing.abort();
  command.signal?.addEventListener('abort', stop, { once: true });
  if (command.signal?.aborted === true) stop();
  try {
    const output = collect(stream, command.maxOutputBytes, () => {
      ending.truncated = true;
      killing.abort();
    });
    await engine.start(id);
    // A program may end without reading its input; that is not a failure.
    stream.write(Buffer.concat([environmentOf(command), inputOf(command)]));
    await Promise.race([output.ended, aborted(killing.signal)]);
    if (killing.signal.aborted) await engine.kill(id);
    await engine.awaitEnd(id, AbortSignal.timeout(END_MS));
    const found = await engine.inspect(id);
    // An engine that starts anew lets go of what a program prints: what was heard so far is not all.
    if (found?.running === true)
      throw new SandgateError('unavailable', 'the container engine let go of a confined program');
    const exitCode = killing.signal.aborted || found === null ? null : found.exitCode;
    return { ...ending, exitCode, stdout: output.stdout(), stderr: output.stderr() };
  } finally {
    clearTimeout(timer);
    command.signal?.removeEventListener('abort', stop);
    stream.destroy();
  }
}

interface Collected {
  ended: Promise<void>;
  stdout: () => Buffer;
  stderr: () => Buffer;
}

/** Keeps the beginning of both outputs. */
function collect(stream: Duplex, maxBytes: number, overflow: () => void): Collected {
  const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const bytes = { stdout: 0, stderr: 0 };
  const reader = new FrameReader((kind, payload) => {
    if (bytes[kind] < maxBytes) kept[kind].push(payload.subarray(0, maxBytes - bytes[kind]));
    bytes[kind] += payload.length;
    if (bytes[kind] > maxBytes) overflow();
  });
  stream.on('data', (chunk: Buffer) => reader.push(chunk));
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve());
  });
  return { ended, stdout: () => Buffer.concat(kept.stdout), stderr: () => Buffer.concat(kept.stderr) };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
