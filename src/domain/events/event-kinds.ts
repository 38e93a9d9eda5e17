import type { JsonObject } from '../json.js';

export type EventActor = 'agent' | 'system' | 'human' | 'harness';

/** Kinds that the server alone writes; a runner that posts one is answered as dropped (chapter 20 §6). */
export const SERVER_EVENT_TYPES = [
  'session.created',
  'session.status_changed',
  'workspace.initialized',
  'tool.requested',
  'tool.decision',
  'tool.brokered',
  'tool.rejected',
  'approval.requested',
  'approval.decided',
  'model.response',
  'budget.exceeded',
  'budget.warning',
  'run.result',
  'run.quiesce_requested',
  'run.limit_reached',
  'artifact.collected',
  'artifact.missing',
  'callback.delivered',
  'callback.failed',
  'capability.frozen',
  'network.grant.frozen',
  'network.grant.revoked',
  'network.denied',
  'network.denied.rollup',
  'network.observation.degraded',
] as const;

/** Kinds that a runner may post. */
export const RUNNER_EVENT_TYPES = ['agent.message', 'tool.completed', 'run.error'] as const;

export type EventType = (typeof SERVER_EVENT_TYPES)[number] | (typeof RUNNER_EVENT_TYPES)[number];

/** An event before it has a place in the ledger. `data` is redacted and normalised by the append. */
export interface NewEvent {
  actor: EventActor;
  type: EventType | (string & {});
  data: JsonObject;
}

/** An event as clients read it (chapter 10 §13). */
export interface LedgerEvent {
  event_id: string;
  session_id: string;
  seq: number;
  actor: EventActor;
  type: string;
  payload: { type: string; data: JsonObject };
  occurred_at: string;
}
