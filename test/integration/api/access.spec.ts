import { request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  OPERATOR_PLANE_METADATA,
  PERMISSION_METADATA,
  PERMISSIONS,
  PUBLIC_METADATA,
  TRIGGER_TOKEN_METADATA,
} from '../../../src/api/auth/permission.decorator.js';
import { listenInternalOnly } from '../../../src/api/listeners.js';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { ADMIN_TOKEN, startApi, type TestApi } from '../../support/api/api.js';
import { createRun, type FixtureRun } from '../../support/runs/run-fixture.js';

let api: TestApi;
let internal: Server;
let run: FixtureRun;
beforeAll(async () => {
  api = await startApi({}, [InternalModule, DiscoveryModule]);
  internal = await listenInternalOnly(api.app, { host: '127.0.0.1', port: 0 });
  run = await createRun(api.db);
});
afterAll(async () => {
  internal.close();
  internal.closeAllConnections();
  await api.close();
});

const DATA_ROUTES = ['/v1/agents', '/v1/policies', '/v1/sessions', '/v1/approvals', '/v1/harnesses', '/v1/ledger-key'];

describe('who may call the public plane', () => {
  it('CP-046 CP-055 CP-056 CP-274 CP-301 the admin token as a bearer, everywhere under /v1', async () => {
    for (const path of DATA_ROUTES) {
      expect([path, (await api.get(path)).status]).toEqual([path, 200]);
    }
  });

  it.each([
    ['no credential', {}],
    ['another token', { authorization: `Bearer ${ADMIN_TOKEN}x` }],
    ['a shorter token', { authorization: `Bearer ${ADMIN_TOKEN.slice(0, -1)}` }],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['a scheme in other letters', { authorization: `bearer ${ADMIN_TOKEN}` }],
    ['basic', { authorization: `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString('base64')}` }],
    ['a browser session of nobody', { cookie: '__Host-svc_web=svc_web_0123', 'x-service-csrf': '1' }],
    ['a personal access token of nobody', { authorization: 'Bearer svc_pat_0123456789' }],
    ['a trigger token', { authorization: 'Bearer svc_trig_0123456789' }],
  ])('CP-046 CP-174 CP-177 CP-180 CP-184 CP-205 CP-208 CP-301 %s is 401', async (_what, headers) => {
    for (const path of DATA_ROUTES) {
      const answer = await api.get(path, { token: null, headers });
      expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }]);
    }
    for (const path of [
      '/v1/sessions',
      '/v1/agents',
      `/v1/sessions/${run.runId}/cancel`,
      `/v1/approvals/${run.runId}/decision`,
    ]) {
      expect((await api.post(path, {}, { token: null, headers })).status).toBe(401);
    }
  });

  it('CP-046 a bearer together with a browser session is 400, never a choice between them', async () => {
    const answer = await api.get('/v1/agents', { headers: { cookie: 'a=b; __Host-svc_web=svc_web_0123' } });
    expect(answer.status).toBe(400);
  });

  it('CP-047 CP-051 a runner token fails on /v1, the admin token on /internal, both on one port', async () => {
    for (const token of Object.values(run.tokens)) expect((await api.get('/v1/agents', { token })).status).toBe(401);
    const answer = await api.post('/internal/heartbeat', {});
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }]);
  });

  it('CP-052 the internal listener has no /v1', async () => {
    const { port } = internal.address() as AddressInfo;
    const ask = async (method: string, path: string): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      return [response.status, await response.text()];
    };
    for (const path of ['/v1/health', '/v1/agents', '/', '/internalx', '/V1/health']) {
      expect(await ask('GET', path)).toEqual([404, '{"error":"not found"}']);
    }
    expect((await ask('POST', '/internal/heartbeat'))[0]).toBe(401);
    // A path that leaves the prefix again must not reach the public plane.
    const climbed = await new Promise<number>((resolve, reject) => {
      httpRequest({ port, path: '/internal/../v1/health', method: 'GET' }, (response) =>
        resolve(response.statusCode ?? 0),
      )
        .on('error', reject)
        .end();
    });
    expect(climbed).toBe(404);
  });

  it('CP-050 with a listener of its own the runner plane is on no public port, in any spelling, and answers there', async () => {
    const apart = await startApi({ SERVICE_INTERNAL_BIND: '127.0.0.1:8788' }, [InternalModule]);
    const listener = await listenInternalOnly(apart.app, { host: '127.0.0.1', port: 0 });
    try {
      const { tokens, runId } = await createRun(apart.db);
      const nowhere = await apart.post('/nowhere', {}, { token: tokens.control });
      expect(nowhere).toMatchObject({ status: 404, text: '{"error":"not found"}' });
      for (const path of [
        '/internal/heartbeat',
        '/internal/permission',
        '/internal/tools/call',
        `/internal/sessions/${runId}/heartbeat`,
        '/internal/llm/v1/messages',
        '/internal/nowhere',
        '/internal/',
        '/internal',
        '/%69nternal/heartbeat',
        '/internal%2fheartbeat',
      ]) {
        const answer = await apart.post(path, {}, { token: tokens.control });
        expect([path, answer.status, answer.text]).toEqual([path, nowhere.status, nowhere.text]);
        expect([...answer.headers.keys()].toSorted()).toEqual([...nowhere.headers.keys()].toSorted());
      }
      const { port } = listener.address() as AddressInfo;
      const beat = await fetch(`http://127.0.0.1:${port}/internal/heartbeat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.control}` },
      });
      expect([beat.status, await beat.json()]).toEqual([200, { ok: true, action: null }]);
    } finally {
      listener.close();
      listener.closeAllConnections();
      await apart.close();
    }
  });

  it('a token never appears in an error or a header', async () => {
    const answer = await api.get('/v1/agents', { token: `${ADMIN_TOKEN}-wrong` });
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(ADMIN_TOKEN);
  });
});

