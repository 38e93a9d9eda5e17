import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIENCES } from '../../../src/core/runs/tokens.js';
import { startConnectProxy } from '../../support/http/connect-proxy.js';
import { helloOf, serverName } from '../../support/network/client-hellos.js';
import { NAME, TunnelBench, WIDE_NAME } from '../../support/network/tunnel-bench.js';
import { createNetworkedRun, readToEnd, type Asking } from '../../support/network/tunnels.js';
import { until } from '../../support/time/until.js';

let bench: TunnelBench;

beforeAll(async () => {
  bench = await TunnelBench.open();
});
afterEach(() => bench.reset());
afterAll(() => bench.close());

describe('a tunnel', () => {
  it('leads to what the run was granted, and is on the record before a byte is sent', async () => {
    const plane = await bench.start();
    const run = await createNetworkedRun(bench.db, {
      targets: [bench.target, `*.wide.example.com:${bench.host.port}`],
    });
    const asked = await bench.ask(plane, run, bench.target);
    expect(asked).toMatchObject({ status: 101 });
    expect(await bench.events(run)).toEqual([
      { type: 'network.allowed', data: { target: NAME, port: bench.host.port, protocol: 'tcp' } },
    ]);
    expect(await bench.get(asked)).toContain(`hello from ${NAME}`);
    expect(
      await bench.get(await bench.ask(plane, run, `${NAME.toUpperCase()}:${bench.host.port}`), '/large'),
    ).toContain('x'.repeat(100_000));
    const wide = await bench.ask(plane, run, `${WIDE_NAME}:${bench.host.port}`);
    expect(await bench.get(wide, '/', WIDE_NAME)).toContain('hello');
    const counted = await until(
      () => bench.flows(run),
      (rows) => rows.some(({ target, received }) => target === NAME && received > 100_000),
    );
    expect(counted).toMatchObject([
      { target: WIDE_NAME, verdict: 'allowed', connections: 1 },
      { target: NAME, port: bench.host.port, verdict: 'allowed', connections: 2 },
    ]);
    expect((await bench.events(run)).map(({ type }) => type)).toEqual(['network.allowed', 'network.allowed']);
  });

  it('carries each side’s end, and what comes after it from the other', async () => {
    const plane = await bench.start();
    const late = await echoAtEnd();
    const run = await createNetworkedRun(bench.db, { targets: [`${NAME}:${late.port}`] });
    const { socket } = await bench.ask(plane, run, `${NAME}:${late.port}`);
    const hello = helloOf([serverName(NAME)]);
    socket.end(Buffer.concat([hello, Buffer.from([23, 3, 3, 0, 1, 9])]));
    expect(await readToEnd(socket)).toEqual(Buffer.concat([hello, Buffer.from([23, 3, 3, 0, 1, 9])]));
    late.server.close();
  });

  it('goes through the proxy of the deployment, which resolves the name', async () => {
    const proxy = await startConnectProxy();
    const plane = await bench.start({}, proxy.url);
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    expect(await bench.get(await bench.ask(plane, run, bench.target))).toContain('hello');
    expect(proxy.tunnels).toEqual([bench.target]);
    proxy.refuseWith = 502;
    expect(await bench.ask(plane, run, bench.target)).toMatchObject({ status: 502 });
    await proxy.close();
  });
});

