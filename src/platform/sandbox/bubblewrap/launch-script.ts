import { RING_BYTES, RING_WRITER } from './output-ring.js';

/** Descriptors of the launch, as the launching shell and bubblewrap see them. The runner keeps the first two for a moment. */
export const FD = { handOff: 3, ready: 4, args: 5, seccomp: 6, status: 7 } as const;
/** The generated files of `/etc`; bubblewrap reads and closes them. */
export const ETC_FD = { passwd: 8, group: 9, hosts: 10, 'nsswitch.conf': 11 } as const;

/** Exit of the shell when a limit could not be set: nothing is started then. */
export const EXIT_LIMIT_FAILED = 96;

export interface RlimitSettings {
  /** Largest file in bytes; null leaves it to the disk image. */
  fileBytes: number | null;
  /** Private memory of each process in bytes; null leaves it to the cgroup. */
  dataBytes: number | null;
  /** Descriptors of each process; a generous number without it. */
  openFiles?: number;
  /** Processor time of each process. */
  cpuSeconds?: number;
}

/**
 * The program of the launching shell: `sh -c <script> sandgate <sandbox folder> <group>... -- <program>...`. It starts bubblewrap
 * with an empty environment and its output in a ring, lets go of all descriptors and waits. It has a session of its own and
 * depends on nobody: when the control plane dies, the sandbox and its ring live on (docs/design/sandbox.md). Values are numbers
 * or arguments, never spliced text.
 */
export function launchScript(limits: RlimitSettings): string {
  const closed = Object.values(FD).map((fd) => `${fd}<&-`);
  return `PATH=/usr/bin:/bin
cd "$1" || exit 1
shift
{
  {
    while [ "$1" != -- ]; do echo 0 > "$1" || exit ${EXIT_LIMIT_FAILED}; shift; done
    shift
    ${rlimitCommands(limits).join('\n    ')}
    exec env -i "$@"
  } < /dev/null 2>&1 | {
    exec ${closed.join(' ')}
    ${RING_WRITER.replaceAll('\n', '\n    ')}
  }
} &
exec ${closed.join(' ')}
wait`;
}

/** Shell commands that lower the limits of this shell and everything it starts. Files are counted in blocks of 512 bytes. */
export function rlimitCommands(limits: RlimitSettings): string[] {
  const failed = `|| exit ${EXIT_LIMIT_FAILED}`;
  return [
    'ulimit -c 0',
    // A lower limit that is already in force stays.
    limits.openFiles === undefined ? 'ulimit -n 16384 2> /dev/null || :' : `ulimit -n ${limits.openFiles} ${failed}`,
    ...(limits.fileBytes === null
      ? []
      : [`ulimit -f ${Math.max(Math.ceil(limits.fileBytes / 512), RING_BYTES / 512)} ${failed}`]),
    ...(limits.dataBytes === null ? [] : [`ulimit -d ${Math.ceil(limits.dataBytes / 1024)} ${failed}`]),
    ...(limits.cpuSeconds === undefined ? [] : [`ulimit -t ${Math.ceil(limits.cpuSeconds)} ${failed}`]),
  ];
}
