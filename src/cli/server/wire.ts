import type { JsonObject } from '../../domain/json.js';
import type { Budgets } from '../../domain/run/spec.js';

/** Members of the server's documents that the command line reads (chapter 10 §9–§12). */
export interface Session {
  id: string;
  status: string;
  status_reason: string | null;
  agent_id: string;
  task: string;
  labels?: Record<string, string>;
  budgets: Budgets | null;
  base_commit: string | null;
  result_summary: string | null;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  autonomy?: string;
  run_spec?: { agent_name?: string; model?: string; harness?: string; workspace?: JsonObject } & JsonObject;
}

export interface UsageTotals {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cost_usd: number;
  requests: number;
  tool_calls: number;
  unreported_requests?: number;
  reserved_cost_usd?: number;
}

export interface Approval {
  id: string;
  session_id: string;
  tool: string;
  summary: string;
  risk: string | null;
  scope: string;
  status: string;
  requested_at: string;
  expires_at: string | null;
  decided_at: string | null;
  decided_by: string | null;
  input_digest: string | null;
  reason?: string | null;
  /** The whole input, redacted; null once it was deleted. */
  input?: unknown;
  explanation?: unknown;
}

export interface Artifact {
  id: string;
  kind: string;
  name: string;
  content_type: string;
  content?: string;
  size_bytes?: number;
  truncated?: boolean;
}

export interface RunEvent {
  seq: number;
  type: string;
  actor: string;
  payload: { type: string; data: JsonObject };
  occurred_at: string;
}

export interface Agent {
  id: string;
  name: string;
  description: string | null;
}

export interface Policy {
  id: string;
  name: string;
  version?: number;
}

export type Decision = 'approved_once' | 'approved_session' | 'denied';
