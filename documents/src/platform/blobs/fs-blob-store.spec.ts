import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { v7 as uuidv7 } from 'uuid';
import { MAX_FILE_BYTES, planParts, rangeOfPart } from '../../domain/uploads/part-plan.js';
import { originalKey } from './blob-store.js';
import { FsBlobStore } from './fs-blob-store.js';

const MIB = 1024 * 1024;
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

let root: string;
let store: FsBlobStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'blobs-'));
  store = await FsBlobStore.open(root, { stallMs: 200 });
});

afterEach(async () => rm(root, { recursive: true }));

/** A body in pieces of odd sizes, as a network delivers it. */
function inPieces(bytes: Buffer, pieceBytes = 60_013): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  return Readable.from(pieces, { objectMode: false });
}

async function begin(sizeBytes: number): Promise<string> {
  const id = uuidv7();
  await store.beginUpload(id, sizeBytes);
  return id;
}

describe('the store of files', () => {
  it('DI-006 puts parts to their places in any order and at once, and completes by a rename', async () => {
    const bytes = randomBytes(19 * MIB + 7);
    const plan = planParts(bytes.length);
    const id = await begin(bytes.length);
    const { ino } = await stat(join(root, 'uploads', id));
    const sent = [3, 1, 2].map(async (number) => {
      const range = rangeOfPart(plan, number);
      const part = bytes.subarray(range.offset, range.offset + range.length);
      expect(await store.putPart(id, range, inPieces(part))).toEqual(sha256(part));
    });
    await Promise.all(sent);
    const key = originalKey(uuidv7());
    await Promise.all([store.completeUpload(id, key), store.completeUpload(id, key)]);
    await store.completeUpload(id, key);
    expect((await stat(await store.localFile(key))).ino).toBe(ino);
    expect(sha256(await buffer(await store.readRange(key)))).toEqual(sha256(bytes));
    expect(await buffer(await store.readRange(key, { offset: 100, length: 50 }))).toEqual(bytes.subarray(100, 150));
    expect(await store.head(key)).toEqual({ sizeBytes: bytes.length });
  });

  it('DI-008 a file of 5 TB takes only the room of the parts that came', async () => {
    const id = await begin(MAX_FILE_BYTES);
    const length = 2 * MIB;
    await store.putPart(id, { offset: MAX_FILE_BYTES - length, length }, inPieces(Buffer.alloc(length, 1)));
    const { size, blocks } = await stat(join(root, 'uploads', id));
    expect(size).toBe(MAX_FILE_BYTES);
    expect(blocks * 512).toBeLessThan(length + MIB);
  });

  it.each([
    ['longer', 11],
    ['shorter', 9],
    ['empty', 0],
  ])('DI-006 a body that is %s than its part is refused', async (_how, length) => {
    const id = await begin(30);
    const refused = store.putPart(
      id,
      { offset: 10, length: 10 },
      Readable.from([Buffer.alloc(length, 1)], { objectMode: false }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', details: [{ code: 'wrong_length' }] });
  });

  it('DI-006 what is longer than its part never reaches the next one', async () => {
    const id = await begin(4 * MIB);
    await store.putPart(id, { offset: 2 * MIB, length: 2 * MIB }, inPieces(Buffer.alloc(2 * MIB, 2)));
    const range = { offset: 0, length: 2 * MIB };
    await expect(store.putPart(id, range, inPieces(Buffer.alloc(3 * MIB, 1)))).rejects.toThrow('more than');
    const key = originalKey(uuidv7());
    await store.completeUpload(id, key);
    const after = await buffer(await store.readRange(key, { offset: 2 * MIB, length: 2 * MIB }));
    expect(after.equals(Buffer.alloc(2 * MIB, 2))).toBe(true);
  });

  it('a body that stops coming is given up', async () => {
    const id = await begin(10);
    const silent = new Readable({ read: () => undefined });
    silent.push(Buffer.alloc(3));
    const refused = store.putPart(id, { offset: 0, length: 10 }, silent);
    await expect(refused).rejects.toMatchObject({ code: 'request_timeout' });
  });

  it('a part of an upload that is gone is refused', async () => {
    const id = await begin(10);
    await store.abortUpload(id);
    await store.abortUpload(id);
    const refused = store.putPart(id, { offset: 0, length: 10 }, inPieces(Buffer.alloc(10)));
    await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.completeUpload(id, originalKey(uuidv7()))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('an upload is reopened with its parts, and completed again', async () => {
    const id = await begin(10);
    const key = originalKey(uuidv7());
    await store.putPart(id, { offset: 0, length: 10 }, inPieces(Buffer.from('0123456789')));
    await store.completeUpload(id, key);
    await Promise.all([store.reopenUpload(id, key), store.reopenUpload(id, key)]);
    await store.putPart(id, { offset: 8, length: 2 }, inPieces(Buffer.from('ab')));
    await store.reopenUpload(id, key);
    await store.completeUpload(id, key);
    expect((await buffer(await store.readRange(key))).toString()).toBe('01234567ab');
    expect(await readdir(join(root, 'incoming'))).toEqual([]);
  });

  it('what is written to a reopened upload reaches no blob, nor who reads one', async () => {
    const id = await begin(10);
    const [key, copied] = [originalKey(uuidv7()), originalKey(uuidv7())];
    await store.putPart(id, { offset: 0, length: 10 }, inPieces(Buffer.from('0123456789')));
    await store.completeUpload(id, key);
    await store.copy(key, copied);
    const begun = await store.readRange(key);
    await store.reopenUpload(id, key);
    await store.putPart(id, { offset: 0, length: 10 }, inPieces(Buffer.from('abcdefghij')));
    const read = async (one: string): Promise<string> => (await buffer(await store.readRange(one))).toString();
    expect([await read(key), await read(copied)]).toEqual(['0123456789', '0123456789']);
    await store.completeUpload(id, key);
    expect([await read(key), await read(copied)]).toEqual(['abcdefghij', '0123456789']);
    expect((await buffer(begun)).toString()).toBe('0123456789');
  });

  it('a blob is written whole or not at all', async () => {
    const key = originalKey(uuidv7());
    await expect(store.put(key, inPieces(Buffer.alloc(11)), 10)).rejects.toMatchObject({ code: 'too_large' });
    expect(await store.head(key)).toBeNull();
    expect(await readdir(join(root, 'incoming'))).toEqual([]);
    const bytes = Buffer.from('0123456789');
    expect(await store.put(key, inPieces(bytes), 10)).toEqual({ sizeBytes: 10, sha256: sha256(bytes) });
  });

  it('a copy outlives its source', async () => {
    const [from, to] = [uuidv7(), uuidv7()];
    await store.put(originalKey(from), inPieces(Buffer.from('kept')), 10);
    await store.copy(originalKey(from), originalKey(to));
    await store.copy(originalKey(from), originalKey(to));
    await store.deleteOwner(from);
    expect((await buffer(await store.readRange(originalKey(to)))).toString()).toBe('kept');
    const owners = [];
    for await (const { ownerId } of store.owners()) owners.push(ownerId);
    expect(owners).toEqual([to]);
  });

  it.each(['../x/original', 'original', `${uuidv7()}/../../etc`, `${uuidv7()}`, `${uuidv7()}/`, `${uuidv7()}/A b`])(
    'has no key %p',
    async (key) => {
      await expect(store.head(key)).rejects.toThrow(TypeError);
    },
  );
});
