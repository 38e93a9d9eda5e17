import type { ExactObject } from '../../domain/digest/exact-json.js';
import type { Dialect } from '../../domain/models/dialect.js';
import type { AnswerFilter } from './metering/usage-filter.js';
import type { AnswerMeter } from './metering/answer-meter.js';
import type { UpstreamPath } from './upstream.js';

/** The result of a tool use as a model request carries it back; no content (docs/design/model-gateway.md). */
export interface CarriedToolResult {
  toolUseId: string;
  /** Whether it says of itself that the harness refused the use: the error mark of the dialect, or the words that stand for one. */
  isError: boolean;
  /** Length of the result's content as JSON, in bytes. */
  bytes: number;
}

/** A model request that may be forwarded once its output limit is granted. */
export interface ScreenedRequest {
  body: ExactObject;
  /** The body written anew: what is forwarded is what was screened, never the caller's bytes. */
  text: string;
  /** Output tokens that the caller asks for, within 1..1 000 000. */
  declaredOutputTokens: number;
  /** How the prompt is written to the provider's cache, which costs more than plain input. */
  cacheWrites: 'none' | 'five_minutes' | 'one_hour';
  toolResults: CarriedToolResult[];
  /** What of the answer's stream the client did not ask for and is not given; absent when it is given every byte. */
  filter?: () => AnswerFilter;
}

/** What a request is held against. */
export interface ScreenRules {
  /** The frozen model of the run. */
  model: string;
  /** Whether the provider keeps answers unless it is told not to; others may refuse a member that they do not know. */
  providerStores: boolean;
}

/** An endpoint of a dialect; an uncounted one costs nothing and holds no budget. */
export interface DialectPath {
  path: UpstreamPath;
  counted: boolean;
}

/** One wire format of the model gateway: what it refuses, limits and counts. */
export interface ModelDialect {
  readonly id: Dialect;
  /** Endpoints by what may follow `/internal/llm/`. */
  readonly paths: ReadonlyMap<string, DialectPath>;
  /** Screens a parsed body. Throws `invalid_request` with a sentence that names the member. */
  screen(body: unknown, rules: ScreenRules): ScreenedRequest;
  /**
   * The text to forward, its output limit no higher than what the budget affords (docs/design/budgets.md). A request without a limit of its
   * own gets one only where a cap is at stake (`capped`), or where the dialect demands one.
   */
  limitOutput(request: ScreenedRequest, grantedTokens: number, capped: boolean): string;
  /** Reads usage and tool uses out of one answer while its bytes pass by. */
  meter(streamed: boolean): AnswerMeter;
}
