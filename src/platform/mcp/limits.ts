/** What the broker's client accepts from an upstream (docs/design/broker.md). */
export const REQUEST_TIMEOUT_MS = 30_000;
/** For DELETE, and for each refusal of a server's own request. */
export const SHORT_TIMEOUT_MS = 5_000;
/** Decoded bytes of one answer. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_EVENT_BYTES = 256 * 1024;
export const MAX_EVENTS = 4096;
/** Requests of the server that are refused while one answer is read, and the time that may take in all. */
export const MAX_SERVER_REQUESTS = 8;
export const SERVER_REQUESTS_WITHIN_MS = 30_000;
/** Pages of `tools/list`. */
export const MAX_LIST_PAGES = 4;
