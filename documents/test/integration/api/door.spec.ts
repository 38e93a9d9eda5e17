import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModulesContainer } from '@nestjs/core';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { declaredRoutes } from '../../../src/api/http/declared-routes.js';
import { heldMemory } from '../../../../test/support/memory/held-memory.js';
import { startApi, type TestApi, type TestOrganization } from '../../support/api/api.js';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

let api: TestApi;
let acme: TestOrganization;
beforeAll(async () => {
  api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '5' });
  acme = await api.organization();
});
afterAll(() => api.close());

const open: ClientRequest[] = [];
const sockets: Socket[] = [];

/** A request whose body has begun and does not end. */
function begin(path: string, headers: object, method = 'POST'): ClientRequest {
  const one = request(api.origin + path, { method, headers: { ...JSON_TYPE, ...headers }, agent: false });
  one.on('error', () => one.destroy());
  open.push(one);
  one.write('{"name": "');
  return one;
}

async function answered(one: ClientRequest): Promise<{ status: number; body: string }> {
  const [answer] = (await once(one, 'response', { signal: AbortSignal.timeout(20_000) })) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

/** Sends so many parts of a body that is announced as longer than them, whatever is answered meanwhile. @returns the line of the status */
async function pour(path: string, part: Buffer, parts: number): Promise<string> {
  const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
  sockets.push(socket);
  const answer = once(socket, 'data', { signal: AbortSignal.timeout(60_000) }) as Promise<[Buffer]>;
  const head = [`POST ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', `content-length: ${44 * MIB}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"name": "`);
  for (let sent = 0; sent < parts; sent++) if (!socket.write(part)) await once(socket, 'drain');
  const [line = ''] = (await answer)[0].toString().split('\r\n');
  return line;
}

describe('whoever may not call is refused before the body of the request is there', () => {
  afterAll(() => {
    for (const one of [...open, ...sockets]) one.destroy();
  });

  it('DI-054 without a token, at every route that takes a body', async () => {
    const routes = declaredRoutes(api.app.get(ModulesContainer)).filter(
      ({ method, admittance }) => ['POST', 'PUT', 'PATCH'].includes(method) && admittance.by === 'scope',
    );
    expect(routes.length).toBeGreaterThan(15);
    const statuses = routes.map(async ({ method, path }) => {
      const { status } = await answered(begin(path.replace(/:\w+/g, '1'), {}, method));
      return `${status} ${method} ${path}`;
    });
    expect((await Promise.all(statuses)).filter((one) => !one.startsWith('401'))).toEqual([]);
  });

  it('DI-060 without the scope, and beyond the rate', async () => {
    const { token } = await acme.client(['projects:read']);
    const authorization = `Bearer ${token}`;
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries++)
      statuses.push((await answered(begin('/api/workspaces', { authorization }))).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });

  it('many at once make the service hold nothing, and each reads why', async () => {
    // Both ends are in this process; what the senders hold is the same mebibyte.
    const before = heldMemory();
    const part = Buffer.alloc(MIB, 'x');
    const statuses = await Promise.all(Array.from({ length: 24 }, () => pour('/api/projects/x/documents', part, 16)));
    expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 401 Unauthorized']));
    // All of it was sent, and the service has closed no connection, with which it could have let go of what it held.
    expect(sockets.filter(({ readyState }) => readyState !== 'open')).toEqual([]);
    expect(heldMemory() - before).toBeLessThan(20 * MIB);
  });

  it('at the token endpoint a body of any type is as short as a form', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const answer = await api.ask('/oauth/token', {
        method: 'POST',
        body: 'x'.repeat(20_000),
        headers: { 'content-type': type },
      });
      expect({ type, status: answer.status }).toEqual({ type, status: 413 });
    }
  });
});
