import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Egress } from './egress.js';
import { sendWebhook, type WebhookOutcome } from './send-webhook.js';

const MANY = 10_000_000;

describe('one attempt at a webhook', () => {
  const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], proxy: null });
  const asked: string[] = [];
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      request.resume().on('end', () => answer(response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
    await egress.close();
  });

  const send = (to = url, timeoutMs = 10_000): Promise<WebhookOutcome> =>
    sendWebhook(egress.guarded, { url: to, headers: {}, body: '{}', timeoutMs }, new AbortController().signal);

  it.each([
    ['a body that is never finished', 200, { 'content-length': String(MANY) }],
    ['an encoding that nobody knows', 201, { 'content-encoding': 'made-up' }],
    ['nothing', 204, {}],
  ])('CP-296 2xx with %s is taken: the body of an answer is not read', async (_what, status, headers) => {
    answer = (response) => {
      response.writeHead(status, headers).flushHeaders();
      if (status === 204) response.end();
    };
    expect(await send()).toEqual({ delivered: true });
  });

  it.each([301, 302, 303, 307, 308, 304])('CP-033 a redirect of %i is not followed', async (status) => {
    asked.length = 0;
    answer = (response) => void response.writeHead(status, { location: `${url}/elsewhere` }).end();
    expect(await send()).toEqual({ delivered: false, error: 'answered with a redirect, which is not followed' });
    expect(asked).toEqual(['/hook']);
  });

  it.each([400, 401, 404, 410, 429, 500, 503])('CP-297 %i is a failure like any other', async (status) => {
    answer = (response) => void response.writeHead(status).end('a secret of the receiver');
    expect(await send()).toEqual({ delivered: false, error: `answered ${status}` });
  });

  it('CP-033 neither silence nor refusal tells where the name led', async () => {
    answer = () => undefined;
    expect(await send(url, 100)).toEqual({ delivered: false, error: 'no answer in 100 ms' });
    expect(await send('http://127.0.0.1:1/')).toEqual({ delivered: false, error: 'not reached (ECONNREFUSED)' });
    expect(await send('https://10.0.0.1/')).toEqual({
      delivered: false,
      error: 'not reached (private/loopback/link-local address (private))',
    });
  });
});
