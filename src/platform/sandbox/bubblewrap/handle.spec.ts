import { describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHandle, toHandle } from './handle.js';
import { refuseLinks, resolveInside } from '../room/refuse-links.js';

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
