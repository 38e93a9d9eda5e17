import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { SandgateError } from '../../../domain/errors.js';
import type { Confine, ConfinedCommand, ConfinedResult } from '../../host/confine.js';
import { openAnonymousFile, withDescriptors } from './anonymous-file.js';
import { buildArguments, buildCommand, INSIDE_ID } from './arguments.js';
import { etcFiles, NOBODY } from '../room/etc-files.js';
import type { ConfinedHost } from './host.js';
import { findConfinedHost } from './host.js';
import { rlimitCommands } from './launch-script.js';
import { refuseLinks } from '../room/refuse-links.js';

const MIB = 1024 * 1024;
const FD = { args: 3, seccomp: 4, etc: { passwd: 5, group: 6, hosts: 7, 'nsswitch.conf': 8 } } as const;
/** Of memory file systems inside; they are not counted in `memoryMb`. */
const SCRATCH_BYTES = 64 * MIB;
/** The largest file that a program may write. */
const MAX_FILE_BYTES = 2048 * MIB;

/** In a sandbox of its own: the same namespaces, system-call filter and read-only system as a run's. */
export const runConfined: Confine = async (command) => {
  const host = findConfinedHost();
  await refuseLinks([...command.readOnly, ...command.readWrite]);
  const uid = host.mode === 'root' ? (command.uid ?? NOBODY) : null;
  // As root bubblewrap has no right to enter a folder of another uid; the program does that itself then.
  const enter = host.mode === 'root' && !(await isOpenToAll(command)) ? command.cwd : null;
  const options = buildArguments({ ...shapeOf(command, host), workingFolder: enter === null ? command.cwd : '/' });
  const etc = etcFiles(uid ?? INSIDE_ID);
  const limits = rlimitCommands({ fileBytes: MAX_FILE_BYTES, dataBytes: command.memoryMb * MIB });
  const program = buildCommand({ mode: host.mode, uid, processes: null, enter }, command.argv);
  const shell = [
    '-c',
    `${limits.join('\n')}\nexec env -i "$@"`,
    'sandgate',
    host.bwrap,
    '--args',
    String(FD.args),
    '--',
    ...program,
  ];
  const anonymous = (content: string | Buffer) => () => openAnonymousFile(content, tmpdir());
  const files = [
    options.map((option) => `${option}\0`).join(''),
    host.filter,
    etc.passwd,
    etc.group,
    etc.hosts,
    etc['nsswitch.conf'],
  ];
  return withDescriptors(files.map(anonymous), (descriptors) => collect(shell, descriptors, command));
};

function shapeOf(command: ConfinedCommand, host: ConfinedHost): Parameters<typeof buildArguments>[0] {
  const bind = (readOnly: boolean) => (path: string) => ({ source: path, target: path, readOnly });
  return {
    mode: host.mode,
    facts: host.facts,
    binds: [...command.readOnly.map(bind(true)), ...command.readWrite.map(bind(false))],
    isolateNetwork: command.network !== true,
    sizes: { root: MIB, run: MIB, tmp: SCRATCH_BYTES, home: SCRATCH_BYTES, shm: MIB },
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/agent', LANG: 'C.UTF-8', ...command.env },
    workingFolder: command.cwd,
    descriptors: { seccomp: FD.seccomp, etc: FD.etc },
    dieWithParent: true,
  };
}

/** True for the root and for a mounted folder itself; on the way to one further inside there may be others that are closed. */
async function isOpenToAll({ cwd, readOnly, readWrite }: ConfinedCommand): Promise<boolean> {
  if (cwd === '/') return true;
  return [...readOnly, ...readWrite].includes(cwd) && ((await stat(cwd)).mode & 0o001) !== 0;
}

function collect(shell: string[], descriptors: number[], command: ConfinedCommand): Promise<ConfinedResult> {
  return new Promise((resolve, reject) => {
    // A session of its own, so that one signal to the group reaches bubblewrap, which takes everything inside with it.
    const child = spawn('/bin/sh', shell, {
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...descriptors],
    });
    // First of all: one that could not be made for want of descriptors has no streams either.
    child.once('error', (error) => {
      reject(new SandgateError('sandbox_failed', 'a confined program could not be started', { cause: error }));
    });
    const [stdin, stdout, stderr] = child.stdio;
    const ending = { timedOut: false, truncated: false };
    const kill = (): void => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
    };
    const timer = setTimeout(() => {
      ending.timedOut = true;
      kill();
    }, command.timeoutMs);
    command.signal?.addEventListener('abort', kill, { once: true });
    if (command.signal?.aborted === true) kill();
    const settle = (): void => {
      clearTimeout(timer);
      command.signal?.removeEventListener('abort', kill);
    };
    const keep = (stream: typeof stdout) =>
      keepOutput(stream, command.maxOutputBytes, () => {
        ending.truncated = true;
        kill();
      });
    const [kept, keptErrors] = [keep(stdout), keep(stderr)];
    // A program may end without reading its input; that is not a failure.
    stdin?.on('error', () => stdin.destroy());
    stdin?.end(command.stdin ?? '');
    child.once('error', settle);
    child.once('close', (exitCode) => {
      settle();
      resolve({ ...ending, exitCode, stdout: kept(), stderr: keptErrors() });
    });
  });
}

function keepOutput(
  stream: NodeJS.ReadableStream | null | undefined,
  maxBytes: number,
  overflow: () => void,
): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < maxBytes) chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
    if (bytes > maxBytes) overflow();
  });
  return () => Buffer.concat(chunks);
}
