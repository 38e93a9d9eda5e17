import { parseJsonObject } from '../../domain/json.js';

/** Error codes of OAuth that are repeated in logs and notes; any other text of a server is `other` (docs/design/oauth.md). */
const KNOWN_CODES = [
  'access_denied',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const;

type KnownCode = (typeof KNOWN_CODES)[number];
export type OAuthCode = KnownCode | 'other';

/** The code of an error answer, from the closed list. */
export function oauthCode(body: string): OAuthCode {
  return listedCode(parseJsonObject(body)?.['error']);
}

export function listedCode(value: unknown): OAuthCode {
  return KNOWN_CODES.find((code) => code === value) ?? 'other';
}

/**
 * A token request that gave no token. Nothing of the server's text is kept: a code from a closed list, the status, and a digest by
 * which two answers can be compared.
 */
export class TokenRequestFailed extends Error {
  override readonly name = 'TokenRequestFailed';

  constructor(
    /** `unreachable`: no answer. `malformed`: an answer of status 200 that is no token answer. */
    readonly code: OAuthCode | 'unreachable' | 'malformed',
    readonly status: number | null,
    readonly digest: string | null,
    options?: ErrorOptions,
  ) {
    super(
      status === null
        ? 'the authorization server could not be reached'
        : `the authorization server answered ${status} (${code})`,
      options,
    );
  }

  /** What a log may say. */
  get facts(): { code: string; status: number | null; digest: string | null } {
    return { code: this.code, status: this.status, digest: this.digest };
  }
}
