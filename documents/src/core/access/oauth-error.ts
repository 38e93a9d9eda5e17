/** Failures of the token endpoint in the words of RFC 6749, 5.2, with their statuses. */
const STATUS_OF = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  slow_down: 429,
  server_error: 500,
  temporarily_unavailable: 503,
} as const;

export type OauthErrorCode = keyof typeof STATUS_OF;

/** A refusal of the token endpoint, which keeps the form of its protocol. */
export class OauthError extends Error {
  override readonly name = 'OauthError';

  constructor(
    readonly code: OauthErrorCode,
    message: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  get httpStatus(): number {
    return STATUS_OF[this.code];
  }
}
