import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { DocumentStore } from '../../../src/api/foundation/store.module.js';
import { startApi, type Answer, type TestApi, type TestOrganization } from '../../support/api/api.js';

const MIB = 1024 * 1024;

interface Session {
  id: string;
  partUrls: { partNumber: number; url: string }[];
  missingRanges: object[];
}

interface Added {
  document: { id: string; name: string; latestVersion: number };
  version: { id: string; version: number; status: string };
}

let api: TestApi;
let acme: TestOrganization;
let projectId: string;

beforeAll(async () => {
  api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '100000' });
  acme = await api.organization();
  const workspace = await acme.ask<{ id: string }>('/api/workspaces', { method: 'POST', body: { name: 'W' } });
  const body = { name: 'P', workspaceId: workspace.body.id };
  projectId = (await acme.ask<{ id: string }>('/api/projects', { method: 'POST', body })).body.id;
});
afterAll(() => api.close());

const open = (body: object): Promise<Answer<Session>> =>
  acme.ask<Session>(`/api/projects/${projectId}/uploads`, { method: 'POST', body: { name: 'a.bin', ...body } });

/** The path of a signed address; the listener of a spec has a port of its own. */
const pathOf = (url: string | undefined): string => {
  const { pathname, search } = new URL(url ?? '');
  return pathname + search;
};

const put = (session: Session, number: number, body: Uint8Array, headers = {}): Promise<Answer> =>
  api.ask(pathOf(session.partUrls[number - 1]?.url), { method: 'PUT', body, headers });

const addFile = (name: string, text: string): Promise<Answer<Added>> =>
  acme.ask<Added>(`/api/projects/${projectId}/documents`, {
    method: 'POST',
    body: { name, contentBase64: Buffer.from(text).toString('base64') },
  });

