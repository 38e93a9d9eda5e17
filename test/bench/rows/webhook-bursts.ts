import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSubscription } from '../../support/triggers/subscription-fixture.js';
import { githubPullRequest } from '../../support/webhooks/payloads.js';
import { BenchStack } from '../bench-stack.js';
import { createBareSchema } from '../bare-schema.js';
import { forkServer } from '../load/forked-server.js';
import { HttpConnection } from '../load/http-connection.js';
import { spreadOf, type Spread } from '../load/percentiles.js';
import { atLeast, atMost } from '../row.js';
import type { AloneRow } from './bench-row.js';

const SECRET = 'a secret of the code host';
/** So many webhooks are under way at once. */
const AT_ONCE = 32;
/** Every so often the host sends one again. */
const REPEATED_EVERY = 5;
const TITLE = 'the title of this one';

/** Bursts of webhooks, verified and stored once each, and how fast those that a trigger listens to become runs. */
export const webhookBursts: AloneRow = {
  name: 'webhook-bursts',
  timeoutMs: 180_000,
  async measureAlone({ quick }) {
    await using host = await scriptedHost();
    await using stack = await BenchStack.start({
      SERVICE_CODEHOST_API_URL: host.url,
      SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE: '1',
    });
    const connection = await stack.json<{ id: string }>('POST', '/v1/connections', {
      ...{ provider: 'codehost', token: 'bench', webhook_secret: SECRET },
    });
    const count = quick ? 200 : 5000;
    const bare = await measureBare(stack, count);
    const path = `/v1/ingress/codehost/${connection.id}`;
    const ours = await warmBurst(stack.port, path, count);
    const matched = quick ? 20 : 200;
    const drained = await measureDrain(stack, connection.id, matched);
    return {
      values: { per_second: ours.perSecond, p50: ours.p50, p99: ours.p99, drained_per_second: drained },
      unit: { per_second: 'webhooks/s', p50: 'ms', p99: 'ms', drained_per_second: 'runs/s' },
      baseline: { per_second: bare.perSecond, p50: bare.p50, p99: bare.p99 },
      targets: [atLeast('rate', ours.perSecond, 500, 'webhooks/s'), atMost('p99', ours.p99, 100, 'ms')],
      notes: [
        `${count} webhooks of a pull request, ${AT_ONCE} at once, every fifth sent twice, after as many others; no trigger listens to them`,
        'baseline: bare Fastify, signature, JSON and one insert, with the same webhooks',
        `drained: ${matched} webhooks that one trigger listens to, from the first one sent to the last run on the record`,
      ],
    };
  },
};

interface Burst extends Spread {
  perSecond: number;
}

/** A burst after another one of other webhooks: a process that has just started still compiles what it runs. */
async function warmBurst(port: number, path: string, count: number): Promise<Burst> {
  await burst(port, path, count, 2_000_000);
  return burst(port, path, count);
}

async function burst(port: number, path: string, count: number, first = 0): Promise<Burst> {
  const payload = JSON.stringify(githubPullRequest({ title: TITLE }));
  const connections = await Promise.all(Array.from({ length: AT_ONCE }, () => HttpConnection.open(port)));
  const times: number[] = [];
  let sent = 0;
  const startedAt = performance.now();
  const callers = connections.map(async (connection) => {
    while (sent < count) {
      const index = first + sent;
      sent += 1;
      const again = index % REPEATED_EVERY === REPEATED_EVERY - 1 ? index - 1 : index;
      const request = webhookRequest(path, `bench-${again}`, payload.replace(TITLE, `Change ${again}`));
      const sentAt = performance.now();
      const { status, body } = await connection.exchange(request);
      times.push(performance.now() - sentAt);
      if (status !== 200) throw new Error(`answered ${status} ${body}`);
    }
  });
  await Promise.all(callers);
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of connections) connection.close();
  return { ...spreadOf(times), perSecond: count / seconds };
}

function webhookRequest(path: string, delivery: string, body: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: bench',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-github-event: pull_request',
    `x-github-delivery: ${delivery}`,
    `x-hub-signature-256: sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

async function measureBare(stack: BenchStack, count: number): Promise<Burst> {
  await createBareSchema(stack.owner, 1);
  await using server = await forkServer('bare-webhooks', { url: stack.databaseUrl, secret: SECRET });
  return await warmBurst(server.port, '/webhooks', count);
}

/** Runs a second, from the first webhook sent to the last run on the record. */
async function measureDrain(stack: BenchStack, connectionId: string, count: number): Promise<number> {
  const { agent } = await stack.json<{ agent: { id: string; tenant_id: string } }>('POST', '/v1/agents', {
    ...{ name: 'bench-events', harness: 'replay', policy: 'standard' },
  });
  const { id } = await createSubscription(
    stack.db,
    { organizationId: agent.tenant_id, agentId: agent.id },
    {
      trigger_kind: 'event',
      connection_id: connectionId,
      repositories: [],
      events: ['pull_request.opened'],
      publish: [],
    },
  );
  const startedAt = performance.now();
  // Numbers of their own: what the burst before stored would count as sent again.
  await burst(stack.port, `/v1/ingress/codehost/${connectionId}`, count, 1_000_000);
  const distinct = count - Math.floor(count / REPEATED_EVERY);
  for (let looks = 0; looks < 1200; looks += 1) {
    const { rows } = await stack.owner.query<{ runs: number }>(
      'select count(*)::int as runs from sessions where subscription_id = $1',
      [id],
    );
    if (rows[0]?.runs === distinct) return distinct / ((performance.now() - startedAt) / 1000);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('not every webhook became a run');
}

/** Answers whose token it is, which is all that connecting asks. */
async function scriptedHost(): Promise<{ url: string } & AsyncDisposable> {
  const server: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"id":1,"login":"bench"}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}
