import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createMaintenanceActivities,
  type MaintenanceDependencies,
} from '../../../src/activities/maintenance.activities.js';
import { stopRun } from '../../../src/activities/run-stops.js';
import { warnWallClock } from '../../../src/core/finalization/driver-stops.js';
import { readRunView } from '../../../src/core/runs/run-view.js';
import { openProcessLease } from '../../../src/core/budgets/process-leases.js';
import { reserve } from '../../../src/core/budgets/reserve.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import { tokenDigest, type FixtureRun } from '../../support/runs/run-fixture.js';

let database: TestDatabase;
let plane: PlaneApp;
let processId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await startPlane(database);
  processId = await openProcessLease(database.db.pool, { kind: 'api', hostId: null });
});
afterAll(async () => {
  await plane.close();
  await database.close();
});

const finalizationRequestOf = (run: FixtureRun) =>
  readRows<{ outcome: string; reason: string }>(
    database.db,
    run,
    'select outcome, reason from session_finalizations where session_id = $1',
  );
const told = async (run: FixtureRun) =>
  (await readLedger(database.db, run))
    .filter((line) => line.type.startsWith('budget.'))
    .map((line) => [line.type, line.data['limit'], line.data['spent']]);

describe('the bounds of each cap', () => {
  it.each([
    [0, 0, []],
    [1, 1, [['budget.warning', '1', '1']]],
    [2, 2, [['budget.warning', '2', '2']]],
    [5, 5, [['budget.warning', '5', '4']]],
  ])('CP-076 a cap of %i calls lets %i pass and denies the next one', async (cap, passing, warnings) => {
    const run = await createGatedRun(database.db, {
      tools: [{ match: ['*'], action: 'allow' }],
      budgets: { max_tool_calls: cap },
    });
    const ask = async (id: string) =>
      (await post(`${plane.url}/internal/permission`, run.tokens.tool, { tool_call_id: id, tool: 'Read' })).body;
    for (let n = 0; n < passing; n += 1) expect(await ask(`c${n}`)).toEqual({ decision: 'allow' });
    expect(await finalizationRequestOf(run)).toEqual([]);
    expect(await ask('over')).toEqual({ decision: 'deny', message: 'tool-call budget exceeded' });
    expect(await finalizationRequestOf(run)).toEqual([
      { outcome: 'budget_exceeded', reason: 'tool-call budget exceeded' },
    ]);
    expect(await told(run)).toEqual([...warnings, ['budget.exceeded', String(cap), String(cap + 1)]]);
  });

  /** What remains beside an input of 100 tokens, at one micro-dollar a token. */
  async function reserveWith(caps: { maxTokens: number | null; maxCostMicros: number | null }, spentTokens = 0) {
    const run = await createGatedRun(database.db, { model: 'claude-haiku-4-5' });
    await readRows(
      database.db,
      run,
      `update session_heads set spent_tokens = ${spentTokens}, spent_cost_micros = ${spentTokens} where session_id = $1`,
    );
    return reserve(database.db, {
      tokenSha256: tokenDigest(run, 'llm'),
      organizationId: run.organizationId,
      runId: run.runId,
      runSpecDigest: run.runSpecDigest,
      inputTokens: 100,
      outputTokens: 4000,
      inputCostMicros: 100,
      outputMicrosPerMillion: 1_000_000,
      ...caps,
      maxLive: 8,
      processId,
      ttlSecs: 60,
      resultIds: [],
      refusedResultIds: [],
      maxRefused: 5,
    });
  }

  it.each([
    ['tokens', 0, 0, 'exhausted', null],
    ['tokens', 100 + 1023, 0, 'exhausted', null],
    ['tokens', 100 + 1024, 0, 'reserved', 1024],
    ['tokens', 100 + 1024 + 500, 500, 'reserved', 1024],
    ['tokens', 100 + 1024 + 500, 501, 'exhausted', null],
    ['tokens', 1_000_000, 0, 'reserved', 4000],
    ['cost', 0, 0, 'exhausted', null],
    ['cost', 100 + 1023, 0, 'exhausted', null],
    ['cost', 100 + 1024, 0, 'reserved', 1024],
    ['cost', 100 + 1024 + 500, 501, 'exhausted', null],
    ['cost', 1_000_000, 0, 'reserved', 4000],
  ])('CP-074 a cap in %s of %i with %i spent is %s', async (unit, cap, spent, outcome, outputTokens) => {
    const caps = unit === 'tokens' ? { maxTokens: cap, maxCostMicros: null } : { maxTokens: null, maxCostMicros: cap };
    expect(await reserveWith(caps, spent)).toMatchObject({ outcome, outputTokens });
  });

  it('CP-074 the smaller of two caps binds', async () => {
    expect(await reserveWith({ maxTokens: 5000, maxCostMicros: 2100 })).toMatchObject({ outputTokens: 2000 });
    expect(await reserveWith({ maxTokens: 2100, maxCostMicros: 5000 })).toMatchObject({ outputTokens: 2000 });
    expect(await reserveWith({ maxTokens: null, maxCostMicros: null })).toMatchObject({ outputTokens: 4000 });
  });

  async function clock(cap: number | null, ranSecs: number) {
    const run = await createGatedRun(database.db, { budgets: { max_wall_clock_secs: cap } });
    await database.owner.query(`update sessions set started_at = now() - make_interval(secs => $2) where id = $1`, [
      run.runId,
      ranSecs,
    ]);
    const view = await database.db.withTenant(run.organizationId, (tx) =>
      readRunView(tx, run.runId, { launchLimitSecs: 1800, queueTtlSecs: 900 }),
    );
    return { run, over: view?.ms_until_wall_clock, warning: view?.ms_until_wall_clock_warning };
  }

  it('CP-075 a wall clock is over after its last second, warned of at 80 percent, and null is none', async () => {
    expect(await clock(null, 10_000)).toMatchObject({ over: null, warning: null });
    const nothing = await clock(0, 0);
    expect(nothing.over).toBeLessThanOrEqual(0);
    expect(nothing.warning).toBeNull();
    // A percent is long enough that it does not pass while the test looks.
    const before = await clock(100_000, 79_000);
    expect(before.warning).toBeGreaterThan(0);
    const warned = await clock(100_000, 80_000);
    expect(warned.warning).toBeLessThanOrEqual(0);
    expect(warned.over).toBeGreaterThan(0);
    expect((await clock(100_000, 100_000)).over).toBeLessThanOrEqual(0);
  });

  it('CP-075 the wall clock is warned of once however often it is noticed, and not after the end', async () => {
    const { run } = await clock(100_000, 85_000);
    const warn = () => database.db.withTenant(run.organizationId, (tx) => warnWallClock(tx, run.runId));
    await Promise.all(Array.from({ length: 8 }, warn));
    await warn();
    expect(await told(run)).toEqual([['budget.warning', '100000', expect.stringMatching(/^85\d\d\d$/)]]);
    expect(
      await database.db.withTenant(run.organizationId, (tx) =>
        readRunView(tx, run.runId, { launchLimitSecs: 1800, queueTtlSecs: 900 }),
      ),
    ).toMatchObject({ ms_until_wall_clock_warning: null });
    const stop = { database: database.db, capacity: { queueTtlSecs: 900 }, quiesceSecs: 30 };
    await stopRun(stop, run, { code: 'wall_clock' });
    await stopRun(stop, run, { code: 'wall_clock' });
    expect((await told(run)).map(([type]) => type)).toEqual(['budget.warning', 'budget.exceeded']);
    expect(await finalizationRequestOf(run)).toEqual([
      { outcome: 'budget_exceeded', reason: 'wall-clock budget exceeded' },
    ]);
  });
});

