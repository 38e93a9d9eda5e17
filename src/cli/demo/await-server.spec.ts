import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SandgateClient } from '../server/sandgate-client.js';
import { awaitServer } from './await-server.js';

const TOKEN = 'the-token-of-this-server';
const READY = { status: 'ready', db: true, provider: 'docker', provider_ok: true };

describe('waiting for a server that is being started', () => {
  /** Answers of `/v1/health/ready`, the last of which stays. */
  let answers: [status: number, body: object][] = [];
  const server = http.createServer((request, response) => {
    const known = request.headers.authorization === `Bearer ${TOKEN}`;
    const isProbe = request.url === '/v1/health/ready';
    const [status, body] = isProbe
      ? ((answers.length > 1 ? answers.shift() : answers[0]) ?? [500, {}])
      : known
        ? [200, { harnesses: [] }]
        : [401, { error: 'the token is not known' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  let url = '';

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const wait = async (on: { url?: string; token?: string; withinMs?: number; signal?: AbortSignal } = {}) => {
    const told: string[] = [];
    const client = new SandgateClient({ url: on.url ?? url, token: on.token ?? TOKEN, source: 'test' });
    const { withinMs = 60_000, signal = AbortSignal.timeout(100_000) } = on;
    await awaitServer(client, { signal, withinMs, everyMs: 5, notify: (reason) => told.push(reason) });
    return told;
  };

  it('ends when the server answers, knows the token and has a sandbox host, and tells each reason once', async () => {
    const noDatabase: [number, object] = [503, { error: 'the database is unreachable' }];
    const noHost: [number, object] = [200, { ...READY, provider_ok: false }];
    answers = [noDatabase, noDatabase, noHost, noHost, [200, READY]];
    expect(await wait()).toEqual([
      '  waiting: the database is unreachable',
      '  waiting: no sandbox host has reported yet; the log of the worker says why',
    ]);
  });

  it('gives up with what was missing', async () => {
    answers = [[200, { ...READY, provider_ok: false }]];
    await expect(wait({ withinMs: 20 })).rejects.toThrow(/^the server is not ready: no sandbox host has reported/);
    await expect(wait({ url: 'http://127.0.0.1:1', withinMs: 20 })).rejects.toThrow(/no answer from http/);
  });

  it('does not wait where the token is refused, nor when nobody wants it any more', async () => {
    answers = [[200, READY]];
    await expect(wait({ token: 'of-another-server' })).rejects.toThrow('the token is not known');
    answers = [[503, { error: 'not yet' }]];
    await expect(wait({ signal: AbortSignal.timeout(50) })).rejects.toThrow(/abort/i);
  });
});
