import type { NewEvent } from '../../domain/events/event-kinds.js';
import { GATE_MESSAGES } from '../../domain/gate/messages.js';
import type { Database } from '../record/database.js';
import { queryRow } from '../record/query-row.js';
import {
  askedEvent,
  decisionEvent,
  requestedEvent,
  type AutomaticVerdict,
  type GateCall,
  type Question,
} from './gate-call.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { bodyArguments, LATE_VALUE } from '../ledger/append-events.js';

export type { AutomaticVerdict, GateCall, Question } from './gate-call.js';

/**
 * What the gate function says.
 * - `allow`, `deny`: the verdict was recorded now (`seq` is the last event).
 * - `session_allow`: allowed now by grants of this run. `asked`: pending now, until `expiresAt`.
 * - `pending`: asked before, still pending: join the wait. `replay_allow`, `replay_deny`: decided before; no new event.
 * - `protocol_violation`: same id, other tool or input; recorded by this call, the stored verdict stands.
 * - `budget`: over `max_tool_calls`; the denial was recorded by this call. The caller ends the run, and the first to do so
 *   writes `budget.exceeded`.
 * - `too_many_pending`: nothing recorded; deny it automatically.
 * - `inactive`, `reload`, `unauthorized`, `wrong_audience`, `not_found`: nothing recorded.
 */
export type GateOutcome =
  | 'allow'
  | 'deny'
  | 'session_allow'
  | 'asked'
  | 'pending'
  | 'replay_allow'
  | 'replay_deny'
  | 'protocol_violation'
  | 'budget'
  | 'too_many_pending'
  | 'inactive'
  | 'reload'
  | 'unauthorized'
  | 'wrong_audience'
  | 'not_found';

export interface GateAnswer {
  outcome: GateOutcome;
  /** Id of the registry row, which is the approval's id when it was asked; null when nothing was registered. */
  approvalId: string | null;
  seq: number | null;
  toolCalls: number | null;
  reason: string | null;
  expiresAt: Date | null;
}

interface AnswerRow {
  outcome: GateOutcome;
  approval_id: string | null;
  seq: string | number | null;
  tool_calls: number | null;
  reason: string | null;
  expires_at: Date | string | null;
  outbox_id: string | null;
}

/**
 * An automatic verdict in one round trip: token, status, specification, replay, budget, registration and both events
 * (docs/design/gate.md). Only a broken protocol and an exhausted budget take a second one.
 */
export async function decideAutomatic(db: Database, call: GateCall, verdict: AutomaticVerdict): Promise<GateAnswer> {
  const id = newRowId();
  const events = [requestedEvent(call), decisionEvent(call, verdict)];
  const row = await callGate(db, id, call, verdict, call.maxToolCalls, events);
  if (row.outcome === 'allow' || row.outcome === 'deny') db.observer?.appended(events);
  return finishAnswer(db, call, row);
}

/** A verdict `require_approval`, also in one round trip: a grant of this run allows it at once, else a human is asked. */
export async function requestApproval(db: Database, call: GateCall, question: Question): Promise<GateAnswer> {
  const id = newRowId();
  const events = [requestedEvent(call), decisionEvent(call, SESSION_GRANT), askedEvent(call, question, id)] as const;
  const { bodies, digests } = bodyArguments([...events]);
  const row = await queryRow<AnswerRow>(db.pool, {
    name: 'svc_ask',
    text: `select * from svc_ask($1, $2, $3, $4, $5, $6, $7, $8, $9,
       jsonb_populate_record(null::svc_question, $10::jsonb), $11, $12, $13, $14::text[], $15::text[], $16)`,
    values: [
      call.tokenSha256,
      call.organizationId,
      call.runId,
      call.runSpecDigest,
      id,
      call.toolCallId,
      call.tool,
      call.summary,
      call.inputDigest,
      JSON.stringify(questionMembers(call.tool, question)),
      question.payload?.sealed ?? null,
      question.payload?.keyVersion ?? null,
      call.maxToolCalls,
      bodies,
      digests,
      LATE_VALUE,
    ],
  });
  if (row.outcome === 'session_allow') db.observer?.appended([events[0], events[1]]);
  if (row.outcome === 'asked') db.observer?.appended([events[0], events[2]]);
  return finishAnswer(db, call, row);
}

