import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { reapHostOrphans } from '../../../src/activities/host-maintenance.activities.js';
import { digestOfText } from '../../../src/domain/digest/digest.js';
import { sweepExpired } from '../../../src/core/maintenance/sweeps.js';
import { UploadFiles } from '../../../src/platform/workspace/upload-files.js';
import { ADMIN_TOKEN, startApi, type Answer, type CallOptions, type TestApi } from '../../support/api/api.js';
import { until } from '../../support/time/until.js';
import { rawArchive, type RawTarEntry } from '../../support/archives/raw-tar.js';

const MIB = 1024 * 1024;
const FILES: RawTarEntry[] = [
  { name: 'src/main.c', content: 'int main(void) { return 0; }\n' },
  { name: 'link', type: '2', link: 'src/main.c' },
  { name: '.env', content: 'SECRET=1\n' },
];

interface Upload {
  id: string;
  expires_at: string;
  digest: string;
  bytes: number;
  files: number;
  left_out: number;
  base_commit: string | null;
}

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ SERVICE_MAX_ARCHIVE_BYTES: String(2 * MIB) });
  await api.post('/v1/agents', { name: 'free', harness: 'replay', policy: 'unrestricted', budgets: {} });
});
afterAll(() => api.close());

const send = (raw: Uint8Array, options: CallOptions = {}): Promise<Answer> =>
  api.call('POST', '/v1/workspaces', {
    ...options,
    raw,
    headers: { 'content-type': 'application/gzip', ...options.headers },
  });
const uploaded = async (options: CallOptions = {}, raw: Uint8Array = rawArchive(FILES)): Promise<Upload> => {
  const answer = await send(raw, options);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return (answer.body as unknown as { workspace: Upload }).workspace;
};
const start = (id: string, options: CallOptions = {}): Promise<Answer> =>
  api.post('/v1/sessions', { agent: 'free', task: '[]', workspace: { kind: 'upload', id } }, options);
