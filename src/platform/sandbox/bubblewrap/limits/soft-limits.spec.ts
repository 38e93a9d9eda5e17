import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsProcessesPerNamespace } from './choose-limiter.js';
import { ScopeLimiter, SoftLimiter } from './other-limiters.js';
import { measureFolder } from '../../room/measure-folder.js';
import { breachOf, sampleProcesses } from './sampler.js';

const SIZES = { memory_mb: 64, cpus: 1.5, disk_mb: 16, pids: 32 };
const MIB = 1024 * 1024;

describe('limits without cgroups', () => {
  it('bound each process, and leave room for what V8 reserves', async () => {
    expect(await new SoftLimiter(true).prepare('run', SIZES)).toMatchObject({
      record: { kind: 'soft' },
      processes: 32,
      dataBytes: (64 + 640) * MIB,
    });
    expect(await new SoftLimiter(false).prepare('run', SIZES)).toMatchObject({ processes: null });
  });

  it('count processes only where the kernel counts those of the sandbox alone', () => {
    expect(['5.13.0-1', '4.19.0', '5.14.0', '6.1.0-49-amd64'].map(countsProcessesPerNamespace)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('are named in the sentence that ends a run', () => {
    expect(breachOf({ memoryBytes: 64 * MIB, processes: 36 }, SIZES)).toBeNull();
    expect(breachOf({ memoryBytes: 64 * MIB + 1, processes: 1 }, SIZES)).toMatch(/64 MiB of memory/);
    expect(breachOf({ memoryBytes: 0, processes: 37 }, SIZES)).toMatch(/32 processes/);
  });

  it('are sampled over a whole tree of processes', () => {
    const usage = sampleProcesses(process.pid);
    expect(usage.processes).toBeGreaterThanOrEqual(1);
    expect(usage.memoryBytes).toBeGreaterThan(10 * MIB);
    expect(sampleProcesses(2 ** 22 + 1).memoryBytes).toBe(0);
  });

  it('measure a folder without following its links, and stop when it is enough', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandgate-measure-'));
    symlinkSync('/usr', join(folder, 'link'));
    writeFileSync(join(folder, 'file'), Buffer.alloc(MIB, 1));
    expect(await measureFolder(folder, 100 * MIB)).toBeLessThan(2 * MIB);
    expect(await measureFolder(join(folder, 'missing'), 1)).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('are a scope where a service manager runs', async () => {
    const { wrapper, record } = await new ScopeLimiter(true).prepare('run', SIZES);
    expect(record).toEqual({ kind: 'systemd-scope', unit: 'sandgate-run.scope' });
    expect(wrapper).toEqual(
      expect.arrayContaining(['--user', '--scope', 'MemoryMax=64M', 'MemorySwapMax=0', 'TasksMax=36', 'CPUQuota=150%']),
    );
    expect((await new ScopeLimiter(false).prepare('run', SIZES)).wrapper).not.toContain('--user');
  });
});
