import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EgressError } from './egress-error.js';
import { AddressPins, openStream } from './guarded-stream.js';
import { NetworkList, readNetwork } from './network-list.js';

const HERE = '127.0.0.1';
const ELSEWHERE = '127.0.0.2';
const KEPT_MS = 1_000;

let server: Server;
beforeAll(async () => {
  server = createServer((socket) => socket.destroy()).listen(0, HERE);
  await once(server, 'listening');
});
afterAll(() => void server.close());

describe('the addresses of a name that one party uses', () => {
  const open = async (pins: AddressPins, resolve: () => Promise<string[]>): Promise<void> => {
    const networks = new NetworkList([readNetwork('127.0.0.0/8')]);
    const { port } = server.address() as AddressInfo;
    const { signal } = new AbortController();
    const stream = await openStream(
      { networks, proxy: null, resolve },
      { host: 'a.example', port, closed: [], pins, signal },
    );
    stream.destroy();
  };

  it('are judged again after their time, however often they are used', async () => {
    const pins = new AddressPins(KEPT_MS);
    let asked = 0;
    const resolve = (): Promise<string[]> => Promise.resolve([(asked += 1) === 1 ? HERE : '10.0.0.1']);
    await open(pins, resolve);
    await open(pins, resolve);
    expect(asked).toBe(1);
    const used = async (): Promise<void> => {
      for (let time = 0; time < 40; time += 1) {
        await open(pins, resolve);
        await sleep(KEPT_MS / 6);
      }
    };
    await expect(used()).rejects.toThrow(EgressError);
    expect(asked).toBe(2);
  });

  it('are looked up again when nobody answers there', async () => {
    const pins = new AddressPins(60_000);
    let asked = 0;
    const resolve = (): Promise<string[]> => Promise.resolve([(asked += 1) === 1 ? ELSEWHERE : HERE]);
    await expect(open(pins, resolve)).rejects.toMatchObject({ reason: 'connect' });
    await open(pins, resolve);
    expect(asked).toBe(2);
  });
});