const kept = (): string[] => {
  const folder = join(api.config.data.dir, 'uploads');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const sql = (text: string, values: unknown[] = []) => api.database.owner.query<{ state: string }>(text, values);
const forgetUnused = () => sql(`update workspace_uploads set state = 'expired' where state in ('receiving', 'ready')`);

describe('sending a workspace', () => {
  it('CP-328 answers what was received, and keeps it for an hour', async () => {
    const archive = rawArchive(FILES);
    const workspace = await uploaded(
      { headers: { 'x-sandgate-left-out': '3', 'x-sandgate-base-commit': 'a'.repeat(40) } },
      archive,
    );
    expect(workspace).toMatchObject({
      digest: digestOfText(archive),
      bytes: archive.length,
      files: 2,
      left_out: 4,
      base_commit: 'a'.repeat(40),
    });
    expect(new Date(workspace.expires_at).getTime() - Date.now()).toBeGreaterThan(3_500_000);
    expect(kept()).toContain(`${workspace.id}.tar.gz`);
  });

  it('CP-329 refuses a hostile archive with 400 that names the entry, and keeps nothing of it', async () => {
    const before = kept();
    const hostile: [RawTarEntry[], string][] = [
      [[{ name: '../outside', content: 'x' }], 'the archive is refused: "../outside" leads out of its folder by ..'],
      [[{ name: '/etc/cron.d/x' }], 'the archive is refused: "/etc/cron.d/x" is an absolute path'],
      [[{ name: 'a', type: '1', link: 'b' }], 'the archive is refused: "a" is a hard link'],
      [[{ name: '.git/hooks/x' }], 'the archive is refused: ".git/hooks/x" lies in a git folder'],
      [[{ name: 'dev', type: '3' }], 'the archive is refused: "dev" is neither a file, a folder nor a link'],
    ];
    for (const [entries, words] of hostile) {
      const answer = await send(rawArchive(entries));
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain(words);
    }
    const cut = await send(rawArchive(FILES).subarray(0, 60));
    expect([cut.status, cut.body.error]).toEqual([400, 'the archive is no whole tar.gz: unexpected end of file']);
    expect(kept()).toEqual(before);
  });

  it('refuses headers that make no sense, other types of body, and JSON; elsewhere an archive is 415', async () => {
    const archive = rawArchive(FILES);
    expect((await send(archive, { headers: { 'x-sandgate-left-out': '-1' } })).body.error).toBe(
      'x-sandgate-left-out: must be a whole number',
    );
    expect((await send(archive, { headers: { 'x-sandgate-base-commit': 'HEAD' } })).status).toBe(400);
    expect((await send(archive, { headers: { 'content-type': 'application/zip' } })).status).toBe(415);
    expect((await api.post('/v1/workspaces', {})).status).toBe(415);
    const elsewhere = { raw: archive, headers: { 'content-type': 'application/gzip' } };
    expect((await api.call('POST', '/v1/sessions', elsewhere)).status).toBe(415);
    expect((await send(archive, { token: null })).status).toBe(401);
  });

  it('is not held to the limit of other bodies, and answers 413 past its own, said beforehand or not', async () => {
    const large = await send(rawArchive([{ name: 'noise', content: randomBytes(MIB + 700_000) }]));
    expect(large.status).toBe(200);
    const tooLarge = rawArchive([{ name: 'noise', content: randomBytes(3 * MIB) }]);
    const answer = await send(tooLarge);
    expect([answer.status, answer.body.error]).toEqual([413, 'the archive has more than 2097152 bytes']);
    expect(await sendInChunks(tooLarge)).toBe(413);
    await forgetUnused();
  });

  it('leaves nothing of an upload whose sender hangs up', async () => {
    const before = kept();
    await sendInChunks(rawArchive([{ name: 'noise', content: randomBytes(MIB) }]), { hangUp: true });
    expect(await until(receiving, (rows) => rows === 0)).toBe(0);
    expect(await until(kept, (names) => names.length === before.length)).toEqual(before);
  });

  it('CP-331 the same key and content answer the same upload; other content 409; the keys of others say nothing', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await uploaded({ headers });
    expect((await uploaded({ headers })).id).toBe(first.id);
    expect((await send(rawArchive([{ name: 'b' }]), { headers })).status).toBe(409);
    const member = await api.addUser('member');
    expect((await uploaded({ headers, token: member.token })).id).not.toBe(first.id);
    expect(kept().filter((name) => name.endsWith('.partial'))).toEqual([]);
    await forgetUnused();
  });

  it('one caller has at most eight waiting, and 4 GiB of them; others are not concerned', async () => {
    for (let sent = 0; sent < 8; sent += 1) await uploaded();
    const ninth = await send(rawArchive(FILES));
    expect([ninth.status, ninth.headers.get('retry-after')]).toEqual([429, '60']);
    expect(ninth.body.error).toContain('8 uploaded workspaces wait for their runs already');
    await uploaded({ token: (await api.addUser('member')).token });
    await forgetUnused();
    const { id } = await uploaded();
    await sql('update workspace_uploads set bytes = $2 where id = $1', [id, 4 * 1024 ** 3 - 10]);
    expect((await send(rawArchive(FILES))).body.error).toContain('uploaded workspaces of 4 GiB');
    await forgetUnused();
  });

  const receiving = async (): Promise<number> =>
    (await sql(`select state from workspace_uploads where state = 'receiving'`)).rowCount ?? 0;

  /** Without a length, so that the server learns it as the bytes come. One that hangs up waits until the server has begun to receive. */
  function sendInChunks(bytes: Buffer, { hangUp = false } = {}): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/gzip' };
      const sending = httpRequest(`${api.url}/v1/workspaces`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.on('error', (error) => (hangUp ? resolve(undefined) : reject(error)));
      sending.write(bytes.subarray(0, bytes.length / 2), () => {
        if (hangUp) until(receiving, (rows) => rows > 0).then(() => sending.destroy(), reject);
        else sending.end(bytes.subarray(bytes.length / 2));
      });
    });
  }
});

