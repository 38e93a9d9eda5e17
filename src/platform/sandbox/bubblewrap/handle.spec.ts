import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHandle, toHandle } from './handle.js';
import { withLaunchLock } from './launch-lock.js';
import { identifyProcess } from '../../host/process-identity.js';
import { refuseLinks, resolveInside } from './refuse-links.js';
import { RunFolder } from './run-folder.js';

const RUN = '0199f3a0-7c1e-7d6a-8c55-2f6d6a1b9e42';

describe('a handle', () => {
  it('is plain JSON that finds the process again', () => {
    const identity = { pid: 42, startTime: 1234, bootId: 'boot' };
    const handle = toHandle(RUN, identity);
    expect(fromHandle(JSON.parse(JSON.stringify(handle)) as typeof handle)).toEqual({ runId: RUN, identity });
    expect(handle.external_id.slice(0, 12)).toBe('2f6d6a1b9e42');
  });

  it('of another provider is refused', () => {
    expect(() => fromHandle({ runtime: 'docker', external_id: 'x', attrs: {} })).toThrow(/not a handle/);
    expect(() => fromHandle({ runtime: 'bubblewrap', external_id: 'x', attrs: { pid: '1' } })).toThrow(/not a handle/);
  });
});

describe('the folder of a run', () => {
  it('is refused for a name that leads elsewhere', () => {
    for (const name of ['', '.', '..', '../x', 'a/b', '-x', 'a\0b'])
      expect(() => new RunFolder('/data', name)).toThrow(/run id/);
    expect(new RunFolder('/data', RUN).workspace).toBe(`/data/runs/${RUN}/disk/workspace`);
  });

  it('is launched by one process at a time, and a dead one’s lock is taken over', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandgate-lock-'));
    const parent = identifyProcess(process.ppid);
    writeFileSync(join(folder, 'launch.lock'), JSON.stringify(parent));
    await expect(withLaunchLock(folder, () => Promise.resolve())).rejects.toThrow(
      `process ${process.ppid} is launching`,
    );
    writeFileSync(join(folder, 'launch.lock'), JSON.stringify({ ...parent, startTime: 1 }));
    expect(await withLaunchLock(folder, () => Promise.resolve('launched'))).toBe('launched');
    await expect(withLaunchLock(folder, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await withLaunchLock(folder, () => Promise.resolve('again'))).toBe('again');
    rmSync(folder, { recursive: true });
  });
});

describe('a path that is mounted', () => {
  it('is refused when it is or leads through a link', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandgate-links-'));
    mkdirSync(join(folder, 'real/inner'), { recursive: true });
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    await expect(refuseLinks([join(folder, 'real/inner')])).resolves.toBeUndefined();
    await expect(refuseLinks([join(folder, 'link')])).rejects.toThrow(/symbolic link/);
    await expect(refuseLinks([join(folder, 'link/inner')])).rejects.toThrow(/symbolic link/);
    await expect(refuseLinks([join(folder, 'missing')])).rejects.toThrow(/not there/);
    await expect(resolveInside(join(folder, 'real'), join(folder, 'link/inner'))).resolves.toBe(
      join(folder, 'real/inner'),
    );
    await expect(resolveInside(folder, join(folder, 'link'))).rejects.toThrow(/symbolic link/);
    await expect(resolveInside(join(folder, 'real'), tmpdir())).rejects.toThrow(/leads out/);
    rmSync(folder, { recursive: true });
  });
});
