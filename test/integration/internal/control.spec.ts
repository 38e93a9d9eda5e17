import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { ContractAnswer } from '../../support/gate/gated-run.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

let database: TestDatabase;
let plane: PlaneApp;

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await startPlane(database, {
    SERVICE_LIMIT_EVENTS_BURST: '12',
    SERVICE_LIMIT_EVENTS_PER_SECOND: '1',
    SERVICE_LIMIT_RUNNER_EVENTS: '8',
  });
});
afterAll(async () => {
  await plane.close();
  await database.close();
});

function control(
  run: FixtureRun,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ContractAnswer> {
  return post(`${plane.url}/internal/sessions/${run.runId}${path}`, run.tokens.control, body, headers);
}

const event = (type: string, data: object, actor = 'agent') => ({ actor, body: { type, data } });

function revoke(run: FixtureRun): Promise<unknown> {
  return database.db.withTenant(run.organizationId, (tx) =>
    tx.query('update api_tokens set revoked_at = clock_timestamp() where session_id = $1', [run.runId]),
  );
}

async function end(run: FixtureRun): Promise<void> {
  await database.db.withTenant(run.organizationId, async (tx) => {
    await moveRun(tx, run.runId, 'running', 'finalizing', null);
    await moveRun(tx, run.runId, 'finalizing', 'completed', null);
  });
}

describe('events of a runner', () => {
  it('CP-293 are numbered, redacted, and never speak for the server', async () => {
    const run = await createGatedRun(database.db);
    const secret = `svc_sess_${'a'.repeat(64)}`;
    expect(
      (await control(run, '/events', event('agent.message', { role: 'assistant', text: `token ${secret}` }, 'human')))
        .body,
    ).toEqual({ seq: 1 });
    expect((await control(run, '/events', event('tool.requested', { tool: 'x' }))).body).toEqual({
      seq: null,
      dropped: 'tool.requested',
    });
    expect((await control(run, '/events', event('approval.decided', {}))).body).toEqual({
      seq: null,
      dropped: 'approval.decided',
    });
    const ledger = await readLedger(database.db, run);
    expect(ledger).toMatchObject([{ actor: 'harness', type: 'agent.message' }]);
    expect(JSON.stringify(ledger)).not.toContain(secret);
  });

  it('CP-293 posted twice under one key are stored once', async () => {
    const run = await createGatedRun(database.db);
    const twice = await Promise.all(
      [1, 2, 3].map(() => control(run, '/events', event('note', { n: 1 }), { 'idempotency-key': 'k1' })),
    );
    expect(twice.map((answer) => answer.body)).toEqual([{ seq: 1 }, { seq: 1 }, { seq: 1 }]);
    expect(await readLedger(database.db, run)).toHaveLength(1);
    const other = await control(run, '/events', event('note', { n: 2 }), { 'idempotency-key': 'k1' });
    expect([other.status, other.body]).toEqual([409, { error: 'Idempotency-Key: used before with another event' }]);
  });

  it('CP-299 that are too large, too many or malformed are refused, each limit noted once', async () => {
    const run = await createGatedRun(database.db);
    const started = performance.now();
    expect((await control(run, '/events', event('note', { text: 'x'.repeat(70_000) }))).status).toBe(413);
    expect((await control(run, '/events', '{')).status).toBe(400);
    expect((await control(run, '/events', { actor: 'agent' })).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 60 }, () => control(run, '/events', event('note', {}))));
    const [stored, tooMany, limited] = [200, 400, 429].map((status) =>
      answers.filter((each) => each.status === status),
    );
    expect(stored).toHaveLength(8);
    // A burst of twelve, of which one was spent above, and one more for each second that the machine has needed.
    const passedSecs = Math.ceil((performance.now() - started) / 1000);
    expect(tooMany!.length).toBeGreaterThanOrEqual(3);
    expect(tooMany!.length).toBeLessThanOrEqual(3 + passedSecs);
    expect(limited).toHaveLength(60 - 8 - tooMany!.length);
    expect(Number(limited![0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const notes = async (): Promise<unknown[]> =>
      (await readLedger(database.db, run))
        .filter((line) => line.type === 'run.limit_reached')
        .map((line) => line.data['limit']);
    await until(notes, (noted) => noted.length >= 3);
    // A second note of one limit would come now.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await notes()).sort()).toEqual(['event_count', 'event_rate', 'event_size']);
  });

  it('CP-293 are accepted while a run winds down, until its tokens are revoked', async () => {
    const run = await createGatedRun(database.db, { status: 'cancelling' });
    expect((await control(run, '/events', event('note', {}))).status).toBe(200);
    await revoke(run);
    expect((await control(run, '/events', event('note', {}))).status).toBe(401);
  });
});

describe('heartbeats', () => {
  it('CP-273 are recorded and tell a cancelled run to stop', async () => {
    const run = await createGatedRun(database.db);
    expect((await control(run, '/heartbeat', undefined)).body).toEqual({ ok: true, action: null });
    expect((await control(run, '/heartbeat', 'not json')).body).toEqual({ ok: true, action: null });
    const [beat] = await readRows<{ fresh: boolean }>(
      database.db,
      run,
      `select last_heartbeat_at > clock_timestamp() - interval '20 s' as fresh from session_heads where session_id = $1`,
    );
    expect(beat?.fresh).toBe(true);
    await database.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.runId, 'running', 'cancelling', null));
    expect((await control(run, '/heartbeat', {})).body).toEqual({ ok: true, action: 'quiesce' });
    await database.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.runId, 'cancelling', 'finalizing', null));
    expect((await control(run, '/heartbeat', {})).body).toEqual({ ok: true, action: null });
  });
});

