import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openCaches } from './open-caches.js';

let folder: string;
let dataDir: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandgate-caches-')));
  dataDir = join(folder, 'server/data');
  for (const name of ['server/data/keys', 'wheels']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('wheels', join(folder, 'link'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('caches of the host', () => {
  it('are the folders themselves, whatever links lead there', async () => {
    const opened = await openCaches({ one: join(folder, 'wheels'), two: join(folder, 'link') }, dataDir);
    expect(opened).toEqual({ one: join(folder, 'wheels'), two: join(folder, 'wheels') });
    expect(await openCaches({}, dataDir)).toEqual({});
  });

  it.each([
    ['absent', 'is not a folder of this host'],
    ['file', 'is not a folder of this host'],
    ['server', 'data folder'],
    ['server/data', 'data folder'],
    ['server/data/keys', 'data folder'],
    ['', 'data folder'],
    ['/', 'data folder'],
  ])('%s is refused, because it %s', async (name, reason) => {
    const path = name === '/' ? name : join(folder, name);
    await expect(openCaches({ wheels: path }, dataDir)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(new RegExp(`^SERVICE_SANDBOX_CACHES: wheels=${path} .*${reason}`)),
    });
  });
});
