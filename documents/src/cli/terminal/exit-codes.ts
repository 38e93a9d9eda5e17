/** What the program's end says to scripts. */
export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  notSignedIn: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
  timeout: 7,
  failed: 8,
  partial: 9,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that a person is told in one sentence, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.error,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
