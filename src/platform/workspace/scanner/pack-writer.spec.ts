import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobId, type ObjectFormat } from './content.js';
import { PackWriter } from './pack-writer.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pack-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a pack of stored blobs', () => {
  it.each<ObjectFormat>(['sha1', 'sha256'])('git reads back every size that its format treats apart (%s)', (format) => {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: folder, maxBuffer: 16 * 1024 * 1024, stdio: 'pipe' });
    git('init', '-q', `--object-format=${format}`);
    const writer = new PackWriter(join(folder, '.git/objects/pack'), format);
    const contents = [0, 1, 15, 16, 2047, 2048, 65_534, 65_535, 65_536, 131_070, 300_001].map((bytes) =>
      Buffer.from(Uint8Array.from({ length: bytes }, (_, index) => (index * 31 + bytes) % 256)),
    );
    for (const content of [...contents, ...contents]) writer.add(blobId(content, format), content);
    git('index-pack', '--strict', writer.finish() ?? '');
    for (const content of contents) expect(git('cat-file', 'blob', blobId(content, format)).equals(content)).toBe(true);
    git('fsck', '--strict');
  });

  it('nothing added, nothing written', () => {
    expect(new PackWriter(folder, 'sha1').finish()).toBeUndefined();
  });
});
