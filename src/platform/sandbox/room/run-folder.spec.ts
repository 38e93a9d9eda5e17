import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '../../host/process-identity.js';
import { Launches } from './launch-lock.js';
import { RunFolder } from './run-folder.js';

const RUN = '0199f3a0-7c1e-7d6a-8c55-2f6d6a1b9e42';

describe('the folder of a run', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sg-folder-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('takes a note that a power cut emptied or cut short for one that was never written', async () => {
    const folder = new RunFolder(dataDir, 'run-1');
    await folder.create();
    writeFileSync(join(folder.sandbox, 'launch.json'), '');
    writeFileSync(join(folder.sandbox, 'process.json'), '{"pid":1,"sta');
    writeFileSync(join(folder.sandbox, 'end.json'), '{"rea');
    const notes = ['launch.json', 'process.json'].map((name) => folder.readNote(name));
    expect([...(await Promise.all(notes)), await folder.readEnd()]).toEqual([null, null, null]);
  });

  it('is refused for a name that leads elsewhere', () => {
    for (const name of ['', '.', '..', '../x', 'a/b', '-x', 'a\0b'])
      expect(() => new RunFolder('/data', name)).toThrow(/run id/);
    expect(new RunFolder('/data', RUN).workspace).toBe(`/data/runs/${RUN}/disk/workspace`);
  });

  it('is launched by one process at a time, and a dead one’s lock is taken over', async () => {
    const sandbox = mkdtempSync(join(tmpdir(), 'sandgate-lock-'));
    const folder = { sandbox, create: () => Promise.resolve() };
    const launches = new Launches<string>();
    const launch = (made: () => Promise<string>) => launches.join(RUN, folder, made);
    const parent = identifyProcess(process.ppid);
    writeFileSync(join(sandbox, 'launch.lock'), JSON.stringify(parent));
    await expect(launch(() => Promise.resolve(''))).rejects.toThrow(`process ${process.ppid} is launching`);
    writeFileSync(join(sandbox, 'launch.lock'), JSON.stringify({ ...parent, startTime: 1 }));
    expect(await launch(() => Promise.resolve('launched'))).toBe('launched');
    await expect(launch(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const again = launch(() => Promise.resolve('again'));
    expect(await launch(() => Promise.resolve('a second one'))).toBe('again');
    expect(await again).toBe('again');
    rmSync(sandbox, { recursive: true });
  });
});
