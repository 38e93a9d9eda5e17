import { randomBytes } from 'node:crypto';
import { lstat, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SandgateError } from '../../domain/errors.js';
import { paxRecords, rawArchive, rawTar, type RawTarEntry } from '../../../test/support/archives/raw-tar.js';
import { checkArchive, extractArchive, type ArchiveLink, type ArchiveRules, type ArchiveTarget } from './extract.js';
import { FolderTarget } from './folder-target.js';

const MIB = 1024 * 1024;
const LIMITS = { packed: 8 * MIB, unpacked: 64 * MIB, content: 32 * MIB, files: 1000, links: 100, entries: 2000 };
const RULES: ArchiveRules = {
  limits: LIMITS,
  withoutSecrets: true,
  partProblem: (part) => (part.toLowerCase() === '.git' ? 'is a repository of its own' : null),
};

const check = (archive: Buffer, rules: ArchiveRules = RULES) => checkArchive(chunksOf(archive), rules);
const refusal = async (archive: Buffer, rules?: ArchiveRules): Promise<string> => {
  const error: unknown = await check(archive, rules).catch((cause: unknown) => cause);
  if (!(error instanceof SandgateError)) throw new Error('it was not refused', { cause: error });
  return `${error.httpStatus} ${error.message}`;
};

describe('an archive is refused whole, with its entry named', () => {
  const cases: [string, RawTarEntry[], string][] = [
    ['an absolute path', [{ name: '/etc/passwd', content: 'x' }], '"/etc/passwd" is an absolute path'],
    ['a path that leads out', [{ name: 'a/../../b', content: 'x' }], '"a/../../b" leads out of its folder by ..'],
    ['a folder that leads out', [{ name: '../b/', type: '5' }], '"../b/" leads out'],
    ['a hard link', [{ name: 'a', type: '1', link: '/etc/passwd' }], '"a" is a hard link'],
    ['a character device', [{ name: 'null', type: '3' }], '"null" is neither a file, a folder nor a link'],
    ['a block device', [{ name: 'sda', type: '4' }], '"sda" is neither'],
    ['a fifo', [{ name: 'pipe', type: '6' }], '"pipe" is neither'],
    ['a type that nobody knows', [{ name: 'what', type: 'S' }], '"what" is neither'],
    ['a file twice', [{ name: 'a' }, { name: './a' }], '"./a" stands in it twice'],
    ['a file below a file', [{ name: 'a' }, { name: 'a/b' }], '"a/b" needs a folder where a file stands'],
    ['a file below a link', [{ name: 'a', type: '2', link: '/etc' }, { name: 'a/b' }], 'where a link stands'],
    ['a link over a folder', [{ name: 'a/b' }, { name: 'a', type: '2', link: '/etc' }], '"a" stands in it twice'],
    [
      'a folder over a link',
      [
        { name: 'a', type: '2', link: 'b' },
        { name: 'a/', type: '5' },
      ],
      'where a link stands',
    ],
    ['a link without a target', [{ name: 'a', type: '2' }], '"a" is a link whose target is empty'],
    ['a link with a content', [{ name: 'a', type: '2', link: 'b', content: 'x' }], '"a" is a link with a content'],
    ['a folder with a content', [{ name: 'a/', type: '5', content: 'x' }], '"a/" is a folder with a content'],
    ['the top as a file', [{ name: './', type: '0', content: 'x' }], '"./"'],
    ['a repository of its own', [{ name: 'a/.GIT/config' }], '"a/.GIT/config" is a repository of its own'],
    ['a name that is no UTF-8', [{ name: Buffer.from([0x61, 0xff]) }], 'is not UTF-8'],
    ['a part that no file system takes', [pax({ path: 'n'.repeat(256) }), { name: 'short' }], 'more than 255 bytes'],
    ['a path that is too deep', [pax({ path: 'a/'.repeat(260) + 'b' }), { name: 'b' }], 'more than 250 folders deep'],
    ['a pax path with a NUL', [pax({ path: 'a\0b' }), { name: 'a' }], String.raw`"a\u0000b" holds a NUL`],
    ['a pax path that leads out', [pax({ path: '../x' }), { name: 'fine' }], '"../x" leads out'],
    ['a pax path that is absolute', [pax({ path: '/x' }), { name: 'fine' }], '"/x" is an absolute path'],
    ['a pax target with a NUL', [pax({ linkpath: 'a\0b' }), { name: 'a', type: '2', link: 'b' }], 'holds a NUL'],
    ['a long name of GNU', [{ name: '@', type: 'L', content: '/abs\0' }, { name: 'x' }], '"/abs" is an absolute path'],
  ];

  it.each(cases)('%s', async (_what, entries, words) => {
    const told = await refusal(rawArchive(entries));
    expect(told).toMatch(/^400 the archive is refused: /);
    expect(told).toContain(words);
  });

  it('a name is shown so that a terminal may print it, and shortened', async () => {
    const told = await refusal(rawArchive([pax({ path: `/\u001b[2J${'x'.repeat(3000)}` }), { name: 'a' }]));
    expect(told).not.toContain('\u001b');
    expect(told.length).toBeLessThan(320);
  });
});