describe('whose a tunnel is', () => {
  it('CP-273 CP-277 the token says on the listener, of the audience tool alone', async () => {
    const plane = await bench.start();
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    const target = bench.target;
    for (const path of ['/internal/tunnel', `/internal/sessions/${run.runId}/tunnel`, '/internal/sessions/x/tunnel']) {
      for (const audience of AUDIENCES.filter((name) => name !== 'tool'))
        expect(await bench.ask(plane, run, target, { path, token: run.tokens[audience] })).toMatchObject({
          ...{ status: 403, error: 'wrong_audience' },
        });
      expect(await bench.ask(plane, run, target, { path })).toMatchObject({ status: 101 });
    }
    for (const token of [null, 'admin', `svc_sess_${'0'.repeat(64)}`])
      expect(await bench.ask(plane, run, target, { token })).toMatchObject({ status: 401, error: 'unauthorized' });
    expect(await bench.ask(plane, run, target, { lines: ['cookie: __Host-svc_web=x'] })).toMatchObject({ status: 400 });
    await bench.db.withTenant(run.organizationId, (tx) =>
      tx.query('update api_tokens set revoked_at = clock_timestamp() where session_id = $1', [run.runId]),
    );
    await until(
      () => bench.ask(plane, run, target),
      ({ status }) => status === 401,
    );
  });

  it('CP-277 the socket says on a plane socket, and a token there has to be its run’s', async () => {
    const plane = await bench.start();
    const target = bench.target;
    const own = await createNetworkedRun(bench.db, { targets: [target] });
    const other = await createNetworkedRun(bench.db, { targets: ['other.example:443'] });
    const to = await bench.through(plane, own);
    for (const token of [null, own.tokens.tool])
      expect(await bench.get(await bench.ask(plane, own, target, { to, token }))).toContain('hello');
    expect(await bench.ask(plane, own, target, { to, token: other.tokens.tool })).toMatchObject({
      ...{ status: 403, error: 'wrong_run' },
    });
    expect(await bench.ask(plane, own, target, { to, token: other.tokens.llm })).toMatchObject({
      ...{ status: 403, error: 'wrong_audience' },
    });
    // The grant is that of the socket's run, whoever the request says it is.
    const lies = [`x-session-id: ${other.runId}`, `forwarded: for=${other.runId}`, `x-forwarded-for: ${other.runId}`];
    const path = `/internal/sessions/${other.runId}/tunnel`;
    expect(await bench.ask(plane, own, target, { to, token: null, lines: lies, path })).toMatchObject({ status: 101 });
    expect(await bench.ask(plane, own, 'other.example:443', { to, token: null, lines: lies, path })).toMatchObject({
      status: 403,
    });
    expect(await bench.events(other)).toEqual([]);
  });

  it('CP-050 CP-052 the public listener has none where the plane has one of its own', async () => {
    const plane = await bench.start({ SERVICE_INTERNAL_BIND: '127.0.0.1:0' });
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    expect(await bench.ask(plane, run, bench.target)).not.toMatchObject({ status: 101 });
    expect(await bench.events(run)).toEqual([]);
  });
});

describe('what is no request for a tunnel', () => {
  it('is answered, and opens nothing', async () => {
    const plane = await bench.start();
    const run = await createNetworkedRun(bench.db, { targets: [bench.target] });
    const target = bench.target;
    const refused: [number, string | null, Partial<Asking>?][] = [
      [426, target, { upgrade: '' }],
      [426, target, { upgrade: 'websocket' }],
      [426, target, { upgrade: 'sandgate-tunnel/2' }],
      [404, target, { path: '/internal/tunnels' }],
      [400, target, { ahead: 'x' }],
      [400, null],
      [400, target, { lines: [`x-tunnel-target: ${target}`] }],
      [400, `${'a'.repeat(63)}.`.repeat(5) + 'example:443'],
      ...[
        '',
        'name',
        `${NAME}`,
        `${NAME}:0`,
        `${NAME}:65536`,
        `${NAME}:4a3`,
        `https://${NAME}:443`,
        `a@${NAME}:443`,
      ].map((bad): [number, string] => [400, bad]),
      ...[`${NAME}.:443`, `*.outside.example:443`, 'bücher.example:443', '-a.example:443'].map(
        (bad): [number, string] => [400, bad],
      ),
    ];
    for (const [status, text, change] of refused)
      expect({ text, status: (await bench.ask(plane, run, text as string, change ?? {})).status }).toEqual({
        text,
        status,
      });
    expect(await bench.events(run)).toEqual([]);
    const plain = await fetch(`${plane.url}/internal/tunnel`, {
      headers: { authorization: `Bearer ${run.tokens.tool}` },
    });
    expect({ status: plain.status, upgrade: plain.headers.get('upgrade') }).toEqual({
      ...{ status: 426, upgrade: 'sandgate-tunnel/1' },
    });
  });
});

/** Sends everything back when the client has ended, and not before. */
async function echoAtEnd(): Promise<{ port: number; server: Server }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => socket.end(Buffer.concat(chunks)));
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}
