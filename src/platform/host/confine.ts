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
  cwd: string;
  /** As root: the host uid that the program gets; `nobody` without one. Ignored otherwise. */
  uid?: number;
  /** True leaves it the host's network: fetching only. */
  network?: boolean;
  timeoutMs: number;
  /** Private memory of each process in MiB. */
  memoryMb: number;
  stdin?: string | Buffer;
  /** Of standard output and of standard error; the program is killed when it prints more. */
  maxOutputBytes: number;
  /** Kills the program when it is aborted; the result is then that of a killed one. */
  signal?: AbortSignal;
}

/** How it ended, and what it printed. */
export interface ConfinedResult {
  /** Null when it was killed. */
  exitCode: number | null;
  stdout: Buffer;
  stderr: Buffer;
  timedOut: boolean;
  /** Output reached `maxOutputBytes`; what is kept is its beginning. */
  truncated: boolean;
}

/**
 * Runs one program of our own, git for one, apart from the host (docs/design/workspaces.md): it sees the system read-only and the folders
 * that it is given, has the environment that it is given, an unprivileged uid and no network, and dies with this process. The way to
 * do this is the sandbox provider's; who needs it is handed it.
 * @throws SandgateError `unavailable` where nothing can be confined, `invalid_request` for a path that leads through a link
 */
export type Confine = (command: ConfinedCommand) => Promise<ConfinedResult>;
