import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { v7 as uuidv7 } from 'uuid';
import { restoreVersion } from '../../../src/core/documents/restore-version.js';
import type { VersionPlace } from '../../../src/core/documents/version-place.js';
import { readVersion } from '../../../src/core/documents/view-versions.js';
import { requeueVersion } from '../../../src/core/ingest/ingest-moves.js';
import { abortUpload } from '../../../src/core/uploads/abort-upload.js';
import { completeUpload } from '../../../src/core/uploads/complete-upload.js';
import { reapUploads } from '../../../src/core/uploads/reap-uploads.js';
import type { IngestEnding } from '../../../src/domain/ingest/ingest-errors.js';
import { originalKey } from '../../../src/platform/blobs/blob-store.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization } from '../../support/database/plant-organization.js';
import { UploadBench } from '../../support/uploads/upload-bench.js';
import { UploadIngest } from '../../support/uploads/upload-ingest.js';

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
/** Of no type that is read. */
const GOOD = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
const WRONG = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 0]);

let test: TestDatabase;
let bench: UploadBench;
let ingest: UploadIngest;

beforeAll(async () => {
  test = await createTestDatabase(() => undefined);
  bench = await UploadBench.open(test.record, await plantOrganization(test.owner));
  ingest = UploadIngest.open(bench);
});

afterAll(async () => {
  ingest.close();
  await bench.close();
  await test.close();
});

const rowOf = async (table: 'upload_sessions' | 'document_versions', id: string): Promise<Record<string, unknown>> =>
  (await test.owner.query<Record<string, unknown>>(`select * from ${table} where id = $1`, [id])).rows[0] ?? {};
const sessionOf = (id: string): Promise<Record<string, unknown>> => rowOf('upload_sessions', id);
const versionOf = (id: string): Promise<Record<string, unknown>> => rowOf('document_versions', id);

const eventsOf = async (versionId: string): Promise<string[]> =>
  (
    await test.owner.query<{ type: string }>(
      `select type from events_outbox where data->>'documentVersionId' = $1 order by occurred_at`,
      [versionId],
    )
  ).rows.map(({ type }) => type);

const bytesOf = async (versionId: string): Promise<Buffer> =>
  buffer(await bench.place.store.readRange(originalKey(versionId)));

/** An upload of ten bytes that are all here. */
async function arrived(on = bench, stated: { sha256?: Buffer } = {}, bytes = GOOD): Promise<string> {
  const id = await on.begin({ sizeBytes: bytes.length, ...stated });
  await on.send(id, 1, bytes);
  return id;
}

/** An upload whose completion a process began and did not live to finish. @returns the id of the version to be */
async function leftHalfDone(on: UploadBench, uploadId: string): Promise<string> {
  const versionId = uuidv7();
  await test.record.inOrganization(on.organization.orgId, (tx) =>
    tx.query('select * from docsvc_begin_completion($1, $2, null, null, null, 10)', [uploadId, versionId]),
  );
  return versionId;
}

const failed = (code: string): object => ({ status: 'failed', error: { code } });

