import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import type { ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { ContractAnswer } from '../../support/gate/gated-run.js';
import { askPermission } from '../../support/gate/permission-calls.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';

const INACTIVE = { decision: 'deny', message: 'session is not active' };
const REFUSED = { status: 400, body: { error: 'session is not active' } };

let database: TestDatabase;
let plane: PlaneApp;
let model: ScriptedModel;

beforeAll(async () => {
  database = await createTestDatabase();
  model = await startScriptedModel({
    script: () => ({ kind: 'reply', content: [{ text: 'x' }], usage: { input_tokens: 1, output_tokens: 1 } }),
    apiKey: 'provider-key',
  });
  plane = await startPlane(database, { SERVICE_LLM_ANTHROPIC_URL: model.url, ANTHROPIC_API_KEY: 'provider-key' });
});
afterAll(async () => {
  await plane.close();
  await model.close();
  await database.close();
});

/** Somebody ended the run and was told so; the driver has not moved it yet. */
async function acknowledgeEnd(run: FixtureRun, wantsQuiesce = true): Promise<void> {
  await database.db.withTenant(run.organizationId, (tx) =>
    requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce }),
  );
  expect(await readRows(database.db, run, 'select status from sessions where id = $1')).toEqual([
    { status: 'running' },
  ]);
}

const ask = (run: FixtureRun, id: string, tool = 'Read', input: unknown = {}): Promise<unknown> =>
  askPermission(plane, run, id, tool, input);

function control(run: FixtureRun, path: string, body?: unknown): Promise<ContractAnswer> {
  return post(`${plane.url}/internal${path}`, run.tokens.control, body);
}

describe('from the moment its end is acknowledged, and before the driver has moved it, a run', () => {
  it('CP-026 has no call judged, not even one that was decided before', async () => {
    const run = await createGatedRun(database.db, { tools: [{ match: ['Read'], action: 'allow' }] });
    expect(await ask(run, 'a')).toEqual({ decision: 'allow' });
    await acknowledgeEnd(run);
    const before = await readLedger(database.db, run);
    expect(await ask(run, 'a')).toEqual(INACTIVE);
    expect(await ask(run, 'b')).toEqual(INACTIVE);
    expect(await ask(run, 'c', 'Deploy')).toEqual(INACTIVE);
    expect(await ask(run, 'd', 'mcp__kb__find')).toEqual(INACTIVE);
    const brokered = { tool_call_id: 'e', tool: 'mcp__kb__find', input: {} };
    expect(await post(`${plane.url}/internal/tools/call`, run.tokens.tool, brokered)).toMatchObject(REFUSED);
    expect(await readLedger(database.db, run)).toEqual(before);
  });

  it('CP-149 61: has an approval that comes afterwards release nothing', async () => {
    const run = await createGatedRun(database.db);
    const waiting = ask(run, 'a', 'Deploy');
    const pending = `select id from approvals where session_id = $1 and status = 'pending'`;
    let approvals = await readRows<{ id: string }>(database.db, run, pending);
    while (approvals.length === 0) approvals = await readRows<{ id: string }>(database.db, run, pending);
    await database.db.withTenant(run.organizationId, (tx) =>
      requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: true }),
    );
    await database.db.withTenant(run.organizationId, (tx) =>
      decideApproval(tx, { approvalId: approvals[0]!.id, decision: 'approved_once', decidedBy: 'operator' }),
    );
    expect(await waiting).toEqual(INACTIVE);
    expect((await readLedger(database.db, run)).at(-1)).toMatchObject({
      type: 'tool.decision',
      data: { verdict: 'deny', source: 'session_terminal', original_verdict: 'require_approval' },
    });
  });

  it('CP-026 has no model request forwarded', async () => {
    const run = await createGatedRun(database.db);
    await acknowledgeEnd(run);
    const request = { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'x' }] };
    for (const path of ['v1/messages', 'v1/messages/count_tokens']) {
      expect(await post(`${plane.url}/internal/llm/${path}`, run.tokens.llm, request)).toMatchObject(REFUSED);
    }
    expect(model.requests).toEqual([]);
  });

  it('CP-273 is told to stop with its next beat, and gets no longer tokens', async () => {
    const run = await createGatedRun(database.db);
    await acknowledgeEnd(run);
    expect((await control(run, '/heartbeat')).body).toEqual({ ok: true, action: 'quiesce' });
    expect(await control(run, '/token/renew')).toMatchObject(REFUSED);
  });

  it('CP-273 is not told to stop where its own result ended it', async () => {
    const run = await createGatedRun(database.db);
    expect((await control(run, '/result', { outcome: 'completed' })).body).toEqual({ ok: true });
    expect((await control(run, '/heartbeat')).body).toEqual({ ok: true, action: null });
    expect(await ask(run, 'a')).toEqual(INACTIVE);
  });
});
