import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CgroupLimiter, listMembers, ranOutOfMemory } from './cgroup-limiter.js';
import { findCgroupTree } from './cgroup-tree.js';

const SIZES = { memory_mb: 64, cpus: 1.5, disk_mb: 16, pids: 32 };

describe('cgroups', () => {
  let root: string;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const read = (path: string): string => readFileSync(path, 'utf8');

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sandgate-cgroup-'));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const version2 = (own: string): void => {
    write('proc/self/cgroup', `0::${own}\n`);
    write('proc/self/mountinfo', '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n');
  };

  it('version 2: groups are made beside ours, where controllers are handed down', async () => {
    version2('/user.slice/app.slice/sandgate.service');
    const app = 'sys/fs/cgroup/user.slice/app.slice';
    write(`${app}/cgroup.subtree_control`, 'cpu memory pids\n');
    write(`${app}/cgroup.procs`, '');
    const tree = findCgroupTree(root);
    expect(tree).toEqual({
      version: 2,
      hierarchies: [{ folder: join(root, app), controllers: ['memory', 'pids', 'cpu'] }],
    });
    const launch = await new CgroupLimiter(tree ?? { version: 2, hierarchies: [] }).prepare('run-1', SIZES);
    const group = join(root, app, 'sandgate/run-1');
    expect(launch).toMatchObject({
      record: { kind: 'cgroup-v2', groups: [group] },
      join: [join(group, 'cgroup.procs')],
      dataBytes: null,
      processes: null,
    });
    expect(read(join(group, 'memory.max'))).toBe(String(64 * 1024 * 1024));
    expect(read(join(group, 'pids.max'))).toBe('36');
    expect(existsSync(join(group, 'memory.swap.max'))).toBe(false);
    expect(read(join(root, app, 'sandgate/cgroup.subtree_control'))).toContain('+memory');
  });

  it('version 2: nothing is found where nobody delegated the controllers', () => {
    version2('/user.slice/session-3.scope');
    write('sys/fs/cgroup/user.slice/cgroup.subtree_control', 'cpu\n');
    expect(findCgroupTree(root)).toBeNull();
  });

  it('version 1: one group in each hierarchy, below our own', async () => {
    write('proc/self/cgroup', '4:memory:/own\n8:pids:/\n1:cpu,cpuacct:/\n0::/\n');
    write(
      'proc/self/mountinfo',
      '35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n39 31 0:36 / /cg/pids rw - cgroup cgroup rw,pids\n40 31 0:37 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n',
    );
    for (const folder of ['cg/memory/own', 'cg/pids', 'cg/cpu']) mkdirSync(join(root, folder), { recursive: true });
    const tree = findCgroupTree(root);
    expect(tree?.hierarchies.map((one) => one.folder)).toEqual(
      ['cg/memory/own', 'cg/pids', 'cg/cpu'].map((path) => join(root, path)),
    );
    const { record, join: joins } = await new CgroupLimiter(tree ?? { version: 1, hierarchies: [] }).prepare(
      'run-1',
      SIZES,
    );
    expect(joins).toHaveLength(3);
    expect(read(join(root, 'cg/memory/own/sandgate/run-1/memory.limit_in_bytes'))).toBe(String(64 * 1024 * 1024));
    // All groups together weigh as much as several processes beside them, and not as one.
    expect(Number(read(join(root, 'cg/cpu/sandgate/cpu.shares')))).toBeGreaterThanOrEqual(2 * 1024);
    write('cg/memory/own/sandgate/run-1/memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 0\n');
    expect(ranOutOfMemory(record)).toBe(false);
    write('cg/memory/own/sandgate/run-1/memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n');
    expect(ranOutOfMemory(record)).toBe(true);
    write('cg/pids/sandgate/run-1/cgroup.procs', '12\n13\n');
    write('cg/memory/own/sandgate/run-1/cgroup.procs', '12\n');
    expect(listMembers(record)).toEqual([12, 13]);
  });

  it('version 1: a hierarchy without the memory controller is not enough', () => {
    write('proc/self/cgroup', '8:pids:/\n');
    write('proc/self/mountinfo', '39 31 0:36 / /cg/pids rw - cgroup cgroup rw,pids\n');
    mkdirSync(join(root, 'cg/pids'), { recursive: true });
    expect(findCgroupTree(root)).toBeNull();
  });
});