describe('a completion that is refused', () => {
  it('leaves its upload failed, which says why, and is completed once there is room', async () => {
    const full = await UploadBench.open(test.record, await plantOrganization(test.owner), { documents: 0 });
    const id = await arrived(full);
    for (let round = 0; round < 2; round += 1) {
      await expect(full.complete(id)).rejects.toMatchObject({ code: 'quota_exceeded' });
      expect(await sessionOf(id)).toMatchObject({ ...failed('quota_exceeded'), document_id: null });
    }
    expect(await reapUploads(full.place)).toMatchObject({ finished: 0 });
    const roomy = { ...full.place, quotas: { ...full.place.quotas, documents: 1 } };
    const completion = { orgId: full.organization.orgId, uploadId: id, parts: null, sha256: null };
    const { versionId, version } = await completeUpload(roomy, completion, () => Promise.resolve());
    expect(version).toBe(1);
    expect(await sessionOf(id)).toMatchObject({ status: 'completed', error: null });
    expect((await buffer(await full.place.store.readRange(originalKey(versionId)))).equals(GOOD)).toBe(true);
    await full.close();
  });

  it('can be aborted, and gives its room back', async () => {
    const full = await UploadBench.open(test.record, await plantOrganization(test.owner), { documents: 0 });
    const id = await arrived(full);
    await expect(full.complete(id)).rejects.toMatchObject({ code: 'quota_exceeded' });
    const { store } = full.place;
    await test.record.inOrganization(full.organization.orgId, (tx) => abortUpload(tx, store, id));
    expect(await sessionOf(id)).toMatchObject({ status: 'aborted' });
    for await (const { ownerId } of store.owners()) throw new Error(`bytes of ${ownerId} are left`);
    expect(await readdir(join(full.root, 'uploads'))).toEqual([]);
    await full.close();
  });

  it('keeps the reaper from no other one, whatever the reason', async () => {
    const full = await UploadBench.open(test.record, await plantOrganization(test.owner), { documents: 1 });
    const [lost, blocked, good, refused] = [
      await arrived(full),
      await arrived(full),
      await arrived(full),
      await arrived(full),
    ];
    await leftHalfDone(full, lost);
    await rm(join(full.root, 'uploads', lost));
    const versionId = await leftHalfDone(full, blocked);
    const inTheWay = join(full.root, 'blobs', versionId.slice(-2), versionId);
    await mkdir(dirname(inTheWay), { recursive: true });
    await writeFile(inTheWay, 'a file where a folder belongs');
    for (const id of [good, refused]) await leftHalfDone(full, id);
    await expect(reapUploads(full.place)).rejects.toThrow('1 uploads or blobs were left as they are');
    expect(await sessionOf(lost)).toMatchObject(failed('not_found'));
    expect(await sessionOf(blocked)).toMatchObject({ status: 'completing' });
    expect(await sessionOf(good)).toMatchObject({ status: 'completed' });
    expect(await sessionOf(refused)).toMatchObject(failed('quota_exceeded'));
    await rm(inTheWay);
    expect(await reapUploads(full.place)).toMatchObject({ finished: 0 });
    expect(await sessionOf(blocked)).toMatchObject(failed('quota_exceeded'));
    await full.close();
  });
});

