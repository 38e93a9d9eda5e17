import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { SandgateError } from '../../../domain/errors.js';
import type { Confine, ConfinedCommand, ConfinedLimits, ConfinedResult, ReachedLimit } from '../../host/confine.js';
import { openAnonymousFile, withDescriptors } from './anonymous-file.js';
import { buildArguments, buildCommand, INSIDE_ID } from './arguments.js';
import type { StartedProgram } from './confined-process.js';
import { collectOutput } from './confined-process.js';
import { etcFiles, NOBODY } from '../room/etc-files.js';
import type { ScratchSizes } from '../room/inside.js';
import { refuseLinks } from '../room/refuse-links.js';
import type { ConfinedHost } from './host.js';
import { findConfinedHost, findConfinedLimiter } from './host.js';
import { EXIT_LIMIT_FAILED, rlimitCommands } from './launch-script.js';
import { dissolveGroup, prepareGroup } from './limits/confined-group.js';
import type { WatchedProgram } from './limits/confined-watch.js';
import { findCounted, watchConfined } from './limits/confined-watch.js';
import type { LimitedLaunch, Limiter } from './limits/limits.js';

const MIB = 1024 * 1024;
const PAGE_BYTES = 4096;
const FD = { args: 3, seccomp: 4, etc: { passwd: 5, group: 6, hosts: 7, 'nsswitch.conf': 8 } } as const;
/** Of memory file systems inside; they are not counted in `memoryMb`. */
const SCRATCH_BYTES = 64 * MIB;
/** The largest file that a program may write. */
const MAX_FILE_BYTES = 2048 * MIB;
/** One process alone is ended by the kernel only after the watch had its chance to say why. */
const CPU_MARGIN_SECONDS = 2;
/** Exit codes of programs that the kernel ended for a limit: 128 and the number of the signal. */
const LIMIT_SIGNALS: Readonly<Record<number, ReachedLimit>> = { 152: 'cpu_time', 153: 'written_bytes' };

/** In a sandbox of its own: the same namespaces, system-call filter and read-only system as a run's. */
export const runConfined: Confine = (command) => confineWith(findConfinedLimiter)(command);

/** {@link runConfined} with another way to set the limits of a group than the strictest of this host. */
export function confineWith(findLimiter: () => Promise<Limiter>): Confine {
  return async (command) => {
    const { limits } = command;
    if (limits !== undefined && command.readWrite.length > 0)
      throw new SandgateError('invalid_request', 'a program whose writing is counted can be given no folder to write');
    const sources = (command.elsewhere ?? []).map(({ source }) => source);
    await refuseLinks([...command.readOnly, ...command.readWrite, ...sources]);
    const host = findConfinedHost();
    if (limits === undefined) return launch(host, command, null, () => undefined);
    const group = await prepareGroup(await findLimiter(), limits);
    try {
      return await launchWatched(host, { ...command, limits }, group);
    } finally {
      await dissolveGroup(group.record);
    }
  };
}

async function launchWatched(
  host: ConfinedHost,
  command: ConfinedCommand & { limits: ConfinedLimits },
  group: LimitedLaunch,
): Promise<ConfinedResult> {
  const sizes = scratchOf(command.limits);
  const folders = { '/tmp': sizes.tmp, '/run': sizes.run, '/dev/shm': sizes.shm };
  const scratch = Object.entries(folders).map(([path, bytes]) => ({ path, bytes }));
  const watched: Omit<WatchedProgram, 'pid'> = { limits: command.limits, record: group.record, scratch };
  const ended = new AbortController();
  let watching: Promise<void> = Promise.resolve();
  const result = await launch(host, command, group, ({ pid, end, giveBack }) => {
    watching = watchConfined({ ...watched, pid }, giveBack, ended.signal).then((reached) => {
      if (reached !== null) end(reached);
    });
    // A watch that fails leaves nobody to count: the program ends with it.
    watching.catch(() => end('memory'));
  }).finally(() => ended.abort());
  await watching;
  if ((result.limit ?? null) !== null || result.exitCode === 0) return result;
  return { ...result, limit: LIMIT_SIGNALS[result.exitCode ?? 0] ?? findCounted(watched) };
}

