import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NAME, TunnelBench } from '../../support/network/tunnel-bench.js';
import { createNetworkedRun, readToEnd } from '../../support/network/tunnels.js';
import { until } from '../../support/time/until.js';

let bench: TunnelBench;

beforeAll(async () => {
  bench = await TunnelBench.open();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

describe('the limits of one run', () => {
  it('CP-299 hold for connections at once, and give places back', async () => {
    const plane = await bench.start({ SERVICE_LIMIT_TUNNELS: '2', SERVICE_LIMIT_CONNECTIONS: '3' });
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    const to = await bench.through(plane, run);
    const open = [await bench.ask(plane, run, bench.target, { to }), await bench.ask(plane, run, bench.target, { to })];
    for (let time = 0; time < 3; time += 1)
      expect(await bench.ask(plane, run, bench.target, { to })).toMatchObject({
        ...{ status: 429, error: 'this run has 2 connections open already' },
      });
    // Tunnels are no connections of the plane, which takes others all the same.
    const idle = await Promise.all([1, 2].map(() => bench.ask(plane, run, null, { to, upgrade: '' })));
    expect(idle.map(({ status }) => status)).toEqual([426, 426]);
    open[0]?.socket.destroy();
    await until(
      () => bench.ask(plane, run, bench.target, { to }),
      ({ status }) => status === 101,
    );
    expect(await bench.reachedLimits(run)).toEqual(['tunnels']);
  });

  it('CP-299 hold for connections in all, also for another process', async () => {
    const env = { SERVICE_LIMIT_TUNNEL_OPENS: '2' };
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    const first = await bench.start(env);
    for (const status of [101, 101, 429]) expect(await bench.ask(first, run, bench.target)).toMatchObject({ status });
    await bench.stop(first);
    expect(await bench.ask(await bench.start(env), run, bench.target)).toMatchObject({ status: 429 });
    expect(await bench.reachedLimits(run)).toEqual(['tunnel_opens']);
  });

  it('CP-299 hold for bytes, in the middle of a download', async () => {
    const plane = await bench.start({ SERVICE_LIMIT_TUNNEL_BYTES: '50000' });
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    const page = await bench.get(await bench.ask(plane, run, bench.target), '/large');
    expect(page.length).toBeLessThan(70_000);
    expect(await bench.ask(plane, run, bench.target)).toMatchObject({
      ...{ status: 429, error: 'this run has exchanged its 50000 bytes' },
    });
    expect(await bench.reachedLimits(run)).toEqual(['tunnel_bytes']);
  });
});

describe('the end', () => {
  it('of a grant cuts what is open, and is on the record once', async () => {
    const plane = await bench.start();
    const run = await createNetworkedRun(bench.db, { targets: [bench.target], endsInSecs: 2 });
    const { socket } = await bench.ask(plane, run, bench.target);
    await readToEnd(socket);
    expect(await bench.ask(plane, run, bench.target)).toMatchObject({
      ...{ status: 403, error: expect.stringContaining('network grant of this run ended at') },
    });
    const revoked = await until(
      async () => (await bench.events(run)).filter(({ type }) => type === 'network.grant.revoked'),
      (found) => found.length > 0,
    );
    expect(revoked).toEqual([
      { type: 'network.grant.revoked', data: { mode: 'approved', reason: 'the grant expired' } },
    ]);
    const later = await bench.start();
    expect(await bench.ask(later, run, bench.target)).toMatchObject({
      ...{ status: 403, error: expect.stringContaining('network grant of this run ended at') },
    });
  });

  it('of a grant is noticed while somebody holds the rows of another run, which is cut when it is unheard of', async () => {
    const plane = await bench.start({ SERVICE_LIMIT_TUNNEL_FIRST_BYTES_MS: '60000' });
    const held = await createNetworkedRun(bench.db, { targets: [bench.target] });
    const ending = await createNetworkedRun(bench.db, { targets: [bench.target], endsInSecs: 3 });
    const unheard = readToEnd((await bench.ask(plane, held, bench.target)).socket).then(() => 'cut');
    await bench.db.withTenant(held.organizationId, async (tx) => {
      for (const table of ['network_flows', 'session_heads'])
        await tx.query(`select 1 from ${table} where session_id = $1 for update`, [held.runId]);
      // A count that waits for the row.
      await bench.ask(plane, held, bench.target);
      const { socket } = await bench.ask(plane, ending, bench.target);
      const cut = readToEnd(socket).then(() => 'cut');
      expect(await Promise.race([cut, sleep(8_000, 'still open', { ref: false })])).toBe('cut');
      // Whether the other run goes on is not known all the while.
      expect(await Promise.race([unheard, sleep(30_000, 'still open', { ref: false })])).toBe('cut');
    });
  });

  it('of a run cuts what is open, and sums up what was reached', async () => {
    const plane = await bench.start();
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    expect(await bench.get(await bench.ask(plane, run, bench.target), '/large')).toContain('xxx');
    const { socket } = await bench.ask(plane, run, bench.target);
    await until(
      () => bench.flows(run),
      ([row]) => (row?.received ?? 0) > 100_000 && row?.connections === 2,
    );
    await bench.conclude(run);
    await readToEnd(socket);
    expect(await bench.ask(plane, run, bench.target)).toMatchObject({
      status: 401,
      error: 'unauthorized',
    });
    const [summary] = (await bench.events(run)).filter(({ type }) => type === 'network.summary');
    expect(summary?.data).toMatchObject({
      flows: [{ target: NAME, port: bench.host.port, connections: 2, bytes_received: expect.any(Number) }],
      targets_truncated: false,
    });
  });

  it('of the process cuts what is open and loses no count', async () => {
    const plane = await bench.start();
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    expect(await bench.get(await bench.ask(plane, run, bench.target), '/large')).toContain('xxx');
    const { socket } = await bench.ask(plane, run, bench.target);
    await Promise.all([readToEnd(socket), bench.stop(plane)]);
    expect(await bench.flows(run)).toMatchObject([{ connections: 2 }]);
    expect((await bench.flows(run))[0]?.received).toBeGreaterThan(100_000);
  });
});