describe('an archive that is none', () => {
  const whole = rawTar([{ name: 'a', content: randomBytes(5000) }]);
  const cases: [string, Buffer][] = [
    ['no gzip', Buffer.from('PK\u0003\u0004 and more')],
    ['nothing at all', Buffer.alloc(0)],
    ['a gzip cut off', gzipSync(whole).subarray(0, 3000)],
    ['a tar cut off within a file', gzipSync(whole.subarray(0, 2000))],
    ['a tar cut off within a header', gzipSync(whole.subarray(0, 300))],
    ['a header whose sum is wrong', gzipSync(Buffer.concat([Buffer.from('b'), whole.subarray(1)]))],
    ['text', gzipSync('just text, and quite a lot of it. '.repeat(100))],
    ['a size that says more than there is', rawArchive([{ name: 'a', content: 'x', size: '00077777777' }])],
    ['a pax header that says more than there is', rawArchive([{ name: 'p', type: 'x', size: '00007777777' }])],
    ['a pax header of a gigabyte', rawArchive([{ name: 'p', type: 'x', size: '10000000000' }, { name: 'a' }])],
    ['a pax size that is no number', rawArchive([pax({ size: 'many' }), { name: 'a', content: 'x' }])],
    ['a pax size below zero', rawArchive([pax({ size: '-1' }), { name: 'a', content: 'x' }])],
    ['a size below zero', rawArchive([{ name: 'p', type: 'x', size: '-7777777777' }, { name: 'a' }])],
  ];

  it.each(cases)('%s', async (_what, archive) => {
    expect(await refusal(archive)).toMatch(/^400 the archive is (no whole tar\.gz|refused)/);
  });
});

describe('an archive past a limit', () => {
  it('that unpacks to more than it may, whatever it says', async () => {
    const zeros = gzipSync(Buffer.alloc(65 * MIB));
    expect(await refusal(zeros)).toMatch(/^413 the archive unpacks to more than 67108864 bytes/);
  });

  it('that grows too much for its size', async () => {
    const limits = { ...LIMITS, unpacked: 1024 * MIB, content: 1024 * MIB };
    const bomb = rawArchive([{ name: 'zeros', content: Buffer.alloc(80 * MIB) }]);
    expect(await refusal(bomb, { ...RULES, limits })).toMatch(/^413 the archive grows to more than 400 times/);
  });

  it.each([
    ['packed', { packed: 1000 }, 'has more than 1000 bytes'],
    ['content', { content: 9999 }, 'holds files of more than 9999 bytes'],
    ['files', { files: 2 }, 'holds more than 2 files'],
    ['links', { links: 1 }, 'holds more than 1 links'],
    ['entries', { entries: 3 }, 'holds more than 3 files and folders'],
  ])('%s', async (_what, limit, words) => {
    const archive = rawArchive([
      { name: 'a', content: randomBytes(10_000) },
      { name: 'b/c' },
      { name: 'l', type: '2', link: 'a' },
      { name: 'm', type: '2', link: 'a' },
    ]);
    const told = await refusal(archive, { ...RULES, limits: { ...LIMITS, ...limit } });
    expect(told).toBe(`413 the archive ${words}`);
  });
});

