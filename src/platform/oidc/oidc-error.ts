/** Why a provider, or what it said, is of no use; a closed list. */
export type OidcReason =
  /** No answer, or one that was refused on the way. */
  | 'unreachable'
  /** The metadata is missing, malformed, or another issuer's. */
  | 'metadata'
  /** The key set is missing, malformed, or holds no key that can be used. */
  | 'keys'
  /** The token endpoint gave no token. */
  | 'exchange'
  /** The ID token is malformed, or signed in a way that is not allowed. */
  | 'id_token'
  /** No key, or more than one, can have made the signature. */
  | 'no_key'
  | 'signature';

/** What a provider said is not repeated: the message is ours, and the cause goes nowhere but to the log. */
export class OidcError extends Error {
  override readonly name = 'OidcError';

  constructor(
    readonly reason: OidcReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
