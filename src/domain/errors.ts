/**
 * The closed set of failures that Sandgate knows. Every refusal carries one of these codes and a sentence for a person:
 * what was wrong, where, and what to do. HTTP statuses and run outcomes are derived from the code in one place.
 */
export const ERROR_CODES = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'wrong_audience',
  'wrong_run',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'queue_full',
  'rate_limited',
  'unavailable',
  'upstream_failed',
  'out_of_capacity',
  'sandbox_failed',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const HTTP_STATUS: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  wrong_audience: 403,
  wrong_run: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  queue_full: 429,
  rate_limited: 429,
  upstream_failed: 502,
  unavailable: 503,
  out_of_capacity: 503,
  sandbox_failed: 503,
  internal: 500,
};

export class SandgateError extends Error {
  override readonly name = 'SandgateError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: { cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }

  /** Seconds for the `Retry-After` header of 429 and 503 answers. */
  readonly retryAfterSeconds: number | undefined;

  get httpStatus(): number {
    return HTTP_STATUS[this.code];
  }
}
