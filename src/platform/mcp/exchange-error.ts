/**
 * Why a request has no result. `unsent`: no byte of it was written; `unclear`: it may have been performed; `status`: an HTTP error, to which
 * method, and whether a session id was sent;
 * `error`: a JSON-RPC error; `invalid`: an answer without a usable result.
 */
export type ExchangeFailure =
  | { kind: 'unsent' }
  | { kind: 'unclear' }
  | { kind: 'status'; method: string; status: number; inSession: boolean; challenge: string | null }
  | { kind: 'error'; code: number | null }
  | { kind: 'invalid' };

/** The message is ours: no word of the upstream's is in it (docs/design/broker.md). */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';

  constructor(
    readonly failure: ExchangeFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