describe('a breach that nobody lived to end', () => {
  const maintenance = () =>
    createMaintenanceActivities({
      database: database.db,
      capacity: { globalMaxActive: null, tenantMaxActive: null },
      quiesceSecs: 30,
      notices: null,
    } as unknown as MaintenanceDependencies);

  it.each([
    ['max_tokens', { max_tokens: 100 }, 'spent_tokens', 100],
    ['max_cost_usd', { max_cost_usd: 0.0001 }, 'spent_cost_micros', 100],
    ['max_tool_calls', { max_tool_calls: 100 }, 'tool_calls', 101],
  ])('CP-074 CP-076 is ended by maintenance at %s, and no run is below it', async (cap, budgets, column, spent) => {
    const over = await createGatedRun(database.db, { budgets });
    const below = await createGatedRun(database.db, { budgets });
    const spend = (run: FixtureRun, amount: number) =>
      readRows(database.db, run, `update session_heads set ${column} = ${amount} where session_id = $1`);
    await spend(over, spent);
    await spend(below, spent - 1);
    await maintenance().expireRecords();
    expect(await finalizationRequestOf(over)).toEqual([
      { outcome: 'budget_exceeded', reason: `${cap} budget exceeded` },
    ]);
    expect((await told(over)).map(([type]) => type)).toEqual(['budget.warning']);
    expect(await finalizationRequestOf(below)).toEqual([]);
  });
});