async function launch(
  host: ConfinedHost,
  command: ConfinedCommand,
  group: LimitedLaunch | null,
  started: (program: StartedProgram) => void,
): Promise<ConfinedResult> {
  const uid = host.mode === 'root' ? (command.uid ?? NOBODY) : null;
  // As root bubblewrap has no right to enter a folder of another uid; the program does that itself then.
  const enter = host.mode === 'root' && !(await isOpenToAll(command)) ? command.cwd : null;
  const options = buildArguments({ ...shapeOf(command, host), workingFolder: enter === null ? command.cwd : '/' });
  const etc = etcFiles(uid ?? INSIDE_ID);
  const program = buildCommand({ mode: host.mode, uid, processes: group?.processes ?? null, enter }, command.argv);
  const anonymous = (content: string | Buffer) => () => openAnonymousFile(content, tmpdir());
  const files = [
    options.map((option) => `${option}\0`).join(''),
    command.limits === undefined ? host.filter : host.countedFilter,
    etc.passwd,
    etc.group,
    etc.hosts,
    etc['nsswitch.conf'],
  ];
  const argv = [...(group?.wrapper ?? []), ...shellOf(host, command, group?.join ?? []), ...program];
  return withDescriptors(files.map(anonymous), (descriptors) =>
    collectOutput({ argv, descriptors, env: shellEnvironment(group) }, command, started),
  );
}

/** The launching shell: it enters the groups, lowers its limits and becomes bubblewrap. */
function shellOf(host: ConfinedHost, { memoryMb, limits }: ConfinedCommand, join: string[]): string[] {
  const commands = rlimitCommands({
    fileBytes: limits?.writtenBytes ?? MAX_FILE_BYTES,
    dataBytes: memoryMb * MIB,
    ...(limits === undefined
      ? {}
      : { openFiles: limits.openFiles, cpuSeconds: limits.cpuSeconds + CPU_MARGIN_SECONDS }),
  });
  const enter = `while [ "$1" != -- ]; do echo 0 > "$1" || exit ${EXIT_LIMIT_FAILED}; shift; done\nshift`;
  const script = `${enter}\n${commands.join('\n')}\nexec env -i "$@"`;
  return ['/bin/sh', '-c', script, 'sandgate', ...join, '--', host.bwrap, '--args', String(FD.args), '--'];
}

/** Only systemd-run needs to find its manager; bubblewrap is started through `env -i` in any case. */
function shellEnvironment(group: LimitedLaunch | null): Record<string, string> {
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  const manager = group !== null && group.wrapper.length > 0 && runtimeDir !== undefined;
  return { PATH: '/usr/bin:/bin', ...(manager ? { XDG_RUNTIME_DIR: runtimeDir } : {}) };
}

function shapeOf(command: ConfinedCommand, host: ConfinedHost): Parameters<typeof buildArguments>[0] {
  const bind = (readOnly: boolean) => (path: string) => ({ source: path, target: path, readOnly });
  return {
    mode: host.mode,
    facts: host.facts,
    binds: [
      ...command.readOnly.map(bind(true)),
      ...command.readWrite.map(bind(false)),
      ...(command.elsewhere ?? []).map((mount) => ({ ...mount, readOnly: true })),
    ],
    isolateNetwork: command.network !== true,
    sizes: scratchOf(command.limits),
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: command.limits === undefined ? '/home/agent' : '/tmp',
      LANG: 'C.UTF-8',
      ...command.env,
    },
    workingFolder: command.cwd,
    descriptors: { seccomp: FD.seccomp, etc: FD.etc },
    dieWithParent: true,
  };
}

/** Where writing is counted, all memory file systems together have the size that is allowed. */
function scratchOf(limits: ConfinedLimits | undefined): ScratchSizes {
  if (limits === undefined) return { root: MIB, run: MIB, tmp: SCRATCH_BYTES, home: SCRATCH_BYTES, shm: MIB };
  const [run, shm] = [PAGE_BYTES, MIB];
  return { root: MIB, run, shm, home: null, tmp: limits.writtenBytes - run - shm };
}

/** True for the root and for a mounted folder itself; on the way to one further inside there may be others that are closed. */
async function isOpenToAll({ cwd, readOnly, readWrite }: ConfinedCommand): Promise<boolean> {
  if (cwd === '/' || cwd === '/tmp') return true;
  return [...readOnly, ...readWrite].includes(cwd) && ((await stat(cwd)).mode & 0o001) !== 0;
}
