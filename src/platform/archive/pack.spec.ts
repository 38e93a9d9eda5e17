import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { extractArchive, type ArchiveRules } from './extract.js';
import { packArchive, type ArchivePacker } from './pack.js';

const GIB = 1024 ** 3;
const RULES: ArchiveRules = {
  limits: { packed: GIB, unpacked: GIB, content: GIB, files: 1000, links: 1000, entries: 2000 },
  withoutSecrets: false,
};

describe('packing', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandgate-pack-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const packed = async (fill: (packer: ArchivePacker) => Promise<void>, maxBytes = GIB): Promise<Buffer> => {
    const target = new PassThrough();
    const [bytes] = await Promise.all([buffer(target), packArchive(target, maxBytes, fill)]);
    return bytes;
  };

  const add = async (packer: ArchivePacker, path: string, content: Buffer, executable = false): Promise<void> => {
    await writeFile(join(folder, 'source'), content);
    await using file = await open(join(folder, 'source'));
    await packer.file(path, file, { size: content.length, executable });
  };

  const unpacked = async (archive: Buffer) => {
    const found: Record<string, string> = {};
    await extractArchive(
      Readable.from([archive]),
      {
        folder: (path) => void (found[path] = 'folder'),
        file: async (path, content, executable) => {
          const bytes = await buffer(content);
          found[path] = `${executable ? 'program' : 'file'} ${bytes.length} ${bytes.subarray(0, 20).toString()}`;
        },
        links: (all) => {
          for (const { path, target } of all) found[path] = `link ${target}`;
          return Promise.resolve(all.length);
        },
      },
      RULES,
    );
    return found;
  };

  const long = `${'deep-folder-name/'.repeat(30)}é`;

  it('what was packed is unpacked: long names, other alphabets, links, large and empty files', async () => {
    const archive = await packed(async (packer) => {
      await packer.folder('a');
      await add(packer, 'a/run', Buffer.from('#!/bin/sh'), true);
      await add(packer, 'a/empty', Buffer.alloc(0));
      await add(packer, 'a/large', Buffer.alloc(3_000_000, 'z'));
      await add(packer, 'ü\nname', Buffer.from('x'));
      await add(packer, long, Buffer.from('y'));
      await packer.link('l', 'a/run');
      await packer.link('m', long);
    });
    expect(await unpacked(archive)).toMatchObject({
      a: 'folder',
      'a/run': 'program 9 #!/bin/sh',
      'a/empty': 'file 0 ',
      'a/large': `file 3000000 ${'z'.repeat(20)}`,
      'ü\nname': 'file 1 x',
      [long]: 'file 1 y',
      l: 'link a/run',
      m: `link ${long}`,
    });
  });

  it('the same files make the same bytes', async () => {
    const make = () => packed((packer) => add(packer, 'a', Buffer.from('same')));
    expect((await make()).equals(await make())).toBe(true);
  });

  it('of a file that grew it packs what was there; one that became shorter breaks it off', async () => {
    const grown = await packed(async (packer) => {
      await writeFile(join(folder, 'g'), 'ten bytes!');
      await using file = await open(join(folder, 'g'));
      await writeFile(join(folder, 'g'), 'ten bytes! and more');
      await packer.file('g', file, { size: 10, executable: false });
    });
    expect(await unpacked(grown)).toEqual({ g: 'file 10 ten bytes!' });

    const target = new PassThrough().resume();
    const shrunk = packArchive(target, GIB, async (packer) => {
      await writeFile(join(folder, 's'), 'ten bytes!');
      await using file = await open(join(folder, 's'));
      await truncate(join(folder, 's'), 3);
      await packer.file('s', file, { size: 10, executable: false });
    });
    await expect(shrunk).rejects.toMatchObject({ code: 'conflict', message: '"s" became shorter while it was packed' });
  });

  it('an archive that becomes too large, and a disk that is full, are told as what they are', async () => {
    const noise = await readFile(process.execPath).then((bytes) => bytes.subarray(0, 4_000_000));
    const fill = async (packer: ArchivePacker): Promise<void> => {
      for (let file = 0; file < 5; file++) await add(packer, `f${file}`, noise);
    };
    await expect(packed(fill, 100_000)).rejects.toMatchObject({ code: 'payload_too_large' });
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) });
    await expect(packArchive(full, GIB, fill)).rejects.toThrow('no space left');
  });
});
