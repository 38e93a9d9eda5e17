import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { WorkspaceSpec } from '../../../src/domain/run/spec.js';
import { uploadFile, UploadFiles } from '../../../src/platform/workspace/upload-files.js';
import { rawArchive, type RawTarEntry } from '../../support/archives/raw-tar.js';
import { contentOf, Stage, UID } from './support.js';

jest.setTimeout(60_000);

const ID = '01900000-0000-7000-8000-00000000abcd';
const LIMITS = { maxBytes: 64 * 1024 * 1024, stallMs: 5000 };
const FILES: RawTarEntry[] = [
  { name: 'src/main.c', content: 'int main(void) { return 0; }\n' },
  { name: 'run.sh', content: '#!/bin/sh\n', mode: 0o4755 },
  { name: 'empty/', type: '5' },
  { name: 'link', type: '2', link: 'src/main.c' },
  { name: '.env', content: 'SECRET=1\n' },
  { name: 'leaving', type: '2', link: '../../outside' },
];

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.remove());

type UploadSpec = Extract<WorkspaceSpec, { kind: 'upload' }>;

const receive = async (entries: RawTarEntry[] = FILES): Promise<UploadSpec> => {
  const body = Readable.from([rawArchive(entries)]);
  const { digest, packed: bytes, files, leftOut } = await new UploadFiles(stage.stateDir).receive(ID, body, LIMITS);
  return { kind: 'upload', id: ID, digest, bytes, files, left_out: leftOut + 2, host: ID };
};

describe('an uploaded folder', () => {
  it('is unpacked as the user of the run, without secrets and without links that leave it', async () => {
    const spec = await receive();
    expect(spec).toMatchObject({ files: 4, left_out: 3 });
    const workspace = await stage.prepare(spec);
    expect(workspace).toMatchObject({ files: 3, leftOut: 4 });
    const found = contentOf(stage.workspaceDir);
    expect(Object.keys(found).toSorted()).toEqual(['link', 'run.sh', 'src/main.c']);
    expect(readlinkSync(join(stage.workspaceDir, 'link'))).toBe('src/main.c');
    expect(statSync(join(stage.workspaceDir, 'run.sh')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(join(stage.workspaceDir, 'empty')).isDirectory()).toBe(true);
    const owner = UID ?? process.getuid?.();
    for (const name of ['src', 'src/main.c', 'link', 'empty', '.git'])
      expect(lstatSync(join(stage.workspaceDir, name)).uid).toBe(owner);
    expect(lstatSync(uploadFile(stage.stateDir, ID)).isFile()).toBe(true);
  });

  it('a launch that is repeated finds it again, and has the same base commit', async () => {
    const spec = await receive();
    const first = await stage.prepare(spec);
    writeFileSync(join(stage.workspaceDir, 'rubbish'), 'of an earlier attempt');
    const second = await stage.prepare(spec);
    expect(second.baseCommit).toBe(first.baseCommit);
  });

  it('is refused when it is not what was received, or gone', async () => {
    const spec = await receive();
    const file = uploadFile(stage.stateDir, ID);
    const bytes = readFileSync(file);
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    await expect(stage.prepare(spec)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'the uploaded files of this run are not those that were received',
    });
    await new UploadFiles(stage.stateDir).remove(ID);
    await expect(stage.prepare(spec)).rejects.toMatchObject({
      message: 'the uploaded files of this run are not on its host any more',
    });
  });

  it('a hostile archive that got past every check is refused by the unpacker as well, and nothing is outside', async () => {
    const spec = await receive();
    const hostile = rawArchive([
      { name: 'fine', content: 'x' },
      { name: '../outside', content: 'x' },
    ]);
    writeFileSync(uploadFile(stage.stateDir, ID), hostile);

    const digest = `sha256:${createHash('sha256').update(hostile).digest('hex')}`;
    await expect(stage.prepare({ ...spec, digest, bytes: hostile.length })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'the archive is refused: "../outside" leads out of its folder by ..',
    });
    expect(() => lstatSync(join(stage.base, 'outside'))).toThrow('ENOENT');
  });

  // Only root may mount a small disk.
  (UID === null ? it.skip : it)('a disk that is full, of the server or of the run, is told as that', async () => {
    const noise = [{ name: 'noise', content: randomBytes(900_000) }];
    const small = (path: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=777', 'tmpfs', path]);
    const uploads = join(stage.stateDir, 'uploads');
    mkdirSync(uploads);
    small(uploads);
    await expect(receive(noise).finally(() => execFileSync('umount', [uploads]))).rejects.toMatchObject({
      code: 'out_of_capacity',
      message: 'the disk of the server has no room for this upload',
    });
    const spec = await receive(noise);
    small(stage.workspaceDir);
    await expect(stage.prepare(spec).finally(() => execFileSync('umount', [stage.workspaceDir]))).rejects.toMatchObject(
      {
        code: 'payload_too_large',
        message: 'the archive holds more than the disk of its sandbox (sandbox.disk_mb)',
      },
    );
  });
});
