import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startConnectProxy, type ConnectProxy } from '../../../test/support/http/connect-proxy.js';
import { startHttpsHost, type HttpsHost } from '../../../test/support/http/https-host.js';
import { ModelUpstream } from '../llm/upstream.js';
import { sendWebhook } from './send-webhook.js';
import { Egress } from './egress.js';
import { EgressError } from './egress-error.js';

const REQUEST = { method: 'GET', headers: {}, timeoutMs: 60_000, maxBodyBytes: 1_000, redirects: 'refuse' } as const;

describe('the proxy of outbound traffic', () => {
  let proxy: ConnectProxy;
  let host: HttpsHost;
  let plain: Server;
  let plainPort: number;
  const opened: Egress[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    host = await startHttpsHost(['mcp.example', 'api.openai.example'], (_request, response) =>
      response.end('over tls'),
    );
    plain = createServer((_request, response) => response.end('plain')).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    plainPort = (plain.address() as AddressInfo).port;
  });
  beforeEach(async () => {
    proxy = await startConnectProxy();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((egress) => egress.close()));
    await proxy.close();
    asked.length = 0;
  });
  afterAll(async () => {
    await host.close();
    plain.close();
  });

  function through(url = proxy.url, allowCidrs: string[] = []): Egress {
    const resolve = (name: string): Promise<string[]> => {
      asked.push(name);
      return name === 'opened.example' ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error('no such name'));
    };
    const egress = new Egress({ allowCidrs, proxy: url }, { ca: host.ca, resolve });
    opened.push(egress);
    return egress;
  }

  async function read(egress: Egress, url: string, lane: 'guarded' | 'operator' = 'guarded'): Promise<string> {
    try {
      return (await (await egress[lane].request({ ...REQUEST, url })).readBody()).toString();
    } catch (cause) {
      if (cause instanceof EgressError && !cause.sent) return cause.reason;
      throw cause;
    }
  }

  it('CP-037 carries requests to hosts that tenants name, which it resolves itself', async () => {
    expect(await read(through(), `https://mcp.example:${host.port}/`)).toBe('over tls');
    expect(proxy.tunnels).toEqual([`mcp.example:${host.port}`]);
    expect(asked).toEqual([]);
  });

  it('CP-037 carries model calls and notices', async () => {
    const egress = through();
    const settings = {
      anthropicUrl: 'https://api.anthropic.example',
      anthropicApiKey: null,
      openaiUrl: `https://api.openai.example:${host.port}`,
      openaiApiKey: 'k',
      upstreamUrl: null,
      upstreamKey: null,
    };
    const upstream = new ModelUpstream(settings, 'openai-chat', egress.operatorConnector());
    const answered = Promise.withResolvers<number>();
    upstream.dispatch(
      { path: '/chat/completions', body: '{}', anthropicVersion: undefined, anthropicBeta: undefined },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status) => answered.resolve(status),
        onResponseData: () => undefined,
        onResponseEnd: () => undefined,
        onResponseError: (_controller, cause) => answered.reject(cause),
      },
    );
    expect(await answered.promise).toBe(200);
    await upstream.close();
    const notice = { url: `http://hooks.example:${plainPort}/notice`, headers: {}, body: '{}', timeoutMs: 60_000 };
    const sent = await sendWebhook(egress.operator, notice, new AbortController().signal);
    expect(sent).toEqual({ delivered: true });
    expect(proxy.tunnels).toEqual([`api.openai.example:${host.port}`, `hooks.example:${plainPort}`]);
  });

  it('CP-037 is passed by for loopback of the operator and for opened networks', async () => {
    expect(await read(through(), `http://127.0.0.1:${plainPort}/`, 'operator')).toBe('plain');
    expect(await read(through(), `http://localhost:${plainPort}/`, 'operator')).toBe('plain');
    const open = through(proxy.url, ['127.0.0.0/8']);
    expect(await read(open, `http://127.0.0.1:${plainPort}/`)).toBe('plain');
    expect(await read(open, `http://opened.example:${plainPort}/`)).toBe('plain');
    expect(await read(open, `https://mcp.example:${host.port}/`)).toBe('over tls');
    expect(proxy.tunnels).toEqual([`mcp.example:${host.port}`]);
  });

  it('CP-032 is not asked for literals, metadata and names that only exist inside', async () => {
    const egress = through();
    for (const name of [
      '10.0.0.1',
      '[::1]',
      '0x7f.1',
      'metadata.google.internal',
      'localhost',
      'vault',
      'db.internal',
      'nas.local',
    ]) {
      expect([name, await read(egress, `https://${name}:${host.port}/`)]).toEqual([name, 'address']);
    }
    expect(await read(through(proxy.url, ['10.9.0.0/16']), `http://mcp.example:${plainPort}/`)).toBe('plain_http');
    expect(proxy.tunnels).toEqual([]);
  });

  it('is told its user and password, and nobody else is', async () => {
    const url = new URL(proxy.url);
    url.username = 'sand';
    url.password = 'g%40te';
    expect(await read(through(url.href), `https://mcp.example:${host.port}/`)).toBe('over tls');
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('sand:g@te').toString('base64')}`]);
  });

  it.each([403, 407, 502])('CP-160 that answers %s, or none, leaves the request unsent', async (status) => {
    proxy.refuseWith = status;
    expect(await read(through(), `https://mcp.example:${host.port}/`)).toBe('proxy');
    expect(await read(through('http://127.0.0.1:1'), `https://mcp.example:${host.port}/`)).toBe('proxy');
  });

  it('CP-037 is the configured one: variables of the environment change nothing', async () => {
    const trap = await startConnectProxy();
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    try {
      for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : trap.url;
      const direct = new Egress(
        { allowCidrs: ['127.0.0.0/8'], proxy: null },
        { ca: host.ca, resolve: () => Promise.resolve(['127.0.0.1']) },
      );
      opened.push(direct);
      expect(await read(direct, `https://mcp.example:${host.port}/`)).toBe('over tls');
      expect(await read(direct, `http://127.0.0.1:${plainPort}/`, 'operator')).toBe('plain');
      expect(await read(through(), `https://mcp.example:${host.port}/`)).toBe('over tls');
      expect(trap.tunnels).toEqual([]);
      expect(proxy.tunnels).toHaveLength(1);
    } finally {
      names.forEach((name, index) => {
        const value = before[index];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      });
      await trap.close();
    }
  });

  it('CP-160 is a connection like any other: a certificate for somebody else leaves the request unsent', async () => {
    expect(await read(through(), `https://other.example:${host.port}/`)).toBe('tls');
    const insecure = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await read(through(), `https://other.example:${host.port}/`)).toBe('tls');
    } finally {
      if (insecure === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = insecure;
    }
  });
});
