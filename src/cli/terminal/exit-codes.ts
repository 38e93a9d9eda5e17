/** Exit codes of every command. They are stable: scripts may rely on them (docs/cli.md). */
export const EXIT = {
  ok: 0,
  /** Something that no other code names. */
  failure: 1,
  /** The command line, a file that it names, the configuration or the request is wrong. */
  usage: 2,
  notFound: 3,
  /** No token, a wrong one, or one that may not do this. */
  unauthorized: 4,
  /** The state does not allow it: another base commit, a name that is taken, an export that does not verify. */
  conflict: 5,
  /** No server answers. */
  unreachable: 6,
  runFailed: 10,
  runCancelled: 11,
  runBudgetExceeded: 12,
  /** A draft changes verdicts of recorded calls, and the command was told to fail then. */
  verdictsChanged: 13,
  /** A part that this machine needs is missing. */
  unavailable: 69,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure with the sentence for the person and the code for the script. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failure,
  ) {
    super(message);
  }
}

export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 400 || status === 413 || status === 415) return EXIT.usage;
  if (status === 401 || status === 403) return EXIT.unauthorized;
  if (status === 404) return EXIT.notFound;
  return status === 409 ? EXIT.conflict : EXIT.failure;
}

export function exitCodeOfRun(status: string): ExitCode {
  const codes: Record<string, ExitCode> = {
    completed: EXIT.ok,
    failed: EXIT.runFailed,
    cancelled: EXIT.runCancelled,
    budget_exceeded: EXIT.runBudgetExceeded,
  };
  return codes[status] ?? EXIT.failure;
}
