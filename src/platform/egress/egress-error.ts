/** Why a request to the outside was refused or failed; a closed list. */
export type EgressReason =
  /** The address is no http(s) address, carries credentials, or is written so that two parsers would read it differently. */
  | 'url'
  /** Plain http toward anything but an allow-listed network. */
  | 'plain_http'
  /** The host is, or every address of it is, in a refused class. */
  | 'address'
  /** A header or the method cannot be sent. */
  | 'request'
  | 'dns'
  | 'connect'
  /** The connection did not lead to the address that was checked. */
  | 'peer'
  | 'tls'
  /** The configured proxy could not be reached or refused the tunnel. */
  | 'proxy'
  /** A redirect where none is followed. */
  | 'redirect'
  | 'too_many_redirects'
  | 'timeout'
  /** By the caller's signal. */
  | 'aborted'
  | 'too_large'
  /** A content encoding that nobody asked for and that is not known. */
  | 'encoding'
  /** Not HTTP, or headers over their ceiling. */
  | 'protocol'
  /** The connection broke. */
  | 'broken';

/**
 * A request to the outside that was refused or failed. The message is a sentence of ours: no address, host, header or body of
 * either side is in it (docs/design/egress.md).
 */
export class EgressError extends Error {
  /**
   * @param sent false only with positive proof that no byte of the request was written, so that it may be tried again
   */
  constructor(
    readonly reason: EgressReason,
    readonly sent: boolean,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EgressError';
  }
}
