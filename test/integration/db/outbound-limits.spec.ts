import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import {
  OutboundLimits,
  type DialScopes,
  type OutboundLimitSettings,
} from '../../../src/core/broker/outbound-limits.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { withinOneMinute } from '../../support/time/within-one-minute.js';

const SETTINGS: OutboundLimitSettings = {
  tenantPerMin: 0,
  userPerMin: 0,
  connectionPerMin: 0,
  hostPerMin: 0,
  breakerThreshold: 0,
  breakerOpenSecs: 0,
  durable: true,
};

describe('the limits of outbound calls', () => {
  let test: TestDatabase;
  let organizationId: string;
  const warnings: string[] = [];
  const log = { warn: (_fields: unknown, message: string) => void warnings.push(message) };

  beforeAll(async () => {
    test = await createTestDatabase();
    organizationId = (await createOrganization(test.db)).organizationId;
  });
  afterAll(() => test.close());

  /** Limits of one process; several share the database. */
  function process(settings: Partial<OutboundLimitSettings>, pool: pg.Pool = test.db.pool) {
    const registry = new Registry();
    const limits = new OutboundLimits({ ...SETTINGS, ...settings }, { pool, registry, log });
    return { limits, registry };
  }

  const call = (more: Partial<DialScopes> = {}): DialScopes => ({
    organizationId,
    userId: null,
    connectionId: uuidv7(),
    host: 'mcp.example:443',
    ...more,
  });

  it('hold for all processes together, to the call, and say when to come back', async () => {
    const [one, two] = [process({ connectionPerMin: 20 }), process({ connectionPerMin: 20 })];
    const scopes = call();
    await withinOneMinute(test, async () => {
      const entries = await Promise.all(
        Array.from({ length: 36 }, (_, index) => (index % 2 === 0 ? one : two).limits.enter(scopes)),
      );
      expect(entries.filter(({ dial }) => dial !== undefined)).toHaveLength(20);
      const refusal = entries.find((entry) => entry.refusal !== undefined)?.refusal;
      expect(refusal).toMatchObject({ reason: 'rate_limited', scope: 'connection' });
      expect(refusal?.text).toMatch(
        /^outbound rate limit reached \(scope connection, upstream sha256:[0-9a-f]{16}\) — retry after \d+s$/,
      );
      expect(await two.registry.metrics()).toContain('service_egress_rejections_total{reason="rate_limited"}');
    });
  });

  it('charge nothing for a call that one of them refused', async () => {
    const { limits } = process({ tenantPerMin: 50, userPerMin: 2, connectionPerMin: 40 });
    const scopes = call({ userId: uuidv7() });
    await withinOneMinute(test, async () => {
      for (let asked = 0; asked < 10; asked += 1) await limits.enter(scopes);
      const used = await test.db.withTenant(organizationId, (tx) =>
        tx.query<{ scope: string; used: number }>(
          'select scope, used from egress_rate_windows where key = any ($1) order by scope',
          [[scopes.userId, scopes.connectionId]],
        ),
      );
      expect(used).toEqual([
        { scope: 'connection', used: 2 },
        { scope: 'user', used: 2 },
      ]);
    });
  });

  it('count a person over all runs and connections, and nobody where no person invoked', async () => {
    const { limits } = process({ userPerMin: 1 });
    const userId = uuidv7();
    await withinOneMinute(test, async () => {
      expect((await limits.enter(call({ userId }))).refusal).toBeUndefined();
      expect((await limits.enter(call({ userId }))).refusal?.scope).toBe('user');
      for (let asked = 0; asked < 5; asked += 1) expect((await limits.enter(call())).refusal).toBeUndefined();
    });
  });

  it('count a person by all processes together, and by none of them alone', async () => {
    const [one, two] = [process({ userPerMin: 2 }).limits, process({ userPerMin: 2 }).limits];
    const alone = process({ userPerMin: 1, durable: false }).limits;
    const userId = uuidv7();
    await withinOneMinute(test, async () => {
      const entries = [];
      for (const limits of [one, two, one, two]) entries.push(await limits.enter(call({ userId })));
      expect(entries.map(({ refusal }) => refusal?.scope)).toEqual([undefined, undefined, 'user', 'user']);
      for (let asked = 0; asked < 3; asked += 1) expect((await alone.enter(call({ userId }))).refusal).toBeUndefined();
    });
  });

  it('open the breaker for all after failures in a row, and let exactly one call try', async () => {
    const settings = { breakerThreshold: 3, breakerOpenSecs: 4 };
    const [one, two] = [process(settings).limits, process(settings).limits];
    const scopes = call();
    for (const limits of [one, two, one]) await (await limits.enter(scopes)).dial?.leave('failed');
    const refused = await two.enter(scopes);
    expect(refused.refusal).toMatchObject({ reason: 'breaker_open', scope: 'breaker' });
    expect([1, 2, 3, 4]).toContain(refused.refusal?.retryAfterSecs);
    expect(refused.refusal?.text).toMatch(
      /^upstream circuit breaker open after repeated transport failures \(scope breaker, upstream sha256:/,
    );
    expect((await one.enter(call())).refusal).toBeUndefined();
    const probe = await untilOpen(two, scopes);
    const beside = await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 ? one : two).enter(scopes)));
    expect(beside.filter(({ dial }) => dial !== undefined)).toHaveLength(0);
    await probe.leave('failed');
    expect((await one.enter(scopes)).refusal?.reason).toBe('breaker_open');
    await (await untilOpen(one, scopes)).leave('healthy');
    for (const limits of [process(settings).limits, one]) expect((await limits.enter(scopes)).refusal).toBeUndefined();
  });

  it('give the probe to the next call when the first one says nothing about the host', async () => {
    const { limits } = process({ breakerThreshold: 1, breakerOpenSecs: 1 });
    const scopes = call();
    await (await limits.enter(scopes)).dial?.leave('failed');
    await (await untilOpen(limits, scopes)).leave('unknown');
    expect((await limits.enter(scopes)).dial).toBeDefined();
  });

  it('take any definitive answer for health', async () => {
    const { limits } = process({ breakerThreshold: 2, breakerOpenSecs: 60 });
    const scopes = call();
    for (const outcome of ['failed', 'healthy', 'failed', 'healthy', 'failed'] as const) {
      const { dial } = await limits.enter(scopes);
      await dial?.leave(outcome);
    }
    expect((await limits.enter(scopes)).refusal).toBeUndefined();
  });

  it('keep no host, and go on by their own counts when the database fails', async () => {
    const scopes = call({ host: 'unlisted-host.example' });
    await process({ hostPerMin: 5 }).limits.enter(scopes);
    const { rows } = await test.owner.query<{ row: string }>(
      'select w::text as row from egress_rate_windows w union all select b::text from egress_breakers b',
    );
    expect(rows.filter(({ row }) => row.includes('unlisted'))).toEqual([]);
    const away = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    const { limits, registry } = process({ connectionPerMin: 2, breakerThreshold: 2, breakerOpenSecs: 60 }, away);
    for (let asked = 0; asked < 2; asked += 1) await (await limits.enter(scopes)).dial?.leave('healthy');
    expect((await limits.enter(scopes)).refusal).toMatchObject({ scope: 'connection' });
    expect(await registry.metrics()).toMatch(/service_egress_governor_degraded_total [1-9]/);
    expect(warnings.length).toBeGreaterThan(0);
    await away.end();
  });

  /** Comes back until the breaker lets one call try. */
  async function untilOpen(limits: OutboundLimits, scopes: DialScopes) {
    for (let asked = 0; asked < 1000; asked += 1) {
      const { dial } = await limits.enter(scopes);
      if (dial !== undefined) return dial;
      await new Promise((again) => setTimeout(again, 50));
    }
    throw new Error('the breaker stayed open');
  }
});
