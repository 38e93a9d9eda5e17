import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { ServerProcess } from './server-process.js';

/** Reads nothing any more, says so, and ends a moment later. */
const LEAVING = `require('node:fs').closeSync(0);
console.log(JSON.stringify({ jsonrpc: '2.0', method: 'leaving' }));
setTimeout(() => process.exit(3), 200);`;

describe('a server as a process', () => {
  it('what is sent to one that is about to end is refused with how it ended', async () => {
    const server = new ServerProcess({
      command: process.execPath,
      args: ['-e', LEAVING],
      cwd: tmpdir(),
      environment: {},
    });
    const leaving = new Promise<void>((resolve) => (server.onmessage = () => resolve()));
    await server.start();
    await leaving;
    await expect(server.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toThrow('it ended with exit code 3');
    await server.close();
  });
});
