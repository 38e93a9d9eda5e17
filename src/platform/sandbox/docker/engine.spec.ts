import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ScriptedEngine } from '../../../../test/support/engine/scripted-engine.js';
import { Engine } from './engine.js';

let scripted: ScriptedEngine;
let asked: string[] = [];
/** What the engine on the socket is. */
let component = 'Podman Engine';

beforeAll(async () => {
  scripted = await ScriptedEngine.start((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    if (request.url === '/version') response.end(JSON.stringify({ Version: '1', Components: [{ Name: component }] }));
    else response.writeHead(request.url?.includes('/none/') === true ? 404 : 500).end('{"message":"no room"}');
  });
});

afterAll(() => scripted.close());

it('an engine is asked once what it is, and again after a failure, because another may have taken its place', async () => {
  const engine = await Engine.open(scripted.socket);
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
