/** A call of the code host's REST API that did not succeed. The text is ours: what the host wrote is not in it. */
export class CodehostError extends Error {
  override readonly name = 'CodehostError';

  /** @param status what the host answered; null when there was no answer that could be read */
  constructor(
    readonly status: number | null,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
