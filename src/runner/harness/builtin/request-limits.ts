/** Repetitions of a request whose failure is transient, by the provider's own client. */
export const MAX_RETRIES = 4;
/** The gateway gives a model 900 s; the client waits a little longer, so that the gateway's own answer arrives. */
export const REQUEST_TIMEOUT_MS = 920_000;
