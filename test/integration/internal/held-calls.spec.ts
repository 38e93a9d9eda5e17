import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decideApproval, expireApprovals } from '../../../src/core/approvals/approvals.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { LedgerLine, ContractAnswer } from '../../support/gate/gated-run.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until, untilHolds } from '../../support/time/until.js';

/** No re-read comes before this, so a call that is released was released by the end of its run. */
const FAR_AWAY = { SERVICE_TIMING_TAIL_REREAD_MS: '600000' };
const DENIED = { status: 200, body: { decision: 'deny', message: 'session is not active' } };
const REFUSED = { status: 400, body: { error: 'session is not active' } };
const TOOL = 'mcp__crm__delete';

let database: TestDatabase;
let planes: PlaneApp[];

beforeAll(async () => {
  database = await createTestDatabase();
  planes = [await startPlane(database, FAR_AWAY), await startPlane(database, FAR_AWAY)];
});
afterAll(async () => {
  for (const plane of planes) await plane.close();
  await database.close();
});

interface Pending {
  id: string;
  tool_call_id: string;
}

function pendingOf(run: FixtureRun): Promise<Pending[]> {
  const sql = `select id, tool_call_id from approvals where session_id = $1 and status = 'pending' order by requested_at`;
  return readRows<Pending>(database.db, run, sql);
}

function present(run: FixtureRun, plane: PlaneApp, path: string, id: string): Promise<ContractAnswer> {
  const tool = path === 'permission' ? 'Deploy' : TOOL;
  return post(`${plane.url}/internal/${path}`, run.tokens.tool, { tool_call_id: id, tool, input: {} });
}

/** Both kinds of call, each presented to both processes, held for a human. */
async function holdCalls(
  run: FixtureRun,
): Promise<{ permissions: Promise<ContractAnswer>[]; calls: Promise<ContractAnswer>[] }> {
  const held = {
    permissions: planes.map((plane) => present(run, plane, 'permission', 'p')),
    calls: planes.map((plane) => present(run, plane, 'tools/call', 'c')),
  };
  await until(
    () => pendingOf(run),
    (rows) => rows.length === 2,
  );
  for (const plane of planes) await untilHolds(() => plane.parkedCalls() === 2);
  return held;
}

/** As whoever ends a run does it, in a process that holds none of its calls. */
async function end(run: FixtureRun): Promise<void> {
  await database.db.withTenant(run.organizationId, (tx) =>
    requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: true }),
  );
}

const decisions = (ledger: LedgerLine[], id: string): LedgerLine[] =>
  ledger.filter(({ type, data }) => type === 'tool.decision' && data['tool_call_id'] === id);

describe('a held call whose run ends', () => {
  it('CP-141 CP-149 is released by the end itself, while its approval is still pending, by every process that holds it', async () => {
    const run = await createGatedRun(database.db, { brokered: ['crm'], brokeredTool: 'delete' });
    const held = await holdCalls(run);
    const before = await readLedger(database.db, run);
    await end(run);
    for (const answer of await Promise.all(held.permissions)) expect(answer).toMatchObject(DENIED);
    for (const answer of await Promise.all(held.calls)) expect(answer).toMatchObject(REFUSED);
    expect(await pendingOf(run)).toHaveLength(2);
    expect(await readLedger(database.db, run)).toEqual(before);

    await database.db.withTenant(run.organizationId, (tx) => expireApprovals(tx, run.runId, { all: true }));
    const after = await readLedger(database.db, run);
    for (const id of ['p', 'c']) {
      expect(decisions(after, id)).toMatchObject([
        { data: { verdict: 'deny', source: 'human', reason: 'human:timeout' } },
      ]);
    }
  });

  it('CP-149 says once that it was refused, although its approval came when nobody waited any more', async () => {
    const run = await createGatedRun(database.db, { brokered: ['crm'], brokeredTool: 'delete' });
    const held = await holdCalls(run);
    const pending = await pendingOf(run);
    await end(run);
    await Promise.all([...held.permissions, ...held.calls]);
    for (const { id } of pending) {
      const change = { approvalId: id, decision: 'approved_once', decidedBy: 'operator' } as const;
      await database.db.withTenant(run.organizationId, (tx) => decideApproval(tx, change));
      const late = await database.db.withTenant(run.organizationId, (tx) =>
        decideApproval(tx, { ...change, decision: 'denied' }),
      );
      expect(late).toMatchObject({ won: false, approval: { status: 'approved_once' } });
    }
    const ledger = await readLedger(database.db, run);
    for (const { tool_call_id: id } of pending) {
      expect(decisions(ledger, id)).toMatchObject([
        { data: { verdict: 'allow', source: 'human' } },
        { data: { verdict: 'deny', source: 'session_terminal', original_verdict: 'require_approval' } },
      ]);
    }
  });

  it('CP-149 says so too when cleanup has settled its approval before it could look', async () => {
    const run = await createGatedRun(database.db, { brokered: ['crm'], brokeredTool: 'delete' });
    const held = await holdCalls(run);
    await database.db.withTenant(run.organizationId, async (tx) => {
      await requestFinalization(tx, run.runId, { outcome: 'failed', reason: 'sandbox died', wantsQuiesce: false });
      await expireApprovals(tx, run.runId, { all: true });
    });
    for (const answer of await Promise.all(held.permissions)) expect(answer).toMatchObject(DENIED);
    for (const answer of await Promise.all(held.calls)) expect(answer).toMatchObject(REFUSED);
  });

  it('CP-149 keeps the word of a human who denied it', async () => {
    const run = await createGatedRun(database.db);
    const asked = present(run, planes[0]!, 'permission', 'p');
    const [pending] = await until(
      () => pendingOf(run),
      (rows) => rows.length === 1,
    );
    await database.db.withTenant(run.organizationId, async (tx) => {
      await decideApproval(tx, { approvalId: pending!.id, decision: 'denied', decidedBy: 'operator' });
      await requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: true });
    });
    expect((await asked).body).toEqual({ decision: 'deny', message: 'not approved' });
  });
});
