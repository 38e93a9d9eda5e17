import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { reapUploads } from '../../../src/core/uploads/reap-uploads.js';
import { originalKey } from '../../../src/platform/blobs/blob-store.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization } from '../../support/database/plant-organization.js';
import { UploadBench } from '../../support/uploads/upload-bench.js';

const MIB = 1024 * 1024;
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

let test: TestDatabase;
let bench: UploadBench;

beforeAll(async () => {
  test = await createTestDatabase(() => undefined);
  bench = await UploadBench.open(test.record, await plantOrganization(test.owner));
});

afterAll(async () => {
  await bench.close();
  await test.close();
});

const sessionOf = async (id: string): Promise<Record<string, unknown>> =>
  (await test.owner.query<Record<string, unknown>>('select * from upload_sessions where id = $1', [id])).rows[0] ?? {};

const countOf = async (sql: string, ...values: unknown[]): Promise<number> =>
  Number((await test.owner.query<{ n: string }>(`select count(*) as n ${sql}`, values)).rows[0]?.n);

describe('an upload', () => {
  it('DI-006 is complete once every part is here, in whatever order they came, and says which are missing', async () => {
    const bytes = randomBytes(20 * MIB);
    const id = await bench.begin({ sizeBytes: bytes.length, name: 'order.bin' });
    const parts = [2, 0, 1].map((at) => ({ number: at + 1, bytes: bytes.subarray(at * 8 * MIB, (at + 1) * 8 * MIB) }));
    await bench.send(id, 3, parts[0]?.bytes ?? Buffer.alloc(0));
    await expect(bench.complete(id)).rejects.toMatchObject({
      code: 'upload_incomplete',
      details: [{ path: 'parts[1]' }, { path: 'parts[2]' }],
    });
    const etags = await Promise.all(parts.slice(1).map((part) => bench.send(id, part.number, part.bytes)));
    expect(etags).toEqual(parts.slice(1).map((part) => sha256(part.bytes).toString('hex')));
    const { versionId, version } = await bench.complete(id);
    expect(version).toBe(1);
    const kept = await buffer(await bench.place.store.readRange(originalKey(versionId)));
    expect(sha256(kept)).toEqual(sha256(bytes));
    expect(await countOf('from driver_outbox where subject_id = $1', versionId)).toBe(1);
  });

  it('DI-006 answers the same bytes with the same ETag, and refuses others for a part that counts', async () => {
    const id = await bench.begin({ sizeBytes: 10 });
    const etag = await bench.send(id, 1, Buffer.from('0123456789'));
    expect(await bench.send(id, 1, Buffer.from('0123456789'))).toBe(etag);
    await expect(bench.send(id, 1, Buffer.from('9876543210'))).rejects.toMatchObject({ code: 'conflict' });
    const { versionId } = await bench.complete(id, { parts: [{ partNumber: 1, etag }] });
    const kept = await buffer(await bench.place.store.readRange(originalKey(versionId)));
    expect(kept.toString()).toBe('0123456789');
  });

  it.each([
    ['longer', '01234567890'],
    ['shorter', '012345678'],
  ])('DI-006 counts no part whose body is %s, whether its length is announced or not', async (_how, body) => {
    const id = await bench.begin({ sizeBytes: 10 });
    await expect(bench.send(id, 1, Buffer.from(body))).rejects.toMatchObject({ code: 'invalid_request' });
    const unannounced = Readable.from([Buffer.from(body)], { objectMode: false });
    await expect(bench.send(id, 1, unannounced)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await countOf('from upload_parts where session_id = $1', id)).toBe(0);
  });

  it('DI-006 counts no part whose bytes are not those of its stated digest', async () => {
    const id = await bench.begin({ sizeBytes: 10 });
    const refused = bench.send(id, 1, Buffer.from('0123456789'), sha256(Buffer.from('other')));
    await expect(refused).rejects.toMatchObject({ details: [{ code: 'digest_mismatch' }] });
    expect(await countOf('from upload_parts where session_id = $1', id)).toBe(0);
  });

  it('DI-007 a later request for a part takes the place of one whose sender is stuck', async () => {
    const id = await bench.begin({ sizeBytes: 10 });
    const stuck = new Readable({ read: () => undefined });
    stuck.push(Buffer.from('abc'));
    const first = expect(bench.send(id, 1, stuck)).rejects.toMatchObject({ code: 'conflict' });
    await new Promise((resolve) => setImmediate(resolve));
    await bench.send(id, 1, Buffer.from('0123456789'));
    await first;
    const { versionId } = await bench.complete(id);
    expect((await buffer(await bench.place.store.readRange(originalKey(versionId)))).toString()).toBe('0123456789');
  });

  it('DI-009 completed by 64 at once makes one version, one event and one answer', async () => {
    const id = await bench.begin({ sizeBytes: 4, name: 'many.txt' });
    await bench.send(id, 1, Buffer.from('many'));
    const answers = await Promise.all(Array.from({ length: 64 }, () => bench.complete(id)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const documentId = answers[0]?.documentId;
    expect(await countOf('from document_versions where document_id = $1', documentId)).toBe(1);
    expect(await countOf(`from events_outbox where data->>'documentId' = $1`, documentId)).toBe(1);
    expect(await bench.complete(id)).toEqual(answers[0]);
  });

  it('DI-009 of a name that is there makes the next version, and the earlier one stays', async () => {
    const versions = await Promise.all(
      ['re\u0301sume\u0301.txt', 'r\u00e9sum\u00e9.txt'].map(async (name, at) => {
        const id = await bench.begin({ sizeBytes: 1, name });
        await bench.send(id, 1, Buffer.from(`${at}`));
        return bench.complete(id);
      }),
    );
    expect(versions.map(({ version }) => version).sort()).toEqual([1, 2]);
    expect(new Set(versions.map(({ documentId }) => documentId)).size).toBe(1);
    const kept = versions.map(async ({ versionId }) =>
      buffer(await bench.place.store.readRange(originalKey(versionId))),
    );
    expect((await Promise.all(kept)).map(String)).toEqual(['0', '1']);
  });

  it('a completion that a process did not live to finish is finished by the reaper', async () => {
    const id = await bench.begin({ sizeBytes: 4 });
    await bench.send(id, 1, Buffer.from('half'));
    await test.record.inOrganization(bench.organization.orgId, (tx) =>
      tx.query('select * from docsvc_begin_completion($1, $2, null, null, null, 10)', [id, crypto.randomUUID()]),
    );
    expect((await reapUploads(bench.place)).finished).toBe(1);
    const session = await sessionOf(id);
    expect(session).toMatchObject({ status: 'completed' });
    const audited = `from audit_events where action = 'version.created' and actor_kind = 'system' and subject_id = $1`;
    expect(await countOf(audited, session['document_id'])).toBe(1);
    expect((await reapUploads(bench.place)).finished).toBe(0);
  });

  it('expires after seven days without a part, and gives its room back', async () => {
    const id = await bench.begin({ sizeBytes: 4 });
    await test.owner.query(`update upload_sessions set expires_at = now() - interval '1 s' where id = $1`, [id]);
    expect((await reapUploads(bench.place)).expired).toBe(1);
    expect(await readdir(join(bench.root, 'uploads'))).not.toContain(id);
    await expect(bench.send(id, 1, Buffer.from('late'))).rejects.toMatchObject({ code: 'upload_expired' });
    await expect(bench.complete(id)).rejects.toMatchObject({ code: 'upload_expired' });
  });

  it('is refused when the organization has as many open, or would keep more, than it may', async () => {
    const other = await UploadBench.open(test.record, await plantOrganization(test.owner), {
      openUploads: 2,
      storageBytes: 100,
    });
    await expect(other.begin({ sizeBytes: 101 })).rejects.toMatchObject({ code: 'quota_exceeded' });
    await other.begin({ sizeBytes: 60 });
    await expect(other.begin({ sizeBytes: 60 })).rejects.toMatchObject({ code: 'quota_exceeded' });
    await other.begin({ sizeBytes: 40 });
    await expect(other.begin({ sizeBytes: 0 })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(other.begin({ sizeBytes: 1 })).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect((await readdir(join(other.root, 'uploads'))).length).toBe(2);
    await other.close();
  });

  it('is not there for another organization', async () => {
    const id = await bench.begin({ sizeBytes: 4 });
    const other = await UploadBench.open(test.record, await plantOrganization(test.owner));
    await expect(other.send(id, 1, Buffer.from('they'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(other.complete(id)).rejects.toMatchObject({ code: 'not_found' });
    await other.close();
  });
});
