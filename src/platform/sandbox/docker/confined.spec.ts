import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScriptedEngine } from '../../../../test/support/engine/scripted-engine.js';
import { confineInContainers } from './confined.js';
import { Engine } from './engine.js';

const ID = 'a'.repeat(64);

/** What the engine says of the container once it let go of its output, by the turn of the test. */
let running: boolean;
let removed = 0;
let scripted: ScriptedEngine;

beforeAll(async () => {
  scripted = await ScriptedEngine.start((request, response) => {
    const { method, url = '' } = request;
    const answer = (status: number, body?: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
    };
    if (url.includes('/version')) answer(200, { Version: '1', Components: [] });
    else if (url.includes('/containers/create')) answer(201, { Id: ID });
    else if (url.includes('/start')) answer(204);
    else if (url.includes('/wait')) answer(200, { StatusCode: 0 });
    else if (method === 'DELETE') answer(204, { removed: (removed += 1) });
    else
      answer(200, {
        ...{ Id: ID, Name: 'x', Config: { Labels: {} } },
        State: { Running: running, StartedAt: '2026-01-01T00:00:00Z', ExitCode: 0, OOMKilled: false },
      });
  });
  // The stream ends when the program does, and when the engine does.
  scripted.server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 UPGRADED\r\nconnection: Upgrade\r\nupgrade: tcp\r\n\r\n');
    socket.write(Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 4]), Buffer.from('half')]));
    setTimeout(() => socket.end(), 100);
  });
});

afterAll(() => scripted.close());

describe('a confined program in a container', () => {
  const run = async () => {
    const engine = await Engine.open(scripted.socket);
    const confine = confineInContainers({
      engine,
      image: 'i',
      dataDir: scripted.folder,
      deployment: 'd',
      node: '/node',
    });
    const limits = { timeoutMs: 20_000, memoryMb: 64, maxOutputBytes: 1024 };
    return confine({ argv: ['/bin/true'], env: {}, readOnly: [], readWrite: [], cwd: '/', ...limits });
  };

  it('has said all that it says when it is over', async () => {
    running = false;
    const { exitCode, stdout } = await run();
    expect([exitCode, String(stdout), removed]).toEqual([0, 'half', 1]);
  });

  it('has not when it runs on, and is ended then', async () => {
    running = true;
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' });
    expect(removed).toBe(2);
  });
});