describe('an upload whose digest was stated', () => {
  it('fails by it, keeps its parts, and is completed with others; each version is told once', async () => {
    const id = await arrived(bench, { sha256: sha256(GOOD) }, WRONG);
    const first = await bench.complete(id);
    expect(await sessionOf(id)).toMatchObject({ status: 'completing' });
    await ingest.run(first.versionId);
    expect(await sessionOf(id)).toMatchObject(failed('checksum_mismatch'));
    expect(await bench.complete(id, { sha256: sha256(GOOD) })).toEqual(first);
    await expect(bench.send(id, 1, GOOD)).rejects.toMatchObject({ code: 'conflict' });
    await ingest.run(first.versionId);
    await bench.send(id, 1, GOOD);
    expect(await bench.complete(id)).toEqual(first);
    await ingest.run(first.versionId);
    expect(await sessionOf(id)).toMatchObject({ status: 'completed', error: null });
    expect((await bytesOf(first.versionId)).equals(GOOD)).toBe(true);
    expect(await versionOf(first.versionId)).toMatchObject({ status: 'stored', attempt: 3 });
    expect(await eventsOf(first.versionId)).toEqual([
      'document.uploaded',
      'document.failed',
      'document.failed',
      'document.ready',
    ]);
  });

  it('is held to the digest of the first completion by one that states none', async () => {
    const id = await arrived(bench, {}, WRONG);
    const { versionId } = await bench.complete(id, { sha256: sha256(GOOD) });
    await ingest.run(versionId);
    expect(await sessionOf(id)).toMatchObject(failed('checksum_mismatch'));
    await bench.complete(id);
    await ingest.run(versionId);
    expect(await sessionOf(id)).toMatchObject(failed('checksum_mismatch'));
    await bench.complete(id, { sha256: sha256(WRONG) });
    await ingest.run(versionId);
    expect(await sessionOf(id)).toMatchObject({ status: 'completed', error: null });
  });

  it.each<[string, string, object]>([
    ['breaks its reader', 'process.exit(1);', failed('broken')],
    [
      'costs its reader too much',
      `import { writeSync } from 'node:fs'; for (;;) writeSync(1, 'x'.repeat(65536));`,
      { status: 'quarantined', error: { code: 'limit_exceeded' } },
    ],
  ])('is completed by a file that %s, and read once', async (_, sniffer, end) => {
    const id = await arrived(bench, { sha256: sha256(GOOD) });
    const { versionId } = await bench.complete(id);
    const hostile = UploadIngest.open(bench, sniffer);
    await hostile.run(versionId);
    hostile.close();
    expect(await versionOf(versionId)).toMatchObject(end);
    await assertSettled(id, versionId, { status: 'completed', error: null });
  });

  it('fails when its bytes are gone, and is not read again by itself', async () => {
    const id = await arrived(bench, { sha256: sha256(GOOD) });
    const { versionId } = await bench.complete(id);
    await bench.place.store.deleteOwner(versionId);
    await ingest.run(versionId);
    expect(await versionOf(versionId)).toMatchObject(failed('blob_missing'));
    await assertSettled(id, versionId, failed('blob_missing'));
    await expect(bench.complete(id)).rejects.toMatchObject({ code: 'not_found' });
    await assertSettled(id, versionId, failed('not_found'));
  });

  it.each<IngestEnding['code']>(['timeout_validate', 'internal'])(
    'fails with an attempt that ended by %s, is completed by a later one, and loses no bytes meanwhile',
    async (code) => {
      const id = await arrived(bench, { sha256: sha256(GOOD) });
      const { versionId } = await bench.complete(id);
      await ingest.giveUp(versionId, code);
      await assertSettled(id, versionId, failed(code));
      const other = await arrived(bench, { sha256: sha256(GOOD) });
      const { versionId: expiring } = await bench.complete(other);
      await ingest.giveUp(expiring, code);
      await test.owner.query(`update upload_sessions set expires_at = now() - interval '1 s' where id = $1`, [other]);
      expect(await reapUploads(bench.place)).toMatchObject({ expired: 1 });
      expect((await bytesOf(expiring)).equals(GOOD)).toBe(true);
      const { orgId } = bench.organization;
      await test.record.inOrganization(orgId, (tx) => requeueVersion(tx, versionId, {}));
      await expect(bench.complete(id)).rejects.toMatchObject({ code: 'conflict' });
      await ingest.run(versionId);
      expect(await sessionOf(id)).toMatchObject({ status: 'completed', error: null });
    },
  );

  /** Whatever comes by later leaves it as it is. */
  async function assertSettled(id: string, versionId: string, as: object): Promise<void> {
    expect(await sessionOf(id)).toMatchObject(as);
    expect(await reapUploads(bench.place)).toMatchObject({ finished: 0 });
    expect(await sessionOf(id)).toMatchObject(as);
    expect(await versionOf(versionId)).toMatchObject({ attempt: 1 });
    expect(await eventsOf(versionId)).toHaveLength(2);
  }
});

describe('a version that was restored', () => {
  it('DI-009 keeps its bytes when the upload of the older one goes on', async () => {
    const id = await arrived(bench, { sha256: sha256(GOOD) }, WRONG);
    const first = await bench.complete(id);
    await ingest.run(first.versionId);
    const { orgId } = bench.organization;
    const view = await test.record.inOrganization(orgId, (tx) => readVersion(tx, first.documentId, first.version));
    const restored: VersionPlace = await restoreVersion(bench.place, orgId, view, () => Promise.resolve());
    await bench.send(id, 1, GOOD);
    expect((await bytesOf(restored.versionId)).equals(WRONG)).toBe(true);
    await bench.complete(id);
    expect((await bytesOf(restored.versionId)).equals(WRONG)).toBe(true);
    expect((await bytesOf(first.versionId)).equals(GOOD)).toBe(true);
  });
});
