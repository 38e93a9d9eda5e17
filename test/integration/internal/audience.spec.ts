import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIENCES } from '../../../src/core/runs/tokens.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';

const CALL = { tool_call_id: 't', tool: 'Read', input: {} };
const ROUTES = [
  { audience: 'tool', method: 'POST', path: '/permission', body: CALL },
  { audience: 'tool', method: 'POST', path: '/tools/call', body: { ...CALL, tool: 'mcp__a__b' } },
  { audience: 'control', method: 'POST', path: '/events', body: { actor: 'agent', body: { type: 'note', data: {} } } },
  { audience: 'control', method: 'POST', path: '/heartbeat', body: {} },
  { audience: 'control', method: 'POST', path: '/result', body: { outcome: 'completed' } },
  { audience: 'control', method: 'POST', path: '/token/renew', body: {} },
  { audience: 'tool', method: 'GET', path: '/tunnel', body: undefined },
  { audience: 'workspace', method: 'GET', path: '/workspace', body: undefined },
  {
    audience: 'llm',
    method: 'POST',
    path: '/llm/v1/messages',
    body: { model: 'claude-haiku-4-5', max_tokens: 1, messages: [] },
  },
] as const;

let database: TestDatabase;
let plane: PlaneApp;

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await startPlane(database);
});
afterAll(async () => {
  await plane.close();
  await database.close();
});

async function request(
  method: string,
  path: string,
  token: string | null,
  body: unknown,
): Promise<{ status: number; error: unknown }> {
  const response = await fetch(`${plane.url}${path}`, {
    method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { error?: unknown };
  return { status: response.status, error: answer.error };
}

function forms(run: FixtureRun, path: string): string[] {
  return path.startsWith('/llm')
    ? [`/internal${path}`]
    : [`/internal${path}`, `/internal/sessions/${run.runId}${path}`];
}

describe('audiences of the runner plane', () => {
  it.each(ROUTES)(
    'CP-273 CP-277 $path serves $audience alone, in both path forms',
    async ({ audience, method, path, body }) => {
      for (const form of forms(await createGatedRun(database.db), path)) {
        const run = await createGatedRun(database.db, { tools: [{ match: ['Read'], action: 'allow' }] });
        for (const other of AUDIENCES.filter((name) => name !== audience)) {
          expect(await request(method, form, run.tokens[other], body)).toEqual({
            status: 403,
            error: 'wrong_audience',
          });
        }
        expect(await readLedger(database.db, run)).toEqual([]);
        expect(await readRows(database.db, run, 'select 1 from approvals where session_id = $1')).toEqual([]);
        const served = await request(method, form, run.tokens[audience], body);
        expect([200, 404, 426, 503]).toContain(served.status);
        expect(served.error).not.toBe('unauthorized');
      }
    },
  );

  it.each(ROUTES)('CP-047 CP-051 $path answers 401 to every other credential', async ({ method, path, body }) => {
    for (const token of [
      null,
      'admin',
      `svc_pat_${'a'.repeat(64)}`,
      `svc_sess_${'0'.repeat(64)}`,
      `svc_sess_${'0'.repeat(32)}`,
    ]) {
      expect(await request(method, `/internal${path}`, token, body)).toEqual({ status: 401, error: 'unauthorized' });
    }
  });

  it('CP-273 the audience is asked before the body is read', async () => {
    const run = await createGatedRun(database.db);
    const malformed = await post(`${plane.url}/internal/permission`, run.tokens.llm, '{"tool_call_id":');
    expect(malformed).toMatchObject({ status: 403, body: { error: 'wrong_audience' } });
  });

  it('CP-277 a revoked token is 401 on its own route and 403 on another', async () => {
    const run = await createGatedRun(database.db);
    await database.db.withTenant(run.organizationId, (tx) =>
      tx.query('update api_tokens set revoked_at = clock_timestamp() where session_id = $1', [run.runId]),
    );
    expect(await request('POST', '/internal/heartbeat', run.tokens.control, {})).toEqual({
      status: 401,
      error: 'unauthorized',
    });
    expect(await request('POST', '/internal/permission', run.tokens.tool, CALL)).toEqual({
      status: 401,
      error: 'unauthorized',
    });
    expect(await request('POST', '/internal/heartbeat', run.tokens.llm, {})).toEqual({
      status: 403,
      error: 'wrong_audience',
    });
    expect(await request('POST', '/internal/result', run.tokens.llm, {})).toEqual({
      status: 403,
      error: 'wrong_audience',
    });
  });

  it('CP-273 the id in the path is informational', async () => {
    const run = await createGatedRun(database.db);
    for (const id of ['x', run.agentId]) {
      expect((await request('POST', `/internal/sessions/${id}/heartbeat`, run.tokens.control, {})).status).toBe(200);
    }
  });

  it('CP-047 a web session cookie beside a runner token is refused', async () => {
    const run = await createGatedRun(database.db);
    const answer = await post(
      `${plane.url}/internal/heartbeat`,
      run.tokens.control,
      {},
      { cookie: '__Host-svc_web=x' },
    );
    expect(answer.status).toBe(400);
  });

  it('CP-284 CP-335 tokens have their shape and are stored as digests only', async () => {
    const run = await createGatedRun(database.db);
    const stored = JSON.stringify(await readRows(database.db, run, 'select * from api_tokens where session_id = $1'));
    for (const audience of AUDIENCES) {
      expect(run.tokens[audience]).toMatch(/^svc_sess_[0-9a-f]{64}$/);
      expect(stored).not.toContain(run.tokens[audience].slice('svc_sess_'.length));
    }
  });

  it('CP-299 an unknown route of the plane is 404 with an error', async () => {
    const run = await createGatedRun(database.db);
    expect(await request('POST', '/internal/nothing', run.tokens.control, {})).toEqual({
      status: 404,
      error: 'not found',
    });
    expect((await request('GET', '/internal/permission', run.tokens.tool, undefined)).status).toBe(404);
  });
});
