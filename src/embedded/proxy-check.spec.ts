import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { reachProxy } from './proxy-check.js';

describe('the check of the proxy', () => {
  it('CP-037 tells whether it can be reached, and never its password', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await reachProxy(`http://user:password@127.0.0.1:${port}`)).toBe(`through http://127.0.0.1:${port}`);
    server.close();
    await once(server, 'close');
    const refused = `the proxy http://127.0.0.1:${port} (SERVICE_EGRESS_PROXY) cannot be reached: ECONNREFUSED`;
    await expect(reachProxy(`http://user:password@127.0.0.1:${port}`)).rejects.toThrow(refused);
  });
});
