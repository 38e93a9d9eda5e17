import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DocumentStore } from '../../../src/api/foundation/store.module.js';
import type { BlobStore } from '../../../src/platform/blobs/blob-store.js';
import { startApi, type Answer, type TestApi, type TestOrganization } from '../../support/api/api.js';

const MIB = 1024 * 1024;
const WRITTEN_WITHIN_MS = 400;

interface Added {
  document: { id: string };
}

let api: TestApi;
let acme: TestOrganization;
let store: BlobStore;
let path: string;

beforeAll(async () => {
  api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '100000', DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.1/32' });
  acme = await api.organization();
  ({ store } = api.app.get(DocumentStore));
  const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  const body = { name: 'P', workspaceId: workspace.body.id };
  const project = await acme.ask<{ id: string }>('/api/projects', { method: 'POST', body });
  path = `/api/projects/${project.body.id}/documents`;
});
afterAll(() => api.close());

const add = (body: unknown): Promise<Answer<Added>> => acme.ask<Added>(path, { method: 'POST', body });

/** How many rows have bytes. */
async function owners(): Promise<number> {
  let count = 0;
  for await (const { ownerId } of store.owners()) count += ownerId === '' ? 0 : 1;
  return count;
}

async function untilOwners(count: number): Promise<void> {
  for (let tries = 0; (await owners()) !== count; tries += 1) {
    if (tries > 500) throw new Error(`there are never ${count}`);
    await delay(20);
  }
}

function form(...parts: [string, string | Blob][]): FormData {
  const made = new FormData();
  for (const [name, value] of parts) made.append(name, value);
  return made;
}

describe('a form that is refused', () => {
  const file: [string, Blob] = ['file', new Blob([Buffer.alloc(MIB, 1)])];

  it.each([
    ['names a field that there is not', form(file, ['colour', 'red'])],
    ['has metadata that are none', form(file, ['metadata', '[]'])],
    ['has a field that is too long', form(file, ['name', 'n'.repeat(40_000)])],
    ['has a name that is none', form(file, ['name', 'a/b'])],
    ['has metadata that are too large', form(file, ['metadata', JSON.stringify({ text: 'x'.repeat(20_000) })])],
  ])('keeps no bytes: one that %s', async (_, body) => {
    const before = await owners();
    expect(await add(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    // A file that was still being written when its form was refused would be there by then.
    await delay(WRITTEN_WITHIN_MS);
    expect(await owners()).toBe(before);
  });

  it('keeps no bytes: one whose sender hangs up after the file', async () => {
    const before = await owners();
    const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: docsvc',
      `authorization: Bearer ${acme.token}`,
      'content-type: multipart/form-data; boundary=b',
      'content-length: 1000',
    ];
    const part = (disposition: string): string => `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`;
    const body = `${part('name="file"; filename="a.txt"')}whole\r\n${part('name="name"')}hal`;
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    await untilOwners(before + 1);
    socket.destroy();
    await untilOwners(before);
  });
});

describe('a file that is fetched', () => {
  /** What a server says, and how it goes on. */
  async function fetched(answer: (socket: Socket) => void): Promise<Answer> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const before = await owners();
    try {
      const { port } = server.address() as AddressInfo;
      return await acme.ask(path, { method: 'POST', body: { sourceUrl: `http://127.0.0.1:${port}/fetched.bin` } });
    } finally {
      server.close();
      expect(await owners()).toBe(before);
    }
  }

  it('and breaks off is refused, and says so', async () => {
    const answer = await fetched((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nthe beginning', () => socket.destroy()),
    );
    const details = [{ path: 'sourceUrl', code: 'egress_broken' }];
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', details } } });
  });

  it('and turns out to be too large is refused as that', async () => {
    const answer = await fetched((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', () => socket.end(Buffer.alloc(33 * MIB))),
    );
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'too_large' } } });
  });

  it('and cannot be unpacked is refused, and says so', async () => {
    const answer = await fetched((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 12\r\n\r\nnot a gzip..'),
    );
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  });
});

describe('HEAD of a download', () => {
  it('answers what GET would, and opens no file', async () => {
    const content = Buffer.alloc(3 * MIB, 7);
    const added = await add(form(['file', new Blob([content])], ['name', 'head.bin']));
    const where = await acme.ask<{ url: string }>(`/api/documents/${added.body.document.id}/download`, {
      headers: { accept: 'application/json' },
    });
    const { pathname, search } = new URL(where.body.url);
    const opened = jest.spyOn(store, 'readRange');
    const ask = async (method: string, range?: string) => {
      const headers: { [name: string]: string } = range === undefined ? {} : { range };
      const answer = await api.ask<string>(pathname + search, { method, headers });
      const names = ['content-length', 'content-range', 'content-disposition', 'etag', 'accept-ranges'];
      return { status: answer.status, said: names.map((name) => answer.headers.get(name)), length: answer.body.length };
    };
    const heads = [await ask('HEAD'), await ask('HEAD', 'bytes=10-19'), await ask('HEAD', `bytes=${4 * MIB}-`)];
    expect(opened).not.toHaveBeenCalled();
    opened.mockRestore();
    const whole = [await ask('GET'), await ask('GET', 'bytes=10-19'), await ask('GET', `bytes=${4 * MIB}-`)];
    expect(heads.map(({ status }) => status)).toEqual([200, 206, 416]);
    expect(heads[0]?.said[0]).toBe(String(content.length));
    expect(heads).toEqual(whole.map((one) => ({ ...one, length: 0 })));
  });
});
