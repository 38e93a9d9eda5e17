/** A server of the run could not be started; the message says which and why, for the person who can repair it. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
}