describe('a run of an uploaded workspace', () => {
  it('CP-011 freezes what was sent, once: a second run is refused with the first one named', async () => {
    const { id, ...of } = await uploaded({ headers: { 'x-sandgate-base-commit': 'b'.repeat(40) } });
    const { status, body } = await start(id);
    expect(status).toBe(200);
    expect(body.session.run_spec['workspace']).toEqual({
      kind: 'upload',
      id,
      digest: of.digest,
      bytes: of.bytes,
      files: 2,
      left_out: 1,
      host: expect.any(String),
      base_commit: 'b'.repeat(40),
    });
    const second = await start(id);
    const words = `workspace.id was used by run ${body.session.id}; an upload is for one run`;
    expect([second.status, second.body.error]).toEqual([400, words]);
  });

  it('belongs to its sender: for others, and in other organizations, it does not exist', async () => {
    const [member, other] = [await api.addUser('member'), await api.addUser('owner')];
    const { id } = await uploaded({ token: member.token });
    for (const token of [other.token, ADMIN_TOKEN])
      expect((await start(id, { token })).body.error).toBe('workspace.id is no upload of yours');
    expect((await start(id, { token: member.token })).status).toBe(200);
    expect((await start(uuidv7())).body.error).toBe('workspace.id is no upload of yours');
  });

  it('a refused run gives it back, and the same request again answers the same run', async () => {
    const { id } = await uploaded();
    const refused = { agent: 'free', task: '', workspace: { kind: 'upload', id }, bindings: { unknown: id } };
    expect((await api.post('/v1/sessions', refused)).status).toBe(400);
    const headers = { 'idempotency-key': 'run-of-an-upload' };
    const { session } = (await start(id, { headers })).body;
    expect((await start(id, { headers })).body.session.id).toBe(session.id);
  });

  it('of two runs at once, one gets it', async () => {
    const { id } = await uploaded();
    const answers = await Promise.all([start(id), start(id), start(id), start(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
  });

  it('too old, unfinished, without an id, or as a default of an agent: 400', async () => {
    const { id } = await uploaded();
    await sql(`update workspace_uploads set expires_at = now() - interval '1 second' where id = $1`, [id]);
    expect((await start(id)).body.error).toBe('workspace.id has expired; send the files again');
    await sql(`update workspace_uploads set state = 'receiving' where id = $1`, [id]);
    expect((await start(id)).body.error).toBe('workspace.id is no upload of yours');
    const workspace = { kind: 'upload' };
    expect((await api.post('/v1/sessions', { agent: 'free', task: '', workspace })).status).toBe(400);
    const agent = { name: 'x', harness: 'replay', default_workspace: { kind: 'upload', id } };
    expect((await api.post('/v1/agents', agent)).body.error).toBe(
      'default_workspace.kind: an upload is for one run; name it there',
    );
  });

  it('waits for the host that has the files', async () => {
    const { id } = await uploaded();
    const { session } = (await start(id)).body;
    const home = (session.run_spec['workspace'] as { host: string }).host;
    const hosts = [uuidv7(), home];
    const placed: unknown[] = [];
    for (const host of hosts) {
      await sql(`select svc_see_host($1, 'h', 100, 'bubblewrap', '{replay}')`, [host]);
      await sql('select svc_admit_waiting(500, 500, 60, 100)');
      const { rows } = await sql('select host_id as state from sessions where id = $1', [session.id]);
      placed.push(rows[0]?.state);
    }
    expect(placed).toEqual([null, home]);
  });
});

describe('maintenance', () => {
  it('deletes the files of uploads that expired or whose run is over, and in the end their rows', async () => {
    await forgetUnused();
    const [waiting, expired, used, over] = [await uploaded(), await uploaded(), await uploaded(), await uploaded()];
    await start(used.id);
    const { session } = (await start(over.id)).body;
    await sql(`update sessions set status = 'cancelled' where id = $1`, [session.id]);
    await sql(`update workspace_uploads set expires_at = now() - interval '1 second' where id = $1`, [expired.id]);
    const files = new UploadFiles(api.config.data.dir);
    const none = () => Promise.resolve([]);
    await reapHostOrphans({
      database: api.db,
      provider: { listRemains: none },
      runHost: { listPlanes: none },
      workspaces: {
        listKept: none,
        listArchives: none,
        listUploads: () => files.list(),
        removeUpload: (id: string) => files.remove(id),
      },
      log: { warn: () => undefined },
    } as unknown as Parameters<typeof reapHostOrphans>[0]);
    const left = await files.list();
    expect(left).toEqual(expect.arrayContaining([waiting.id, used.id]));
    expect(left).not.toEqual(expect.arrayContaining([expired.id]));
    expect(left).not.toEqual(expect.arrayContaining([over.id]));
    await sql(`update workspace_uploads set expires_at = now() - interval '40 days' where id = $1`, [expired.id]);
    await sweepExpired(api.db.pool, { limit: 100, idempotencyDays: 30 });
    const { rows } = await sql('select state from workspace_uploads where id = $1', [expired.id]);
    expect(rows).toEqual([]);
  });
});
