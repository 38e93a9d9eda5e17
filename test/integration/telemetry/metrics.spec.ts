import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CANONICAL_TOOLS } from '../../../src/domain/tools/vocabulary.js';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { expireApprovals } from '../../../src/core/approvals/approvals.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { connected } from '../../support/connections/connected.js';
import { createGatedRun, post } from '../../support/gate/gated-run.js';
import { askPermission } from '../../support/gate/permission-calls.js';
import type { FixtureOrganization, FixtureRun } from '../../support/runs/run-fixture.js';
import { readMetrics, type ScrapedMetrics } from '../../support/telemetry/scraped-metrics.js';
import { until } from '../../support/time/until.js';

const RULES = [
  { match: ['Read', 'mcp__kb__*'], action: 'allow' },
  { match: ['Write'], action: 'deny' },
];

let api: TestApi;
let organization: FixtureOrganization;

beforeAll(async () => {
  api = await startApi({}, [InternalModule]);
  organization = await createOrganizationOf(api);
});
afterAll(() => api.close());

/** The agent and policy rows that fixture runs of the API's own organization refer to. */
async function createOrganizationOf({ db, organizationId, ...of }: TestApi): Promise<FixtureOrganization> {
  const [agent] = (await of.get('/v1/agents')).body.agents;
  const rows = await db.withTenant(organizationId, (tx) =>
    tx.query<{ id: string; policy_id: string }>('select id, policy_id from agent_revisions where agent_id = $1', [
      agent?.id,
    ]),
  );
  return { organizationId, agentId: agent!.id, revisionId: rows[0]!.id, policyId: rows[0]!.policy_id };
}

async function scrape(): Promise<ScrapedMetrics> {
  const answer = await api.get('/v1/admin/metrics');
  expect(answer.status).toBe(200);
  return readMetrics(answer.text);
}

const ask = (run: FixtureRun, id: string, tool: string, input: unknown = {}): Promise<unknown> =>
  askPermission(api, run, id, tool, input);

