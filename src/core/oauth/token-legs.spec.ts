import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { Egress } from '../../platform/egress/egress.js';
import { OAuthHttp } from './oauth-http.js';
import { TokenRequestFailed } from './token-request-failed.js';
import { TokenRequests, type TokenClient } from './token-requests.js';

describe('the two token requests of a connect', () => {
  const servers: Server[] = [];
  const opened = new Egress({ allowCidrs: ['127.0.0.0/8'], proxy: null });
  const closed = new Egress({ allowCidrs: [], proxy: null });
  const arrived: string[] = [];
  let redirecting: string;
  let target: string;

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  beforeAll(async () => {
    target = await serve((request, response) => {
      arrived.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ access_token: 'stolen', token_type: 'bearer', refresh_token: 'r' }));
    });
    redirecting = await serve((request, response) => {
      arrived.push(request.url ?? '');
      response.writeHead(Number(request.url?.slice(1)), { location: `${target}/elsewhere` }).end();
    });
  });
  afterAll(async () => {
    await Promise.all([opened.close(), closed.close()]);
    for (const server of servers) server.close();
  });

  const client = (tokenEndpoint: string): TokenClient => ({
    issuer: 'https://issuer.example',
    tokenEndpoint,
    clientId: 'sandgate',
    clientSecret: null,
    authMethod: 'none',
    resource: 'https://mcp.example',
  });

  /** Both legs toward an endpoint, each a failure that says whether a token server answered. */
  async function bothLegs(egress: Egress, endpoint: string): Promise<unknown[]> {
    const requests = new TokenRequests(new OAuthHttp(egress.guarded));
    const grant = {
      callback: oauth.validateAuthResponse(
        { issuer: 'https://issuer.example' },
        { client_id: 'sandgate' },
        new URLSearchParams({ code: 'c', state: 's' }),
        's',
      ),
      redirectUri: 'https://us.example/cb',
      verifier: 'v',
    };
    const legs = [requests.exchange(client(endpoint), grant), requests.refresh(client(endpoint), 'refresh')];
    return Promise.all(legs.map((leg) => leg.catch((cause: unknown) => cause)));
  }

  it.each([301, 302, 303, 307, 308])(
    'CP-035 follow no redirect (%s): code, verifier and token go nowhere else',
    async (status) => {
      arrived.length = 0;
      const failures = await bothLegs(opened, `${redirecting}/${status}`);
      expect(failures.every((failure) => failure instanceof TokenRequestFailed)).toBe(true);
      expect(failures).toMatchObject([{ code: 'unreachable' }, { code: 'unreachable' }]);
      expect(arrived).toEqual([`/${status}`, `/${status}`]);
    },
  );

  it('CP-035 are refused toward every class of inside addresses before any byte is sent', async () => {
    arrived.length = 0;
    const { port } = new URL(target);
    const hosts = [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '224.0.0.1',
      '240.0.0.1',
      '[::1]',
      '[fe80::1]',
      '[::ffff:127.0.0.1]',
    ];
    for (const host of [...hosts, 'localhost', 'metadata.google.internal']) {
      for (const failure of await bothLegs(closed, `https://${host}:${port}/token`)) {
        expect(failure).toMatchObject({ code: 'unreachable', cause: { reason: 'address', sent: false } });
      }
    }
    expect(arrived).toEqual([]);
    expect((await bothLegs(opened, `${target}/token`))[1]).toMatchObject({ accessToken: 'stolen' });
  });
});
