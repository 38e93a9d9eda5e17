/**
 * The closed set of failures that the documents service answers. Every refusal carries one of these codes and a sentence for a
 * person: what was wrong, where, and what to do. The HTTP status follows from the code.
 */
const STATUS_OF = {
  invalid_request: 400,
  unauthenticated: 401,
  token_expired: 401,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  version_conflict: 409,
  upload_incomplete: 409,
  not_retryable: 409,
  extraction_failed: 409,
  extraction_cancelled: 409,
  upload_expired: 410,
  purged: 410,
  too_large: 413,
  unsupported_type: 415,
  schema_invalid: 422,
  description_missing: 422,
  no_documents: 422,
  password_required: 422,
  quarantined: 423,
  rate_limited: 429,
  quota_exceeded: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
} as const;

export type DocsvcErrorCode = keyof typeof STATUS_OF;

export const DOCSVC_ERROR_CODES = Object.keys(STATUS_OF) as readonly DocsvcErrorCode[];

/** Whether the same request may succeed later without being changed. */
const RETRYABLE: ReadonlySet<DocsvcErrorCode> = new Set(['request_timeout', 'rate_limited', 'internal', 'unavailable']);

/** One fault among several: where it is in the request, which it is, and what to do. */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

export interface ErrorOptions {
  details?: readonly ErrorDetail[];
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number;
}

/** A refusal of the documents service, with a code of the closed set and a sentence for a person. */
export class DocsvcError extends Error {
  override readonly name = 'DocsvcError';
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: DocsvcErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get httpStatus(): number {
    return STATUS_OF[this.code];
  }

  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** The refusal of a request for faults of its members; its sentence is about the first. @param details at least one */
export function invalidMembers(details: readonly ErrorDetail[], cause?: unknown): DocsvcError {
  const [first] = details;
  return new DocsvcError('invalid_request', `${first?.path}: ${first?.message}`, { details, cause });
}

/** {@link invalidMembers} for one of them. */
export function invalidMember(path: string, message: string, code = 'invalid', cause?: unknown): DocsvcError {
  return invalidMembers([{ path, code, message }], cause);
}
