import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScriptedEngine } from '../../../../test/support/engine/scripted-engine.js';
import { askEngine } from './ask-engine.js';
import { Engine } from './engine.js';

describe('a question to an engine', () => {
  let scripted: ScriptedEngine;

  beforeAll(async () => {
    scripted = await ScriptedEngine.start((request, response) => {
      if (request.url === '/whole') response.end('{"one":1}');
      else if (request.url?.endsWith('/wait') === true) {
        // An engine answers at once that it will tell, and dies before it does.
        response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
        setTimeout(() => response.destroy(), 50);
      } else if (request.url === '/refused') response.writeHead(500).end('no room');
    });
  });

  afterAll(() => scripted.close());

  it('is answered with a status and what was said', async () => {
    const ask = (path: string) => askEngine(scripted.socket, { method: 'GET', path });
    expect(await ask('/whole')).toEqual({ status: 200, body: { one: 1 }, text: '{"one":1}' });
    expect(await ask('/refused')).toEqual({ status: 500, body: null, text: 'no room' });
  });

  it('is not answered by an engine that is away, or that dies while it answers', async () => {
    const away = { code: 'unavailable', message: expect.stringContaining('does not answer') };
    await expect(
      askEngine(join(scripted.folder, 'none.sock'), { method: 'GET', path: '/whole' }),
    ).rejects.toMatchObject(away);
    const engine = await Engine.open(scripted.socket);
    await expect(engine.awaitEnd('a-container', AbortSignal.timeout(60_000))).rejects.toMatchObject(away);
  });

  it('ends when nobody waits any more', async () => {
    const waiting = askEngine(scripted.socket, { method: 'GET', path: '/never', signal: AbortSignal.timeout(50) });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  });
});