describe('every route says who may call it', () => {
  it("carries a known permission, the reason why it is public, or that a trigger's token or the operator alone opens it", () => {
    const { app } = api;
    const reflector = app.get(Reflector);
    const scanner = new MetadataScanner();
    const controllers = app.get(DiscoveryService, { strict: false }).getControllers();
    const unguarded: string[] = [];
    let routes = 0;
    for (const { instance, metatype } of controllers) {
      if (metatype === null || typeof metatype !== 'function') continue;
      for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
        const handler = (instance as Record<string, () => unknown>)[name] as () => unknown;
        if (Reflect.getMetadata('path', handler) === undefined) continue;
        routes += 1;
        const targets = [handler, metatype];
        const permission = reflector.getAllAndOverride<string>(PERMISSION_METADATA, targets as never);
        const reason = reflector.getAllAndOverride<string>(PUBLIC_METADATA, targets as never);
        const ways = [
          (PERMISSIONS as readonly string[]).includes(permission),
          typeof reason === 'string' && reason.length > 10,
          reflector.getAllAndOverride<boolean>(TRIGGER_TOKEN_METADATA, targets as never) === true,
          reflector.getAllAndOverride<boolean>(OPERATOR_PLANE_METADATA, targets as never) === true,
        ];
        if (ways.filter(Boolean).length !== 1) unguarded.push(`${metatype.name}.${name}`);
      }
    }
    expect(unguarded).toEqual([]);
    expect(routes).toBeGreaterThan(20);
  });

  it('CP-008 CP-319 every path of the server stands under /v1 or /internal, but for the client document, and calls a run session', async () => {
    const { paths } = JSON.parse((await api.get('/v1/openapi.json', { token: null })).text) as { paths: object };
    // The address that the interface gives to polling (CP-239).
    for (const path of Object.keys(paths).filter((one) => one !== '/v1/triggers/{id}/runs/{sid}')) {
      expect(path).toMatch(/^\/v1\/|^\/\.well-known\/service-client\.json$/);
      expect(path).not.toMatch(/\/runs?(\/|$)/);
    }
  });
});

describe('health', () => {
  it('CP-168 CP-170 needs no credential', async () => {
    expect((await api.get('/v1/health', { token: null })).body).toEqual({ status: 'ok' });
    const ready = await api.get('/v1/health/ready', { token: null });
    expect([ready.status, ready.body]).toEqual([
      200,
      { status: 'ready', db: true, provider: 'auto', provider_ok: false },
    ]);
    await api.database.owner.query(`insert into hosts (id, name, capacity) values (gen_random_uuid(), 'h', 1)`);
    const { body } = await api.get('/v1/health/ready', { token: null });
    expect([body.provider, body.provider_ok]).toEqual(['bubblewrap', true]);
  });
});
