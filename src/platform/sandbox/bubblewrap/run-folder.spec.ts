import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunFolder } from './run-folder.js';

describe('the folder of a run', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sg-folder-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('takes a note that a power cut emptied or cut short for one that was never written', async () => {
    const folder = new RunFolder(dataDir, 'run-1');
    await folder.create();
    writeFileSync(join(folder.sandbox, 'launch.json'), '');
    writeFileSync(join(folder.sandbox, 'process.json'), '{"pid":1,"sta');
    expect([await folder.readLaunch(), await folder.readProcess(), await folder.readEnd()]).toEqual([null, null, null]);
  });
});