describe('unpacking', () => {
  let folder: string;
  const before = process.cwd();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandgate-archive-'));
    process.chdir(folder);
  });

  afterEach(async () => {
    process.chdir(before);
    await rm(folder, { recursive: true });
  });

  const unpack = (archive: Buffer) => extractArchive(chunksOf(archive), new FolderTarget(), RULES);

  it('writes files, folders and links, and of modes the execute bit alone', async () => {
    const report = await unpack(
      rawArchive([
        { name: './', type: '5' },
        { name: 'bin/run', content: '#!/bin/sh\n', mode: 0o6777 },
        { name: 'README', content: 'upper' },
        { name: 'readme', content: 'lower' },
        { name: 'e\u0301', content: 'two code points' },
        { name: '\u00e9', content: 'one' },
        { name: 'empty/', type: '5' },
        { name: 'here', type: '2', link: 'bin/run' },
      ]),
    );
    expect(report).toMatchObject({ files: 6, content: 38, leftOut: 0 });
    expect(await readFile('bin/run', 'utf8')).toBe('#!/bin/sh\n');
    expect((await lstat('bin/run')).mode & 0o7777).toBe(0o755);
    expect((await lstat('README')).mode & 0o7777).toBe(0o644);
    expect(await readFile('readme', 'utf8')).toBe('lower');
    expect(await readFile('e\u0301', 'utf8')).toBe('two code points');
    expect(await readFile('\u00e9', 'utf8')).toBe('one');
    expect(await readlink('here')).toBe('bin/run');
    expect((await lstat('empty')).isDirectory()).toBe(true);
  });

  it('keeps only links that stay inside, followed through each other', async () => {
    const link = (name: string, to: string): RawTarEntry => ({ name, type: '2', link: to });
    const report = await unpack(
      rawArchive([
        { name: 'd/e/f', content: 'x' },
        link('in', 'd/e/f'),
        link('d/e/up', '../../in'),
        link('dangling', 'nowhere'),
        link('abs', '/etc/passwd'),
        link('out', '../x'),
        link('hop', 'd/e/top/../x'),
        link('d/e/top', '../..'),
        link('chain', 'abs'),
        link('loop', 'pool'),
        link('pool', 'loop'),
      ]),
    );
    expect((await readdir('.')).toSorted()).toEqual(['d', 'dangling', 'in']);
    expect((await readdir('d/e')).toSorted()).toEqual(['f', 'top', 'up']);
    expect(report).toMatchObject({ files: 5, leftOut: 0, droppedLinks: 6 });
  });

  it('leaves secrets out, and says how many', async () => {
    const report = await unpack(
      rawArchive([
        { name: '.env', content: 'KEY=1' },
        { name: 'a/.ENV.local' },
        { name: 'a/server.pem' },
        { name: 'id_rsa' },
        { name: '.netrc' },
        { name: '.npmrc', content: '//registry/:_authToken=abc\n' },
        { name: 'b/.npmrc', content: 'save-exact=true\n' },
        { name: 'id_link', type: '2', link: 'b' },
        { name: 'environment', content: 'x' },
      ]),
    );
    expect(report).toMatchObject({ files: 2, leftOut: 7 });
    expect((await readdir('.', { recursive: true })).toSorted()).toEqual(['a', 'b', 'b/.npmrc', 'environment']);
  });

  it('takes the size of a pax header when both are whole', async () => {
    await unpack(
      rawArchive([pax({ size: '5', path: 'long/name' }), { name: 'x', content: 'hello', size: '00000000005' }]),
    );
    expect(await readFile('long/name', 'utf8')).toBe('hello');
  });
});

describe('whatever bytes come', () => {
  const nameParts = fc.constantFrom('a', 'b', '..', '.', '', '.git', '.env', '/', 'é', '\0', 'x'.repeat(99));
  const anEntry: fc.Arbitrary<RawTarEntry> = fc.record({
    name: fc.array(nameParts, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/')),
    type: fc.constantFrom('0', '0', '0', '1', '2', '2', '3', '5', '5', 'x', 'g', 'L', 'K', '7', 'Z'),
    content: fc.oneof(fc.constant(''), fc.string(), fc.constant(paxRecords({ path: '../up', size: '3' }).toString())),
    link: fc.array(nameParts, { maxLength: 5 }).map((parts) => parts.join('/')),
    mode: fc.nat(0o7777),
  });
  const seen: ArchiveTarget & { paths: string[]; folders: Set<string>; made: ArchiveLink[] } = {
    paths: [],
    folders: new Set(),
    made: [],
    folder: (path) => {
      seen.paths.push(path);
      seen.folders.add(path);
    },
    file: async (path, content) => {
      seen.paths.push(path);
      await buffer(content);
    },
    links: (all) => {
      seen.made.push(...all);
      return Promise.resolve(all.length);
    },
  };
  const settle = async (archive: Buffer): Promise<void> => {
    seen.paths.length = seen.made.length = 0;
    seen.folders.clear();
    const error: unknown = await extractArchive(chunksOf(archive), seen, RULES).catch((cause: unknown) => cause);
    if (error instanceof Error) expect(error).toBeInstanceOf(SandgateError);
    for (const path of [...seen.paths, ...seen.made.map((link) => link.path)]) {
      expect(path.split('/')).not.toEqual(expect.arrayContaining(['..']));
      expect(path).toMatch(/^[^/\0](?:[^\0]*[^/\0])?$/);
      expect(path.split('/').filter((part) => ['', '.', '.git'].includes(part))).toEqual([]);
      expect(path.endsWith('.env') && !seen.folders.has(path)).toBe(false);
    }
    expect(new Set(seen.paths).size).toBe(seen.paths.length);
  };

  it('a target sees normal paths alone, each once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anEntry, { maxLength: 8 }), (entries) => settle(rawArchive(entries))),
      { numRuns: 1500 },
    );
  });

  it('bytes changed at random end in a report or a refusal', async () => {
    const tar = rawTar([
      pax({ path: 'some/long/name' }),
      { name: 'x', content: 'hello' },
      { name: 'dir/', type: '5' },
      { name: 'dir/l', type: '2', link: '../x' },
    ]);
    const change = fc.record({ at: fc.nat(tar.length - 1), to: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const changed = Buffer.from(tar);
        for (const { at, to } of changes) changed[at] = to;
        return settle(gzipSync(changed, { level: 1 }));
      }),
      { numRuns: 1000 },
    );
  });
});

function pax(records: Record<string, string>): RawTarEntry {
  return { name: 'PaxHeader', type: 'x', content: paxRecords(records) };
}

function chunksOf(archive: Buffer): AsyncIterable<Buffer> {
  const chunks: Buffer[] = [];
  for (let at = 0; at < archive.length; at += 4093) chunks.push(archive.subarray(at, at + 4093));
  return Readable.from(chunks);
}
