import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Egress } from './egress.js';
import { EgressError } from './egress-error.js';
import type { GuardedRequest } from './guarded-request.js';

const servers: Server[] = [];
const clients: Egress[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function egress(allowCidrs = ['127.0.0.0/8']): Egress {
  const client = new Egress({ allowCidrs, proxy: null });
  clients.push(client);
  return client;
}

const GET: Omit<GuardedRequest, 'url'> = {
  method: 'GET',
  headers: {},
  timeoutMs: 60_000,
  maxBodyBytes: 1_000,
  redirects: 'refuse',
};

async function failure(work: Promise<unknown>): Promise<EgressError> {
  const cause: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (cause instanceof EgressError) return cause;
  throw new Error(`expected a refusal, not ${String(cause)}`);
}

describe('the guarded client', () => {
  it('answers with status, headers and body', async () => {
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () =>
        response.writeHead(201, { 'x-many': ['a', 'b'] }).end(`${request.method} ${request.url} ${body}`),
      );
    });
    const answer = await egress().guarded.request({ ...GET, method: 'POST', url: `${url}/mcp?x=1`, body: '{}' });
    expect([answer.status, answer.headers.get('x-many')]).toEqual([201, 'a, b']);
    expect((await answer.readBody()).toString()).toBe('POST /mcp?x=1 {}');
  });

  it('gives the whole request its time, the body included, and says whether it was sent', async () => {
    const url = await serve((_request, response) => void response.writeHead(200).write('beginning'));
    const { guarded } = egress();
    const answer = await guarded.request({ ...GET, url, timeoutMs: 3_000 });
    expect(await failure(answer.readBody())).toMatchObject({ reason: 'timeout', sent: true });
  });

  it('stops at the ceiling of the body, announced, streamed or unpacked', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/announced') response.writeHead(200, { 'content-length': 5_000 }).end('x'.repeat(5_000));
      else if (request.url === '/packed')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(5_000_000)));
      else response.writeHead(200).end('x'.repeat(5_000));
    });
    const { guarded } = egress();
    expect(await failure(guarded.request({ ...GET, url: `${url}/announced` }))).toMatchObject({
      reason: 'too_large',
      sent: true,
    });
    for (const path of ['/packed', '/streamed']) {
      const answer = await guarded.request({ ...GET, url: url + path });
      expect(await failure(answer.readBody())).toMatchObject({ reason: 'too_large', sent: true });
    }
  });

  it('knows that nothing was sent when nobody listens, and that something was when the answer breaks off', async () => {
    const url = await serve((request) => request.socket.destroy());
    const { guarded } = egress();
    expect(await failure(guarded.request({ ...GET, url }))).toMatchObject({ reason: 'broken', sent: true });
    const closed = await serve(() => undefined);
    servers.pop()?.close();
    expect(await failure(guarded.request({ ...GET, url: closed }))).toMatchObject({ reason: 'connect', sent: false });
  });

  it('tells who begins to read late of a body that broke off in the same words', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('begun', () => request.socket.destroy());
    });
    const { body } = await egress().guarded.request({ ...GET, url });
    if (!body.closed) await new Promise((closed) => body.once('close', closed));
    expect(await failure(body.toArray())).toMatchObject({ reason: 'broken', sent: true });
  });

  it('CP-034 takes a redirect for a failure, and never shows where it led', async () => {
    let asked = 0;
    const inside = await serve((_request, response) => {
      asked += 1;
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(307, { location: inside }).end());
    const refused = await failure(egress().guarded.request({ ...GET, url }));
    expect(refused).toMatchObject({ reason: 'redirect', sent: true, message: 'upstream attempted redirect (refused)' });
    expect(asked).toBe(0);
  });

  it('judges every hop where redirects are followed, and tells another origin no credential', async () => {
    const seen: unknown[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-api-key'], request.headers.accept);
      response.end('there');
    });
    const url = await serve((request, response) => {
      const location =
        request.url === '/inside'
          ? 'http://169.254.169.254/latest/meta-data'
          : request.url === '/loop'
            ? '/loop'
            : other;
      response.writeHead(302, { location }).end();
    });
    const { guarded } = egress();
    const follow = {
      ...GET,
      redirects: 'follow' as const,
      headers: { authorization: 'Bearer x', 'x-api-key': 'y', accept: 'text/plain' },
    };
    expect((await (await guarded.request({ ...follow, url })).readBody()).toString()).toBe('there');
    expect(seen).toEqual([undefined, undefined, 'text/plain']);
    const refused = await failure(guarded.request({ ...follow, url: `${url}/inside` }));
    expect(refused).toMatchObject({ reason: 'address', sent: true });
    expect(await failure(guarded.request({ ...follow, url: `${url}/loop` }))).toMatchObject({
      reason: 'too_many_redirects',
    });
  });

  it('CP-160 says "not sent" of a request that was given up while it waited, and then never sends it', async () => {
    const arrived: string[] = [];
    let release = (): void => undefined;
    const resolving = new Promise<void>((go) => (release = go));
    const url = new URL(await serve((request, response) => response.end(void arrived.push(request.url ?? ''))));
    const waiting = new Egress(
      { allowCidrs: ['127.0.0.0/8'], proxy: null },
      { resolve: () => resolving.then(() => ['127.0.0.1']) },
    );
    clients.push(waiting);
    url.hostname = 'slow.example';
    const given = new AbortController();
    const early = failure(waiting.guarded.request({ ...GET, url: `${url.origin}/given-up`, signal: given.signal }));
    const late = waiting.guarded.request({ ...GET, url: `${url.origin}/patient` });
    given.abort();
    expect(await early).toMatchObject({ reason: 'aborted', sent: false });
    release();
    await (await late).readBody();
    expect(arrived).toEqual(['/patient']);
  });
});
