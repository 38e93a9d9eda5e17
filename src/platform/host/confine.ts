import type { Writable } from 'node:stream';

/** One program of our own that reads what an agent or a stranger wrote. */
export interface ConfinedCommand {
  /**
   * Absolute path of the program, then its arguments, which other users of the host can see. `process.execPath` is a Node of this version
   * wherever the program runs; it stands in `readOnly` as well.
   */
  argv: string[];
  /** The whole environment; it may hold secrets, which travel by descriptor. PATH, HOME and LANG have defaults. */
  env: Record<string, string>;
  /** Folders and files shown at their own path. None may lie inside another one. */
  readOnly: string[];
  readWrite: string[];
  /** Folders and files shown read-only at another place, whose names it is not told. */
  elsewhere?: { source: string; target: string }[];
  cwd: string;
  /** As root: the host uid that the program gets; `nobody` without one. Ignored otherwise. */
  uid?: number;
  /** True leaves it the host's network: fetching only. */
  network?: boolean;
  timeoutMs: number;
  /** Private memory of each process in MiB. */
  memoryMb: number;
  /** What it and all that it starts may use together; it is killed, with all of them, at the first that is reached. */
  limits?: ConfinedLimits;
  stdin?: string | Buffer;
  /** In place of `stdin`, for a program that is asked more than once. */
  dialogue?: ConfinedDialogue;
  /** Of standard output and of standard error; the program is killed when it prints more. */
  maxOutputBytes: number;
  /** Kills the program when it is aborted; the result is then that of a killed one. */
  signal?: AbortSignal;
}

/** How a caller talks with a program while it runs. */
export interface ConfinedDialogue {
  /** Called once, when the program has been started. */
  started: (talk: ConfinedTalk) => void;
  /** Takes standard output as it comes; the result has nothing of it. */
  output: (chunk: Buffer) => void;
}

/** What the caller does in a dialogue. */
export interface ConfinedTalk {
  /** Stays open until the caller ends it. */
  stdin: Writable;
  /** Begins a request: `timeoutMs`, `silenceMs` and, of standard output, `maxOutputBytes` are those of a request, and count anew from here. */
  begin: () => void;
  /** Between requests no time counts. */
  rest: () => void;
}

/**
 * Limits of a confined program and everything that it starts, for programs that read what may be made to harm them. Time for which the host had
 * no processor for such a program counts neither in `timeoutMs` nor in `silenceMs`, except for a tenth.
 */
export interface ConfinedLimits {
  /** Of all its processes, and what they keep in files in memory. */
  memoryMb: number;
  /** Processor time of all its processes. */
  cpuSeconds: number;
  /** Processes, each thread counted. */
  processes: number;
  /** Of each process: it may have fewer than this many. */
  openFiles: number;
  /** In all its files together; it can write to `/tmp` alone, and `HOME` is there. No folder may be `readWrite`. */
  writtenBytes: number;
  /** It may not be silent on standard output for longer than this. */
  silenceMs?: number;
}

/** Which limit ended a program. `wall_time` is for `timeoutMs` and `silenceMs`, `output` for `maxOutputBytes`. */
export type ReachedLimit =
  | 'wall_time'
  | 'output'
  | 'cpu_time'
  | 'memory'
  | 'processes'
  | 'open_files'
  | 'written_bytes';

/** How it ended, and what it printed. */
export interface ConfinedResult {
  /** Null when it was killed. */
  exitCode: number | null;
  stdout: Buffer;
  stderr: Buffer;
  timedOut: boolean;
  /** Output reached `maxOutputBytes`; what is kept is its beginning. */
  truncated: boolean;
  /** The limit that it reached; told only of a program that was given `limits`. */
  limit?: ReachedLimit | null;
}

/**
 * Runs one program of our own, git for one, apart from the host (docs/design/workspaces.md): it sees the system read-only and the folders
 * that it is given, has the environment that it is given, an unprivileged uid and no network, and dies with this process. The way to
 * do this is the sandbox provider's; who needs it is handed it.
 * @throws SandgateError `unavailable` where nothing can be confined, or not with the limits asked for, `invalid_request` for a path that leads through a link
 */
export type Confine = (command: ConfinedCommand) => Promise<ConfinedResult>;
