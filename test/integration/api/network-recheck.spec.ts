import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createMaintenanceActivities,
  type MaintenanceDependencies,
} from '../../../src/activities/maintenance.activities.js';
import { Metrics } from '../../../src/core/metrics/metrics.js';
import type { TestApi } from '../../support/api/api.js';
import { AuthorizationBench } from '../../support/api/authorization-bench.js';

let bench: AuthorizationBench;
let api: TestApi;
beforeAll(async () => {
  bench = await AuthorizationBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

describe('an approved network that no longer holds', () => {
  let named = 0;
  /** A run under a policy of its own, approved. */
  async function approved(): Promise<{ id: string; policy: string }> {
    const policy = `changing-${(named += 1)}`;
    await bench.agent(policy, '*.example.org:443');
    const { id, approval } = await bench.park(undefined, policy);
    expect((await bench.decide(approval, 'approve')).status).toBe(200);
    return { id, policy };
  }

  const WILDCARD =
    '{kind: dns, pattern: {kind: wildcard, suffix: example.org}, ports: [{from: 443, to: 443}], protocol: tcp}';
  const NAME = '{kind: dns, pattern: {kind: exact, name: a.example.org}, ports: [{from: 443, to: 443}], protocol: tcp}';
  it.each([
    ['max_mode: offline', 'its policy has changed: network.mode: mode_ceiling'],
    [`max_mode: approved, deny: [${WILDCARD}]`, 'its policy has changed: network: policy_deny'],
    [`max_mode: approved, deny: [${NAME}]`, 'its policy denies more by now'],
    [`max_mode: approved, allow: [${NAME}]`, 'its policy has changed: network: not_in_catalog'],
    ['max_mode: approved, max_grant_secs: 1800', 'its policy allows grants of 1800 s by now'],
  ])('is refused, and never narrowed, when its policy says by now: %s', async (network, why) => {
    const { id, policy } = await approved();
    await bench.publish(policy, network);
    expect(await bench.authorize(id)).toBe('refused');
    expect(await bench.grantOf(id)).toBe('revoked');
    await bench.finish(id);
    const [status, reason] = await bench.statusOf(id);
    expect([status, reason]).toEqual(['failed', expect.stringContaining(`network grant was not authorized: ${why}`)]);
    expect(await bench.revocations(id)).toEqual([{ mode: 'approved', reason }]);
  });

  it('holds when its policy allows more by now', async () => {
    const { id, policy } = await approved();
    await bench.publish(policy, 'max_mode: public');
    expect(await bench.authorize(id)).toBe('authorized');
  });

  it.each([
    ["update approvals set input_digest = 'sha256:0' where session_id = $1", 'it is not the grant that was approved'],
    [
      "update network_grants set grant_digest = 'sha256:0' where session_id = $1",
      'it is not the grant that was approved',
    ],
    ['update network_grants set approval_id = null where session_id = $1', 'its approval is gone'],
  ])('is refused when its record was changed: %s', async (sql, why) => {
    const { id } = await approved();
    await api.database.owner.query(sql, [id]);
    expect(await bench.authorize(id)).toBe('refused');
    await bench.finish(id);
    expect(await bench.statusOf(id)).toEqual(['failed', `network grant was not authorized: ${why}`]);
  });
});

describe('a grant in force', () => {
  it('is revoked when its time is over, and its run goes on', async () => {
    const counted = await grantsCounted();
    const { id, approval } = await bench.park();
    await bench.decide(approval, 'approve');
    await bench.authorize(id);
    const maintain = (): Promise<void> =>
      createMaintenanceActivities({ database: api.db } as unknown as MaintenanceDependencies).expireRecords();
    await maintain();
    expect(await bench.grantOf(id)).toBe('active');
    await api.database.owner.query('update network_grants set expires_at = now() where session_id = $1', [id]);
    await maintain();
    await maintain();
    expect([await bench.grantOf(id), await bench.statusOf(id)]).toEqual(['revoked', ['queued', null]]);
    expect(await bench.revocations(id)).toEqual([{ mode: 'approved', reason: 'the grant expired' }]);
    const after = await grantsCounted();
    const grown = ['awaiting_authorization', 'active', 'revoked', 'denied'].map(
      (outcome) => (after.get(outcome) ?? 0) - (counted.get(outcome) ?? 0),
    );
    expect(grown).toEqual([1, 1, 1, 0]);
  });

  async function grantsCounted(): Promise<Map<string, number>> {
    const text = await api.app.get(Metrics).render();
    const lines = text.matchAll(/^service_network_grants_total\{outcome="(\w+)"\} (\d+)$/gm);
    return new Map([...lines].map(([, outcome, count]) => [outcome ?? '', Number(count)]));
  }
});
