import type { Readable } from 'node:stream';

export interface GuardedRequest {
  method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD';
  url: string;
  /** `host` and `content-length` are the client's own. */
  headers: Readonly<Record<string, string>>;
  body?: Buffer | string;
  /** Gives the request up, at any moment until the body was read. */
  signal?: AbortSignal;
  /** For everything together: name, connection, redirects and the whole answer. */
  timeoutMs: number;
  /** Ceiling of the answer's body, counted after decoding; `unread`: it is left, whatever it is, and only status and headers count. */
  maxBodyBytes: number | 'unread';
  /** `refuse`: a 3xx is an error. `follow`: at most ten hops, each judged like the first; another origin gets no credentials. */
  redirects: 'refuse' | 'follow';
  /** A further rule for the address and that of each hop; what it does not admit is refused as `url`. */
  admits?: (url: URL) => boolean;
}

export interface GuardedResponse {
  status: number;
  headers: Headers;
  /** Fails with EgressError: `too_large`, `timeout`, `aborted` or `broken`. Read it, or `discard` it. */
  body: Readable;
  /** @throws EgressError as `body` does */
  readBody(): Promise<Buffer>;
  /** Leaves the rest of the body and its connection. */
  discard(): void;
}
