import type { JsonObject, JsonValue } from '../../../domain/json.js';

export interface ContractCall {
  toolCallId: string;
  tool: string;
  input: JsonValue;
}

export interface ContractEvent {
  actor: string;
  type: string;
  data: JsonObject;
  key: string;
}

export type Verdict =
  | { decision: 'allow'; updated_input?: JsonObject }
  | { decision: 'deny'; message: string }
  | 'pending';

/** What may be done instead of the proper answer: a status, or a connection that breaks off. */
export type Fault = { status: number; body?: JsonObject; headers?: Record<string, string> } | 'cut' | null;

export type TokenName = 'control' | 'tool' | 'llm';

/** One request as it arrived; times are milliseconds of `performance.now()`. */
export interface ContractRequest {
  route: string;
  /** The audience of the token that it carried; null for any other text. */
  token: TokenName | null;
  /** The audience that the route asks for; null for an unknown route. */
  audience: TokenName | null;
  key: string | null;
  body: JsonObject;
  at: number;
  /** Just before its answer was begun, or its connection cut: no runner can know of it sooner. */
  answeredAt: number | null;
  /** When the answer was sent, or the connection ended without one. */
  endedAt: number | null;
  /** Null when no answer was sent. */
  status: number | null;
}
