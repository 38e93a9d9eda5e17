import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createMaintenanceActivities,
  type MaintenanceDependencies,
} from '../../../src/activities/maintenance.activities.js';
import { configWarnings, loadConfig } from '../../../src/platform/config/index.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { ToolCallPayloads } from '../../../src/core/gate/tool-call-payloads.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { openPayload } from '../../support/gate/kept-payloads.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import { keepViews } from '../../support/runs/recorded-calls.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

const ALLOW_ALL = [{ match: ['*'], action: 'allow' }];
const CANARY = 'canary-4c1e77';

let database: TestDatabase;
let plane: PlaneApp;
let payloads: ToolCallPayloads;

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await startPlane(database);
  payloads = new ToolCallPayloads(database.db, createSealer(database.db, plane.config.seal));
});
afterAll(async () => {
  await plane.close();
  await database.close();
});

function ask(run: FixtureRun, id: string, tool: string, input: unknown, at: PlaneApp = plane): ReturnType<typeof post> {
  return post(`${at.url}/internal/permission`, run.tokens.tool, { tool_call_id: id, tool, input });
}

interface Row {
  tool_call_id: string;
  sealed: Buffer;
  key_version: number;
  days: number;
}

function viewsOf(run: FixtureRun): Promise<Row[]> {
  return readRows<Row>(
    database.db,
    run,
    `select tool_call_id, sealed, key_version, (extract(epoch from expires_at - created_at) / 86400)::float8 as days
       from tool_call_payloads where session_id = $1 and kind = 'policy_view' order by tool_call_id`,
  );
}

async function untilViews(run: FixtureRun, count: number): Promise<Row[]> {
  const views = await until(
    () => viewsOf(run),
    (rows) => rows.length >= count,
  );
  if (views.length < count) throw new Error('the views were not kept');
  return views;
}

function open(run: FixtureRun, toolCallId: string): Promise<string | null> {
  return openPayload(payloads, {
    organizationId: run.organizationId,
    runId: run.runId,
    toolCallId,
    kind: 'policy_view',
  });
}

