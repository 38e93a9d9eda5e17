import type { ExactJson } from '../../domain/digest/exact-json.js';

/**
 * What became of one `tools/call` (docs/design/broker.md). `failed_before_send` is said only with proof that the request which failed was
 * never written, so the call behind it was not either; everything unclear is `ambiguous`, a failed `initialize` included. `error` and `text` are sentences of our own: upstream words enter
 * `content` and `structuredContent` of a tool's answer and nothing else.
 */
export type McpOutcome =
  | ToolAnswer
  | { state: 'failed_before_send' | 'ambiguous'; error: string }
  | ToolDrift
  | UpstreamRefusal;

/** A definitive answer. `failed_upstream` covers HTTP errors, JSON-RPC errors and tools that answer with `isError`. */
export interface ToolAnswer {
  state: 'succeeded' | 'failed_upstream';
  isError: boolean;
  /** Blocks of the protocol; numbers keep their source text. */
  content: ExactJson[];
  structuredContent?: ExactJson;
  /** Why it failed, in our words; absent on success and where the tool itself answered with `isError`. */
  error?: string;
  /** Set when the answer was an HTTP error: 5xx counts for the circuit breaker, 4xx does not. */
  httpStatus?: number;
}

/** The server is not what was frozen; the call itself was not performed. */
export interface ToolDrift {
  state: 'drift';
  /** `protocol`: versions; `tool`: digests of the definition, null for a tool that is no longer offered. */
  kind: 'protocol' | 'tool';
  offered: string | null;
  frozen: string;
  text: string;
}

/** 401, or a 401 or 403 that asks for more scope: the call was not performed. */
export interface UpstreamRefusal {
  state: 'unauthorized';
  httpStatus: 401 | 403;
  /** The scopes that the challenge asks for, sanitized, at most 200 characters; present with `error="insufficient_scope"`. */
  insufficientScope?: string;
  text: string;
}
