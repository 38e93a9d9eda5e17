import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rawArchive } from '../../../test/support/archives/raw-tar.js';
import { untilHolds } from '../../../test/support/time/until.js';
import { uploadFile, UploadFiles } from './upload-files.js';

const ID = '01900000-0000-7000-8000-00000000abcd';
const OTHER = '01900000-0000-7000-8000-00000000abce';
const LIMITS = { maxBytes: 100_000, stallMs: 10_000 };

describe('receiving an archive', () => {
  let dataDir: string;
  let files: UploadFiles;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sandgate-uploads-'));
    files = new UploadFiles(dataDir);
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const kept = () => readdir(join(dataDir, 'uploads'));

  it('keeps it whole, in a folder that nobody else enters, readable for the user of a run', async () => {
    const archive = rawArchive([{ name: 'a', content: randomBytes(50_000) }]);
    const report = await files.receive(ID, Readable.from([archive.subarray(0, 9), archive.subarray(9)]), LIMITS);
    expect(report).toMatchObject({ files: 1, packed: archive.length });
    expect((await stat(join(dataDir, 'uploads'))).mode & 0o777).toBe(0o700);
    expect((await stat(uploadFile(dataDir, ID))).mode & 0o777).toBe(0o644);
    expect(await files.list()).toEqual([ID]);
    await files.remove(ID);
    await files.remove(ID);
    expect(await kept()).toEqual([]);
  });

  it('leaves nothing of one that is refused, and its sender connected', async () => {
    const body = new PassThrough();
    body.write(randomBytes(100_001));
    await expect(files.receive(ID, body, LIMITS)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(body.destroyed).toBe(false);
    const hostile = Readable.from([rawArchive([{ name: '/abs' }])]);
    await expect(files.receive(OTHER, hostile, LIMITS)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await kept()).toEqual([]);
  });

  it('gives up on a sender that goes silent, or hangs up', async () => {
    const silent = new PassThrough();
    silent.write('\u001f');
    await expect(files.receive(ID, silent, { ...LIMITS, stallMs: 50 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'the upload broke off: nothing came for 50 ms',
    });
    const gone = new PassThrough();
    gone.write('\u001f');
    const refused = expect(files.receive(OTHER, gone, LIMITS)).rejects.toMatchObject({
      message: 'the upload broke off: its sender hung up',
    });
    await untilHolds(() => gone.readableLength === 0);
    gone.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    await refused;
    const never = new PassThrough().destroy();
    await expect(files.receive(OTHER, never, LIMITS)).rejects.toMatchObject({
      message: 'the upload broke off: its sender hung up',
    });
    expect(await kept()).toEqual([]);
  });
});