/** The members of the SQL type `svc_question`. */
function questionMembers(tool: string, question: Question): object {
  return {
    risk: question.risk,
    scope: question.scope,
    scope_key: question.scopeKey,
    scope_keys: grantKeys(tool, question.scopeKeys),
    source: question.source,
    reason: question.reason,
    explanation: question.explanation,
    ttl_secs: question.ttlSecs,
    max_pending: question.maxPending,
  };
}

const SESSION_GRANT: AutomaticVerdict = {
  kind: 'allow',
  source: 'session_scope',
  originalVerdict: 'require_approval',
  reason: GATE_MESSAGES.sessionApproved,
};

const OVER_BUDGET: AutomaticVerdict = {
  kind: 'deny',
  source: 'budget',
  originalVerdict: null,
  reason: GATE_MESSAGES.budgetExceeded,
};

/** A grant belongs to a tool: the program `rm` in a shell line is not a tool named `rm`. */
function grantKeys(tool: string, keys: string[] | null): string[] | null {
  return keys === null ? null : keys.map((key) => JSON.stringify([tool, key]));
}

/** Records a broken protocol or an exhausted budget; a registration wakes waiting callers. */
async function finishAnswer(db: Database, call: GateCall, row: AnswerRow): Promise<GateAnswer> {
  if (row.outcome === 'protocol_violation') await recordViolation(db, call);
  if (row.outcome === 'budget') return recordBudgetDenial(db, call);
  announceRegistration(db, call, row);
  return toAnswer(row);
}

async function recordBudgetDenial(db: Database, call: GateCall): Promise<GateAnswer> {
  const events = [requestedEvent(call), decisionEvent(call, OVER_BUDGET)];
  const row = await callGate(db, newRowId(), call, OVER_BUDGET, null, events);
  if (row.seq !== null) db.announce({ ledger: call.runId });
  if (row.outcome === 'deny') db.observer?.appended(events);
  return { ...toAnswer(row), outcome: row.outcome === 'deny' ? 'budget' : row.outcome };
}

async function recordViolation(db: Database, call: GateCall): Promise<void> {
  const verdict: AutomaticVerdict = {
    kind: 'deny',
    source: 'protocol_violation',
    originalVerdict: null,
    reason: GATE_MESSAGES.protocolViolation,
  };
  await db.withTenant(call.organizationId, (tx) => tx.append(call.runId, [decisionEvent(call, verdict)]));
}

/** Wakes the run's followers, and its workflow when a human was asked. */
function announceRegistration(db: Database, call: GateCall, row: AnswerRow): void {
  if (row.seq === null) return;
  const { organizationId, runId } = call;
  if (row.outbox_id === null) return db.announce({ ledger: runId });
  const outbox = [{ id: row.outbox_id, organizationId, subjectId: runId, kind: 'approval_requested' as const }];
  db.announce({ ledger: runId, outbox, inbox: organizationId });
}

/** One round trip, shared with whatever else goes to the database at that moment. */
function callGate(
  db: Database,
  id: string,
  call: GateCall,
  verdict: AutomaticVerdict,
  maxCalls: number | null,
  events: NewEvent[],
): Promise<AnswerRow> {
  const { organizationId, runId } = call;
  const { bodies, digests } = bodyArguments(events);
  const { kind, source, originalVerdict, reason } = verdict;
  return db.calls.make({
    kind: 'gate',
    organizationId,
    runId,
    arguments: {
      session: runId,
      token: call.tokenSha256,
      spec_digest: call.runSpecDigest,
      id,
      call: call.toolCallId,
      tool: call.tool,
      summary: call.summary,
      input_digest: call.inputDigest,
      allow: kind === 'allow',
      source,
      original: originalVerdict,
      reason,
      max_calls: maxCalls,
      bodies,
      digests,
    },
  });
}

function toAnswer(row: AnswerRow): GateAnswer {
  return {
    outcome: row.outcome,
    approvalId: row.approval_id,
    seq: row.seq === null ? null : Number(row.seq),
    toolCalls: row.tool_calls,
    reason: row.reason,
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  };
}
