import { expect } from '@jest/globals';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import type { ApprovalDecision } from '../../../src/core/approvals/approvals.js';
import type { JsonObject } from '../../../src/domain/json.js';
import type { Database } from '../../../src/core/record/database.js';
import type { PlaneApp } from '../plane/plane-app.js';
import type { FixtureRun } from '../runs/run-fixture.js';
import { until } from '../time/until.js';
import { post, readRows } from './gated-run.js';
import type { LedgerLine } from './gated-run.js';

/** Asks the gate, as the harness of the run does. @returns its verdict */
export async function askPermission(
  plane: Pick<PlaneApp, 'url'>,
  run: FixtureRun,
  id: string,
  tool: string,
  input?: unknown,
): Promise<unknown> {
  const body = { tool_call_id: id, tool, ...(input === undefined ? {} : { input }) };
  const answer = await post(`${plane.url}/internal/permission`, run.tokens.tool, body);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The id of the run's approval that was asked last, once so many are pending. */
export async function pendingApproval(db: Database, run: FixtureRun, count = 1): Promise<string> {
  const sql = `select id from approvals where session_id = $1 and status = 'pending' order by requested_at`;
  const pending = (): Promise<{ id: string }[]> => readRows(db, run, sql);
  const last = (await until(pending, (rows) => rows.length >= count))[count - 1];
  if (last === undefined) throw new Error('no approval became pending');
  return last.id;
}

/** Decides as the operator of the deployment. */
export function decide(
  db: Database,
  run: FixtureRun,
  approvalId: string,
  decision: ApprovalDecision = 'approved_once',
): Promise<unknown> {
  return db.withTenant(run.organizationId, (tx) => decideApproval(tx, { approvalId, decision, decidedBy: 'operator' }));
}

/** The types of events, in order. */
export function kinds(ledger: LedgerLine[]): string[] {
  return ledger.map((line) => line.type);
}

/** What the ledger says of each decision. */
export function decided(ledger: LedgerLine[]): JsonObject[] {
  return ledger.filter((line) => line.type === 'tool.decision').map((line) => line.data);
}

/** Id, verdict, source and original verdict of every decision on the record. */
export function decisions(ledger: LedgerLine[]): unknown[] {
  return decided(ledger).map((data) => [
    data['tool_call_id'],
    data['verdict'],
    data['source'],
    data['original_verdict'],
  ]);
}