describe('the result of a runner', () => {
  it('CP-273 is durable before it is acknowledged, and the first one wins', async () => {
    const run = await createGatedRun(database.db);
    expect((await control(run, '/result', { outcome: 'completed', summary: 'done' })).body).toEqual({ ok: true });
    expect((await control(run, '/result', { outcome: 'failed' })).body).toEqual({ ok: true, note: 'finalizing' });
    expect(
      await readRows(
        database.db,
        run,
        'select outcome, summary, needs_quiesce from session_finalizations where session_id = $1',
      ),
    ).toEqual([{ outcome: 'completed', summary: 'done', needs_quiesce: false }]);
  });

  it.each(['failed', 'cancelled', 'budget_exceeded', 'whatever'])(
    'CP-273 that says %s means failed',
    async (outcome) => {
      const run = await createGatedRun(database.db);
      expect((await control(run, '/result', { outcome })).body).toEqual({ ok: true });
      expect(
        await readRows(database.db, run, 'select outcome from session_finalizations where session_id = $1'),
      ).toEqual([{ outcome: 'failed' }]);
    },
  );

  it('CP-273 is taken with what its summary cannot hold replaced: no last word costs a run its outcome', async () => {
    const run = await createGatedRun(database.db);
    expect((await control(run, '/result', { outcome: 'completed', summary: 'a\0b\ud800' })).body).toEqual({ ok: true });
    expect(
      await readRows(database.db, run, 'select outcome, summary from session_finalizations where session_id = $1'),
    ).toEqual([{ outcome: 'completed', summary: 'a\ufffdb\ufffd' }]);
  });

  it('CP-273 of a run that is over is acknowledged, with a revoked token too', async () => {
    const run = await createGatedRun(database.db);
    await end(run);
    expect((await control(run, '/result', { outcome: 'completed' })).body).toEqual({
      ok: true,
      note: 'already terminal',
    });
    expect((await post(`${plane.url}/internal/result`, run.tokens.tool, { outcome: 'completed' })).status).toBe(403);
  });

  it('CP-273 with a dead token of a live run is 401, and a malformed one 400', async () => {
    const run = await createGatedRun(database.db);
    expect((await control(run, '/result', {})).status).toBe(400);
    expect((await control(run, '/result', { outcome: 'completed', summary: 7 })).status).toBe(400);
    await revoke(run);
    expect((await control(run, '/result', { outcome: 'completed' })).status).toBe(401);
    expect(await readRows(database.db, run, 'select 1 from session_finalizations where session_id = $1')).toEqual([]);
  });
});

describe('token renewal and workspace', () => {
  it('CP-277 extends all four tokens, within the longest life', async () => {
    const run = await createGatedRun(database.db);
    for (const [asked, given] of [
      [60, 60],
      [0, 1],
      [1e9, 10_800],
    ] as const) {
      expect((await control(run, '/token/renew', { ttl_secs: asked })).body).toEqual({
        renewed: true,
        ttl_secs: given,
      });
    }
    expect((await control(run, '/token/renew', undefined)).body).toEqual({ renewed: true, ttl_secs: 10_800 });
    const rows = await readRows<{ left: number }>(
      database.db,
      run,
      'select extract(epoch from expires_at - clock_timestamp())::int as left from api_tokens where session_id = $1',
    );
    expect(rows.map((row) => Math.round(row.left / 100))).toEqual([108, 108, 108, 108]);
    expect((await control(run, '/token/renew', { ttl_secs: 'x' })).status).toBe(400);
  });

  it('CP-277 is refused for a run that accepts no work', async () => {
    const run = await createGatedRun(database.db, { status: 'finalizing' });
    expect(await control(run, '/token/renew', {})).toMatchObject({
      status: 400,
      body: { error: 'session is not active' },
    });
  });
});