describe('uploads over HTTP', () => {
  it('DI-007 one that was opened under a key is told again, even when the API dies before it keeps its answer', async () => {
    // What comes after the transaction that opens the upload finds the answer kept, and fails as a death would.
    await api.database.owner.query(`
      create function die_after_commit() returns trigger language plpgsql as $$ begin raise 'died'; end $$;
      create trigger dies before update on idempotency_keys for each row
        when (old.key = 'dies' and old.status is not null) execute function die_after_commit()`);
    const openKeyed = (): Promise<Answer<Session>> =>
      acme.ask<Session>(`/api/projects/${projectId}/uploads`, {
        method: 'POST',
        body: { name: 'dies.bin', sizeBytes: 5 },
        headers: { 'idempotency-key': 'dies' },
      });
    expect((await openKeyed()).status).toBe(500);
    const again = await openKeyed();
    expect(again.status).toBe(201);
    expect(await put(again.body, 1, Buffer.from('hello'))).toMatchObject({ status: 200 });
    const { rows } = await api.database.owner.query(`select id from upload_sessions where name = 'dies.bin'`);
    expect(rows).toEqual([{ id: again.body.id }]);
  });

  it('DI-006 DI-007 parts go to signed addresses without a token, and the session says what is missing', async () => {
    const bytes = randomBytes(17 * MIB);
    const { status, body: session } = await open({ name: 'signed.bin', sizeBytes: bytes.length });
    expect(status).toBe(201);
    const part = (number: number): Buffer => bytes.subarray((number - 1) * 8 * MIB, number * 8 * MIB);
    const sent = await put(session, 3, part(3));
    expect(sent).toMatchObject({ status: 200, body: { partNumber: 3 } });
    const digest = createHash('sha256').update(part(3)).digest('hex');
    expect(sent.headers.get('etag')).toBe(`"${digest}"`);
    expect(await acme.ask(`/api/uploads/${session.id}`)).toMatchObject({
      body: {
        status: 'open',
        missingRanges: [{ first: 1, last: 2 }],
        receivedParts: [{ partNumber: 3, etag: digest }],
      },
    });
    const early = await acme.ask(`/api/uploads/${session.id}/complete`, { method: 'POST', body: {} });
    expect(early).toMatchObject({ status: 409, body: { error: { code: 'upload_incomplete' } } });
    await Promise.all([put(session, 1, part(1)), put(session, 2, part(2))]);
    const parts = [{ partNumber: 3, etag: sent.headers.get('etag') }];
    const complete = (): Promise<Answer<Added>> =>
      acme.ask<Added>(`/api/uploads/${session.id}/complete`, { method: 'POST', body: { parts } });
    const done = await complete();
    expect(done).toMatchObject({ status: 202, body: { document: { name: 'signed.bin' }, version: { version: 1 } } });
    expect((await complete()).body).toEqual(done.body);
    const where = await acme.ask<{ url: string }>(`/api/documents/${done.body.document.id}/download`, {
      headers: { accept: 'application/json' },
    });
    const ranged = await fetch(api.origin + pathOf(where.body.url), { headers: { range: 'bytes=100-199' } });
    expect(ranged.status).toBe(206);
    expect(Buffer.from(await ranged.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);
    expect(ranged.headers.get('content-disposition')).toMatch(/^attachment; filename="signed.bin"/);
    expect(ranged.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('DI-006 an address is good for its part, its session and its method only, until it expires', async () => {
    const { body: session } = await open({ sizeBytes: 9 * MIB });
    const { body: other } = await open({ sizeBytes: 9 * MIB });
    const path = pathOf(session.partUrls[0]?.url);
    const body = Buffer.alloc(8 * MIB);
    const tried = [
      path.replace(/signature=..../, 'signature=AAAA'),
      path.replace('/parts/1', '/parts/2'),
      path.replace(session.id, other.id),
      path.replace(/expires=\d+/, 'expires=9999999999'),
      path.split('?')[0] ?? '',
    ];
    for (const forged of tried)
      expect(await api.ask(forged, { method: 'PUT', body })).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden' } },
      });
  });

  it('DI-006 hostile bodies count for nothing', async () => {
    const { body: session } = await open({ sizeBytes: 10 });
    const ten = Buffer.from('0123456789');
    const refused = [
      await put(session, 1, Buffer.alloc(11)),
      await put(session, 1, Buffer.alloc(0)),
      await put(session, 1, ten, { 'content-digest': 'sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:' }),
      await put(session, 1, ten, { 'content-digest': 'nonsense' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(await put(session, 1, ten, { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
    expect((await acme.ask<Session>(`/api/uploads/${session.id}`)).body.missingRanges).toEqual([{ first: 1, last: 1 }]);
    const good = await put(session, 1, ten, { 'content-type': 'application/json' });
    expect(good.status).toBe(200);
  });

  it('DI-008 more than 5 TB is refused before any byte moves', async () => {
    expect(await open({ sizeBytes: 5_000_000_000_001 })).toMatchObject({
      status: 413,
      body: { error: { code: 'too_large' } },
    });
    const largest = await open({ sizeBytes: 5_000_000_000_000 });
    expect(largest).toMatchObject({ status: 201, body: { partCount: 8_997 } });
    expect(largest.body.partUrls).toHaveLength(100);
    const ask = { method: 'POST', body: { partNumbers: [8_997] } };
    expect(await acme.ask(`/api/uploads/${largest.body.id}/parts`, ask)).toMatchObject({
      status: 200,
      body: [{ partNumber: 8_997 }],
    });
    const gone = await acme.ask(`/api/uploads/${largest.body.id}`, { method: 'DELETE' });
    expect(gone.status).toBe(204);
    expect(await acme.ask(`/api/projects/${projectId}/uploads`)).toMatchObject({ status: 200 });
  });

  it('nobody of another organization, and no credential without the scope, gets at an upload', async () => {
    const { body: session } = await open({ sizeBytes: 10 });
    const foreign = await api.organization('Foreign');
    for (const [path, method] of [
      ['', 'GET'],
      ['', 'DELETE'],
      ['/parts', 'POST'],
      ['/complete', 'POST'],
    ]) {
      const body = path === '/parts' ? { partNumbers: [1] } : method === 'POST' ? {} : undefined;
      const answer = await foreign.ask(`/api/uploads/${session.id}${path}`, { method: method ?? '', body });
      expect(answer.status).toBe(404);
    }
    const reader = await acme.client(['documents:read']);
    const abort = await api.ask(`/api/uploads/${session.id}`, { method: 'DELETE', token: reader.token });
    expect(abort).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
  });
});

describe('documents over HTTP', () => {
  it('DI-009 the same name twice is version 2, and the old one can be read and restored', async () => {
    const first = await addFile('twice.txt', 'one');
    expect(first).toMatchObject({ status: 202, body: { version: { version: 1, status: 'queued' } } });
    const second = await addFile('twice.txt', 'two');
    expect(second.body.document).toMatchObject({ id: first.body.document.id, latestVersion: 2 });
    const path = `/api/documents/${first.body.document.id}`;
    expect(await acme.ask(`${path}/versions`)).toMatchObject({ body: { data: [{ version: 2 }, { version: 1 }] } });
    const text = async (query: string): Promise<string> => {
      const { headers, status } = await acme.ask(`${path}/download${query}`);
      expect(status).toBe(302);
      return (await fetch(api.origin + pathOf(headers.get('location') ?? ''))).text();
    };
    expect(await text('?version=1')).toBe('one');
    const sha256 = createHash('sha256').update('one').digest();
    const read = 'update document_versions set sha256 = $1 where document_id = $2 and version = 1';
    await api.database.owner.query(read, [sha256, first.body.document.id]);
    const restored = await acme.ask(`${path}/versions/1/restore`, { method: 'POST' });
    // Its bytes are known: they are not hashed again.
    expect(restored).toMatchObject({ status: 202, body: { version: { version: 3, sha256: sha256.toString('hex') } } });
    expect([await text(''), await text('?version=2')]).toEqual(['one', 'two']);
  });

  it('DI-006 a form is streamed with its fields in any order', async () => {
    const form = new FormData();
    form.append('file', new Blob(['from a form']), 'ignored.txt');
    form.append('name', 'form.txt');
    form.append('labels', 'a');
    form.append('labels', 'b');
    form.append('metadata', '{"from": "form"}');
    const path = `/api/projects/${projectId}/documents`;
    expect(await acme.ask(path, { method: 'POST', body: form })).toMatchObject({
      status: 202,
      body: { document: { name: 'form.txt', labels: ['a', 'b'], metadata: { from: 'form' }, sizeBytes: 11 } },
    });
    const large = new FormData();
    large.append('file', new Blob([Buffer.alloc(33 * MIB)]), 'large.bin');
    expect(await acme.ask(path, { method: 'POST', body: large })).toMatchObject({ status: 413 });
    const none = new FormData();
    none.append('name', 'none.txt');
    expect(await acme.ask(path, { method: 'POST', body: none })).toMatchObject({ status: 400 });
    const whole = { name: 'whole.bin', contentBase64: Buffer.alloc(2 * MIB).toString('base64') };
    expect(await acme.ask(path, { method: 'POST', body: whole })).toMatchObject({ status: 202 });
  });

  it('forms with one key are one, whatever their boundary, and other bytes of the same length are another request', async () => {
    const send = (bytes: string, name = 'keyed.txt'): Promise<Answer<Added>> => {
      const form = new FormData();
      form.append('file', new Blob([bytes]), 'ignored.txt');
      form.append('name', name);
      const headers = { 'idempotency-key': 'one-form' };
      return acme.ask<Added>(`/api/projects/${projectId}/documents`, { method: 'POST', body: form, headers });
    };
    const first = await send('first bytes');
    expect(first).toMatchObject({ status: 202, body: { version: { version: 1 } } });
    const again = await send('first bytes');
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const other of [await send('other bytes'), await send('first bytes', 'keyed.mdx')])
      expect(other).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const { store } = api.app.get(DocumentStore);
    const kept: string[] = [];
    for await (const { ownerId } of store.owners()) kept.push(ownerId);
    const { rows } = await api.database.owner.query<{ id: string }>('select id from document_versions');
    // What was sent again, or refused, is not kept.
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(kept));
  });

  it('an address of this network is not fetched', async () => {
    const inside = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const { port } = inside.address() as AddressInfo;
    for (const sourceUrl of [`http://127.0.0.1:${port}/x.pdf`, `https://[::1]:${port}/x.pdf`, 'file:///etc/passwd']) {
      const answer = await acme.ask(`/api/projects/${projectId}/documents`, { method: 'POST', body: { sourceUrl } });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    }
    inside.close();
  });

  it('are listed by filters in pages, changed under their ETag, and deleted', async () => {
    for (const name of ['list 1.txt', 'list 2.txt', 'list 3.txt']) await addFile(name, name);
    const path = `/api/projects/${projectId}/documents?namePrefix=list&limit=2`;
    const page = await acme.ask<{ data: { id: string; name: string }[]; nextCursor: string }>(path);
    expect(page.body.data.map(({ name }) => name)).toEqual(['list 3.txt', 'list 2.txt']);
    const rest = await acme.ask<{ data: { name: string }[] }>(`${path}&cursor=${page.body.nextCursor}`);
    expect(rest.body.data.map(({ name }) => name)).toEqual(['list 1.txt']);
    const one = `/api/documents/${page.body.data[0]?.id}`;
    const etag = (await acme.ask(one)).headers.get('etag') ?? '';
    const patch = (body: object, headers = {}): Promise<Answer> => acme.ask(one, { method: 'PATCH', body, headers });
    expect(await patch({ labels: ['x'] }, { 'if-match': etag })).toMatchObject({
      status: 200,
      body: { labels: ['x'] },
    });
    expect(await patch({ labels: ['y'] }, { 'if-match': etag })).toMatchObject({
      status: 409,
      body: { error: { code: 'version_conflict' } },
    });
    expect(await patch({ name: 'list 1.txt' })).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const labelled = await acme.ask<{ data: unknown[] }>(`/api/projects/${projectId}/documents?label=x`);
    expect(labelled.body.data).toHaveLength(1);
    expect((await acme.ask(one, { method: 'DELETE' })).status).toBe(204);
    expect((await acme.ask(one)).status).toBe(404);
    expect(await addFile('list 3.txt', 'again')).toMatchObject({ body: { version: { version: 1 } } });
  });
});
