import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../domain/json.js';
import { JsonLinesPeer, METHOD_NOT_FOUND, RpcError } from './json-lines-peer.js';

function connect(onRequest: (method: string) => Promise<JsonObject> = () => Promise.resolve({})) {
  const input = new PassThrough();
  const output = new PassThrough();
  const heard: string[] = [];
  const peer = new JsonLinesPeer(input, output, { onRequest, onNotification: (method) => void heard.push(method) });
  const sent = (): JsonObject[] =>
    String(input.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonObject);
  return { peer, output, heard, sent };
}

describe('JSON-RPC in lines', () => {
  it('matches answers to requests whatever their order, without the member jsonrpc', async () => {
    const { peer, output, sent } = connect();
    const first = peer.request('a', {});
    const second = peer.request('b', { x: 1 });
    expect(sent()).toEqual([
      { id: 1, method: 'a', params: {} },
      { id: 2, method: 'b', params: { x: 1 } },
    ]);
    output.write('{"id":2,"result":{"n":2}}\n{"id":1,"error":{"code":-32600,"message":"no"}}\n');
    expect(await second).toEqual({ n: 2 });
    await expect(first).rejects.toEqual(new RpcError(-32600, 'no'));
  });

  it('joins what arrives in pieces, in the middle of a letter too, and skips lines that are no message', async () => {
    const { output, heard } = connect();
    const line = Buffer.from('warming up\n{broken\n{"method":"größer","params":{}}\n{"method":"next"}\n');
    for (const byte of line) output.write(Buffer.of(byte));
    await new Promise(setImmediate);
    expect(heard).toEqual(['größer', 'next']);
  });

  it('answers a request, refuses one by its code, and tells nothing of an error of its own', async () => {
    const { output, sent } = connect((method) => {
      if (method === 'known') return Promise.resolve({ ok: true });
      return Promise.reject(method === 'other' ? new RpcError(METHOD_NOT_FOUND, 'no') : new Error('secret'));
    });
    output.write('{"id":0,"method":"known"}\n{"id":"x","method":"other"}\n{"id":2,"method":"broken"}\n');
    await new Promise(setImmediate);
    expect(sent()).toEqual([
      { id: 0, result: { ok: true } },
      { id: 'x', error: { code: METHOD_NOT_FOUND, message: 'no' } },
      { id: 2, error: { code: -32603, message: 'the request failed' } },
    ]);
  });

  it('rejects what is open when the program is gone, and whatever is asked later', async () => {
    const { peer } = connect();
    const open = peer.request('a', {});
    peer.end(new Error('gone'));
    await expect(open).rejects.toThrow('gone');
    await expect(peer.request('b', {})).rejects.toThrow('gone');
  });
});
