import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SandgateClient } from '../server/sandgate-client.js';
import { createRun } from './create-run.js';

const REFUSAL = 'workspace: a copy of a folder of the host is for the operator; use git_repository';

describe('a run on a folder of this machine', () => {
  let server: Server;
  let folder: string;
  let asked: { url: string; headers: IncomingMessage['headers']; body: Buffer }[];
  /** What the server answers to a copy of a folder. */
  let local: [status: number, error: string | null];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandgate-run-'));
    await writeFile(join(folder, 'a.txt'), 'a');
    asked = [];
    server = createServer((request, response) => {
      void buffer(request).then((body) => {
        asked.push({ url: request.url ?? '', headers: request.headers, body });
        const isCopy = body.toString().includes('local_copy');
        const [status, error] = isCopy ? local : [200, null];
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify(error === null ? { session: { id: 'run' }, workspace: { id: 'upload-id' } } : { error }),
        );
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  const create = (flags: { upload?: boolean } = {}) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new SandgateClient({ url, token: 't', source: 'configured' });
    const workspace = { kind: 'local_copy' as const, path: folder };
    const body = { agent: 'a', task: '', workspace, autonomous: false, allow_unpriced: false };
    return createRun(body, flags, { format: 'json', flags: { dataDir: join(folder, 'state') }, client });
  };

  it('is copied by a server on this machine', async () => {
    local = [200, null];
    await create();
    expect(asked.map(({ url }) => url)).toEqual(['/v1/sessions']);
  });

  it.each([403, 400])('is sent when the server answers %s to a copy', async (status) => {
    local = [status, REFUSAL];
    expect(await create()).toEqual({ id: 'run' });
    expect(asked.map(({ url }) => url)).toEqual(['/v1/sessions', '/v1/workspaces', '/v1/sessions']);
    const [, sent, run] = asked;
    expect(sent?.headers).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(sent?.body.length),
      'x-sandgate-left-out': '0',
    });
    expect(JSON.parse(run?.body.toString() ?? '')).toMatchObject({ workspace: { kind: 'upload', id: 'upload-id' } });
    expect(run?.headers['idempotency-key']).not.toBe(asked[0]?.headers['idempotency-key']);
  });

  it('is sent at once when that is wished, and not for another refusal', async () => {
    local = [400, 'agent: unknown agent a'];
    await expect(create()).rejects.toThrow('agent: unknown agent a');
    expect(asked).toHaveLength(1);
    await create({ upload: true });
    expect(asked.map(({ url }) => url).slice(1)).toEqual(['/v1/workspaces', '/v1/sessions']);
  });
});
