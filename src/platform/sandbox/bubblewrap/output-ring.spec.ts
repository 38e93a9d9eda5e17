import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitRingClosed, isRingClosed, readRing, RING_BYTES, RING_WRITER } from './output-ring.js';

describe('the ring of a runner’s output', () => {
  let folder: string;
  const write = (input: Buffer): void => {
    execFileSync('/bin/sh', ['-c', RING_WRITER], { cwd: folder, input, env: { PATH: '/usr/bin:/bin' } });
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandgate-ring-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([0, 1, 4096, RING_BYTES - 1, RING_BYTES, RING_BYTES + 1, 2 * RING_BYTES, 3 * RING_BYTES + 17])(
    'keeps the end of %d bytes',
    async (length) => {
      const input = Buffer.alloc(length);
      for (let index = 0; index < length; index++) input[index] = (index * 2654435761) >>> 24;
      write(input);
      const kept = await readRing(folder);
      expect(kept.equals(input.subarray(Math.max(0, length - RING_BYTES)))).toBe(true);
      expect(await isRingClosed(folder)).toBe(true);
    },
  );

  it('never takes more than two MiB of disk', () => {
    write(Buffer.alloc(7 * RING_BYTES + 5, 1));
    expect(['out.0', 'out.1'].reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThanOrEqual(
      2 * RING_BYTES,
    );
  });

  it('is empty and soon over where nothing was ever started', async () => {
    await awaitRingClosed(folder);
    expect(await readRing(folder)).toHaveLength(0);
    expect(await isRingClosed(folder)).toBe(false);
  });
});
