import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Engine } from './engine.js';

let folder: string;
let server: Server;
let asked: string[] = [];
/** What the engine on the socket is. */
let component = 'Podman Engine';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-'));
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    if (request.url === '/version') response.end(JSON.stringify({ Version: '1', Components: [{ Name: component }] }));
    else response.writeHead(request.url?.includes('/none/') === true ? 404 : 500).end('{"message":"no room"}');
  });
  server.listen(join(folder, 'engine.sock'));
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('an engine is asked once what it is, and again after a failure, because another may have taken its place', async () => {
  const engine = await Engine.open(join(folder, 'engine.sock'));
  expect([await engine.flavour(), await engine.flavour()]).toEqual(['podman', 'podman']);
  expect(await engine.inspect('none')).toBeNull();
  component = 'Engine';
  expect(await engine.flavour()).toBe('podman');
  expect(asked.filter((path) => path === '/version')).toHaveLength(1);
  await expect(engine.create('one', {})).rejects.toMatchObject({ code: 'sandbox_failed' });
  expect(await engine.flavour()).toBe('docker');
  asked = [];
  expect(await engine.flavour()).toBe('docker');
  expect(asked).toEqual([]);
});