/** What the counters say now, less what they said before. */
function since(before: ScrapedMetrics, after: ScrapedMetrics, names: RegExp): Record<string, number> {
  const grown = [...after.series].map(([key, value]) => [key, value - (before.series.get(key) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([key, value]) => names.test(key) && value !== 0));
}

describe('metrics of an API process', () => {
  it('CP-270 need the admin token and come in the text format of Prometheus', async () => {
    expect((await api.get('/v1/admin/metrics', { token: null })).status).toBe(401);
    expect((await api.get('/v1/admin/metrics', { token: 'another' })).status).toBe(401);
    const answer = await api.get('/v1/admin/metrics');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const types = [...readMetrics(answer.text).types];
    expect(types).toEqual(
      expect.arrayContaining([
        ['service_gate_decisions_total', 'counter'],
        ['service_gate_deny_source_total', 'counter'],
        ['service_gate_decision_seconds', 'histogram'],
        ['service_runs_terminal_total', 'counter'],
        ['service_run_provisioning_latency_seconds', 'histogram'],
        ['service_llm_reservations_total', 'counter'],
        ['service_ledger_events_total', 'counter'],
        ['service_metrics_scrape_errors_total', 'counter'],
        ['service_runs', 'gauge'],
        ['service_approvals_pending', 'gauge'],
        ['service_db_pool_connections', 'gauge'],
        ['service_db_pool_idle', 'gauge'],
        ['service_db_pool_max', 'gauge'],
        ['process_cpu_seconds_total', 'counter'],
      ]),
    );
    expect(types.filter(([name]) => !/^(service|process|nodejs)_/.test(name))).toEqual([]);
  });

  it('count every verdict that is on the record once, by verdict, source and tool', async () => {
    const run = await createGatedRun(api.db, { in: organization, tools: RULES, kb: { find: { type: 'object' } } });
    const before = await scrape();
    await ask(run, 'a', 'Read');
    await ask(run, 'a', 'Read');
    await ask(run, 'b', 'mcp__kb__find');
    await ask(run, 'c', 'Write');
    await ask(run, 'c', 'Read');
    await ask(run, 'd', 'mcp__elsewhere__find');
    const held = ask(run, 'e', 'Bash', { command: 'git push' });
    const approval = await pending(run);
    // The question is on the record a moment before it is counted.
    const asked = 'service_gate_decisions_total{verdict="require_approval"}';
    const during = await until(scrape, ({ series }) => series.get(asked) !== before.series.get(asked));
    await api.post(`/v1/approvals/${approval}/decision`, { decision: 'denied' });
    await held;
    const after = await scrape();
    expect(since(before, during, /^service_(gate_(decisions|deny|tool)|ledger)/)).toEqual({
      'service_gate_decisions_total{verdict="allow"}': 2,
      'service_gate_decisions_total{verdict="deny"}': 3,
      'service_gate_decisions_total{verdict="require_approval"}': 1,
      'service_gate_deny_source_total{source="policy"}': 1,
      'service_gate_deny_source_total{source="protocol_violation"}': 1,
      'service_gate_deny_source_total{source="capability"}': 1,
      'service_gate_tool_decisions_total{tool="Read",verdict="allow"}': 1,
      'service_gate_tool_decisions_total{tool="Read",verdict="deny"}': 1,
      'service_gate_tool_decisions_total{tool="Write",verdict="deny"}': 1,
      'service_gate_tool_decisions_total{tool="mcp",verdict="allow"}': 1,
      'service_gate_tool_decisions_total{tool="mcp",verdict="deny"}': 1,
      'service_gate_tool_decisions_total{tool="Bash",verdict="require_approval"}': 1,
      service_ledger_events_total: 11,
    });
    expect(
      since(during, after, /^service_(gate_(decisions|deny)|ledger|approvals_settled|approval_wait_seconds_count)/),
    ).toEqual({
      'service_gate_decisions_total{verdict="deny"}': 1,
      'service_gate_deny_source_total{source="human"}': 1,
      'service_approvals_settled_total{decision="denied"}': 1,
      service_approval_wait_seconds_count: 1,
      service_ledger_events_total: 2,
    });
    expect(after.sum('service_gate_decision_seconds_count') - before.sum('service_gate_decision_seconds_count')).toBe(
      7,
    );
    expect(await eventsOf(run)).toBe(13);
  });

  it('have no more series however many names a hostile agent makes up', async () => {
    const run = await createGatedRun(api.db, { in: organization, tools: [{ match: ['*'], action: 'deny' }] });
    const hostile = Array.from({ length: 120 }, (_, index) => `CANARY"}\n${index}\\`);
    for (const [index, name] of hostile.entries()) await ask(run, `h${index}`, index % 2 === 0 ? name : `mcp__${name}`);
    const metrics = await scrape();
    const known = new Set([...CANONICAL_TOOLS.map(({ name }) => name), 'mcp', '_other']);
    expect([...metrics.labelValues('tool')].filter((tool) => !known.has(tool))).toEqual([]);
    expect(metrics.series.get('service_gate_tool_decisions_total{tool="_other",verdict="deny"}')).toBe(60);
    expect([...metrics.series.keys()].join()).not.toContain('CANARY');
    expect([...metrics.series.keys()].join()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
  });

  it('follow a run through its moves and say how it ended', async () => {
    const before = await scrape();
    const created = await api.post('/v1/sessions', { agent: 'fixer', task: '[]' });
    const runId = created.body.session.id;
    await api.db.withTenant(api.organizationId, async (tx) => {
      await moveRun(tx, runId, 'created', 'queued', null);
      await moveRun(tx, runId, 'queued', 'provisioning', null);
      await moveRun(tx, runId, 'provisioning', 'initializing', null);
    });
    await api.db.withTenant(api.organizationId, async (tx) => {
      await moveRun(tx, runId, 'initializing', 'running', null);
      await requestFinalization(tx, runId, { outcome: 'completed', reason: null, wantsQuiesce: false });
      await moveRun(tx, runId, 'running', 'finalizing', null);
      await expireApprovals(tx, runId, { all: true });
      await concludeRun(tx, runId);
    });
    await expect(
      api.db.withTenant(api.organizationId, async (tx) => {
        await tx.append(runId, [{ actor: 'system', type: 'run.error', data: { message: 'rolled back' } }]);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(since(before, await scrape(), /^service_runs?_(?!.*bucket|.*sum)/)).toEqual({
      service_runs_created_total: 1,
      service_run_queue_wait_seconds_count: 1,
      service_run_provisioning_latency_seconds_count: 1,
      'service_run_duration_seconds_count{outcome="completed"}': 1,
      'service_runs_terminal_total{outcome="completed"}': 1,
    });
  });

  it('count each connection that is revoked once', async () => {
    const id = await connected(api.db, api.organizationId);
    const before = await scrape();
    await api.post(`/v1/connections/${id}/revoke`);
    expect((await api.post(`/v1/connections/${id}/revoke`)).status).toBe(200);
    expect(since(before, await scrape(), /^service_connection_/)).toEqual({ service_connection_revocations_total: 1 });
  });
});

describe('gauges of the deployment', () => {
  it('show the runs and questions of every organization', async () => {
    const other = await startApi({}, [InternalModule]);
    try {
      const run = await createGatedRun(other.db, {});
      const held = post(`${other.url}/internal/permission`, run.tokens.tool, {
        tool_call_id: 'a',
        tool: 'Bash',
        input: {},
      });
      await pending(run, other);
      // A scrape that the database keeps waiting comes without the gauges.
      const metrics = await until(
        async () => readMetrics((await other.get('/v1/admin/metrics')).text),
        ({ series }) => series.has('service_hosts_online'),
      );
      expect(metrics.series.get('service_runs{status="awaiting_approval"}')).toBe(1);
      expect(metrics.series.get('service_runs{status="queued"}')).toBe(0);
      expect(metrics.series.get('service_approvals_pending')).toBe(1);
      expect(metrics.series.get('service_hosts_online')).toBe(0);
      await other.db.withTenant(run.organizationId, (tx) => expireApprovals(tx, run.runId, { all: true }));
      await held;
    } finally {
      await other.close();
    }
  });
});

async function pending(run: FixtureRun, of: TestApi = api): Promise<string> {
  const [asked] = await until(
    () =>
      of.db.withTenant(run.organizationId, (tx) =>
        tx.query<{ id: string }>(`select id from approvals where session_id = $1 and status = 'pending'`, [run.runId]),
      ),
    (rows) => rows.length > 0,
  );
  if (asked === undefined) throw new Error('no approval became pending');
  return asked.id;
}

async function eventsOf(run: FixtureRun): Promise<number> {
  const [row] = await api.db.withTenant(run.organizationId, (tx) =>
    tx.query<{ count: number }>('select count(*)::int as count from events where session_id = $1', [run.runId]),
  );
  return row?.count ?? 0;
}
