import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createMaintenanceActivities,
  type MaintenanceDependencies,
} from '../../../src/activities/maintenance.activities.js';
import { readTunnels } from '../../../src/core/network/flows.js';
import { readRows } from '../../support/gate/gated-run.js';
import { TunnelBench } from '../../support/network/tunnel-bench.js';
import { createNetworkedRun } from '../../support/network/tunnels.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

let bench: TunnelBench;

beforeAll(async () => {
  bench = await TunnelBench.open();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

const maintain = (): Promise<void> =>
  createMaintenanceActivities({ database: bench.db } as unknown as MaintenanceDependencies).expireRecords();
const newRun = (): Promise<FixtureRun> => createNetworkedRun(bench.db, { targets: [bench.target] });
/** What a process leaves behind that is killed while it counts connections of a run. */
const die = (run: FixtureRun): Promise<unknown> => readTunnels(bench.db.pool, run, randomUUID());
const gaps = async (run: FixtureRun): Promise<unknown[]> =>
  (await bench.events(run)).filter(({ type }) => type === 'network.observation.degraded').map(({ data }) => data);
const observers = async (run: FixtureRun): Promise<number> =>
  (await readRows(bench.db, run, 'select 1 from network_observers where session_id = $1')).length;
const GAP = { reason: expect.stringContaining('ended before it had recorded all that it counted') };

describe('counts of connections that a dead process took with it', () => {
  it('are told once for each loss, whoever notices it at the same time', async () => {
    const run = await newRun();
    await die(run);
    await Promise.all([maintain(), maintain(), maintain()]);
    await maintain();
    expect(await gaps(run)).toEqual([GAP]);
    await die(run);
    await maintain();
    expect(await gaps(run)).toEqual([GAP, GAP]);
  });

  it('are told before the summary of a run that ends', async () => {
    const run = await newRun();
    const plane = await bench.start();
    await bench.get(await bench.ask(plane, run, bench.target));
    await die(run);
    await bench.conclude(run);
    await maintain();
    const types = (await bench.events(run)).map(({ type }) => type);
    expect(types).toEqual([
      'network.allowed',
      'network.observation.degraded',
      'network.summary',
      'network.grant.revoked',
    ]);
  });

  it('are told after the end of a run whose process was not known to be dead by then', async () => {
    const run = await newRun();
    const plane = await bench.start();
    await bench.ask(plane, run, bench.target);
    await bench.conclude(run);
    expect(await gaps(run)).toEqual([]);
    await die(run);
    await maintain();
    // A process that only asked when the run was over has counted nothing.
    expect(await gaps(run)).toEqual([]);
  });
});

describe('counts of connections that are all on the record', () => {
  it('are no loss when the process stops', async () => {
    const run = await newRun();
    const plane = await bench.start();
    await bench.ask(plane, run, bench.target);
    expect(await observers(run)).toBe(1);
    await bench.stop(plane);
    await maintain();
    expect([await observers(run), await gaps(run)]).toEqual([0, []]);
  });

  it('are no loss either when the process dies a while after the last connection ended, and are watched again with the next one', async () => {
    const run = await newRun();
    const plane = await bench.start();
    const { socket } = await bench.ask(plane, run, bench.target);
    socket.destroy();
    const left = await until(
      () => observers(run),
      (count) => count === 0,
    );
    expect(left).toBe(0);
    expect(await bench.flows(run)).toMatchObject([{ connections: 1 }]);
    await bench.ask(plane, run, bench.target);
    expect(await observers(run)).toBe(1);
    const denied = await bench.ask(plane, run, 'elsewhere.example:443');
    expect(denied.status).toBe(403);
  });
});