describe('what policy read of gated calls', () => {
  it('rests sealed for each call, whatever its verdict, for as many days as configured', async () => {
    const tools = [
      {
        match: ['Bash'],
        action: 'allow',
        shell: { allow_prefixes: ['ls'], deny_regex: ['curl'], on_no_match: 'allow' },
      },
      { match: ['Deploy'], action: 'approve' },
    ];
    const run = await createGatedRun(database.db, { tools });
    await ask(run, 'allowed', 'Bash', { command: `ls ${CANARY}`, description: 'not kept', cwd: '/workspace/src' });
    await ask(run, 'denied', 'Bash', { command: `curl ${CANARY}` });
    const asked = ask(run, 'asked', 'Deploy', { target: CANARY, path: '/workspace/x' });
    const rows = await untilViews(run, 3);
    expect(rows.map((row) => [row.tool_call_id, row.key_version, Math.round(row.days)])).toEqual([
      ['allowed', 2, 30],
      ['asked', 2, 30],
      ['denied', 2, 30],
    ]);
    expect(JSON.parse((await open(run, 'allowed'))!)).toEqual({
      tool: 'Bash',
      input: { command: `ls ${CANARY}`, cwd: '/workspace/src' },
    });
    expect(JSON.parse((await open(run, 'asked'))!)).toEqual({ tool: 'Deploy', input: { path: '/workspace/x' } });
    await database.owner.query(`update sessions set status = 'cancelled' where id = $1`, [run.runId]);
    await database.owner.query(
      `update approvals set expires_at = now() - interval '1 s' where session_id = $1 and status = 'pending'`,
      [run.runId],
    );
    await asked;
  });

  it('stands nowhere in clear: no column, no log', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const input = { file_path: `/workspace/${'x'.repeat(250)}/${CANARY}-path`, content: `${CANARY}-content` };
    await ask(run, 'w', 'Write', input);
    await untilViews(run, 1);
    const { rows: columns } = await database.owner.query<{ t: string; c: string }>(
      `select table_name as t, column_name as c from information_schema.columns where table_schema = 'public'`,
    );
    for (const { t, c } of columns) {
      const { rows } = await database.owner.query<{ n: number }>(
        `select count(*)::int as n from "${t}" where "${c}"::text like $1 or "${c}"::text like $2`,
        [`%${CANARY}-%`, `%${Buffer.from(`${CANARY}-`).toString('hex')}%`],
      );
      expect({ place: `${t}.${c}`, rows: rows[0]?.n }).toEqual({ place: `${t}.${c}`, rows: 0 });
    }
    expect(JSON.stringify(await readLedger(database.db, run))).not.toContain(`${CANARY}-`);
    expect(await open(run, 'w')).toContain(`${CANARY}-path`);
  });

  it('is that of the first call under an id, never that of another call which reuses it', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    await ask(run, 'a', 'Bash', { command: 'first' });
    await untilViews(run, 1);
    await database.owner.query('delete from tool_call_payloads where session_id = $1', [run.runId]);
    expect((await ask(run, 'a', 'Bash', { command: 'second' })).body['decision']).toBe('deny');
    await ask(run, 'b', 'Bash', { command: 'other' });
    expect((await untilViews(run, 1)).map((row) => row.tool_call_id)).toEqual(['b']);
    await ask(run, 'a', 'Bash', { command: 'first' });
    await untilViews(run, 2);
    expect(await open(run, 'a')).toContain('first');
  });

  it('is written before a clean stop ends the process', async () => {
    const stopping = await startPlane(database);
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const ids = Array.from({ length: 300 }, (_, i) => `c${i}`);
    await Promise.all(ids.map((id) => ask(run, id, 'Bash', { command: `ls ${id}` }, stopping)));
    await stopping.close();
    expect(await viewsOf(run)).toHaveLength(300);
  });

  it.each([
    ['the history is off', { SERVICE_POLICY_HISTORY_DAYS: '0' }, []],
    ['there is no sealing key', { SERVICE_KMS_MODE: 'off', SERVICE_KMS_STATIC_KEK: '' }, ['no policy history is kept']],
  ])('is not kept when %s', async (_when, env, said) => {
    const without = await startPlane(database, env);
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    await ask(run, 'a', 'Bash', { command: 'ls' }, without);
    await without.close();
    expect(await viewsOf(run)).toEqual([]);
    const warnings = configWarnings(without.config, {}).filter((warning) => warning.includes('history'));
    expect(warnings).toEqual(said.map((text) => expect.stringContaining(text)));
  });

  it('a body that is no call has none', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    await post(`${plane.url}/internal/permission`, run.tokens.tool, '{"tool_call_id":"x","tool":');
    await ask(run, 'b', 'Bash', { command: 'ls' });
    expect((await untilViews(run, 1)).map((row) => row.tool_call_id)).toEqual(['b']);
  });
});

describe('retention', () => {
  it('removes expired views batch by batch, and no others', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const calls = Array.from({ length: 1201 }, (_, i) => ({ id: `old-${i}`, tool: 'Bash', input: { command: 'ls' } }));
    await keepViews(payloads, run, calls, 0);
    await keepViews(payloads, run, [{ id: 'new', tool: 'Bash', input: { command: 'ls' } }]);
    const on = { database: database.db } as unknown as MaintenanceDependencies;
    await createMaintenanceActivities(on).expireRecords();
    expect((await viewsOf(run)).map((row) => row.tool_call_id)).toEqual(['new']);
  });

  it('a malformed number of days refuses the boot', () => {
    for (const days of ['-1', '1.5', 'forever', '3651'])
      expect(() => loadConfig({ SERVICE_POLICY_HISTORY_DAYS: days })).toThrow('SERVICE_POLICY_HISTORY_DAYS');
    expect(loadConfig({}).ledger.policyHistoryDays).toBe(30);
  });
});
