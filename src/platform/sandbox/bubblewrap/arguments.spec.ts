import { describe, expect, it } from '@jest/globals';
import type { RunMount } from '../room/run-mounts.js';
import type { SandboxShape } from './arguments.js';
import { buildArguments, buildCommand } from './arguments.js';

const SHAPE: SandboxShape = {
  mode: 'root',
  facts: {
    links: [{ path: '/bin', target: 'usr/bin' }],
    readOnly: ['/usr', '/etc/ssl/certs'],
    maskedFiles: ['/proc/keys'],
    maskedFolders: ['/proc/acpi'],
    readOnlyProc: ['/proc/sys'],
  },
  binds: [
    { source: '/data/runtime/1', target: '/opt/sandgate', readOnly: true },
    { source: '/data/plane/1', target: '/run/sandgate', readOnly: true },
    { source: '/data/runs/1/disk/workspace', target: '/workspace', readOnly: false },
  ],
  isolateNetwork: true,
  sizes: { root: 1, tmp: 2, home: 3, run: 4, shm: 5 },
  environment: { PATH: '/usr/bin' },
  workingFolder: '/workspace',
  descriptors: { seccomp: 6, etc: { passwd: 8, group: 9, hosts: 10, 'nsswitch.conf': 11 }, status: 7 },
  dieWithParent: false,
};

const text = (shape: Partial<SandboxShape> = {}): string => buildArguments({ ...SHAPE, ...shape }).join(' ');

describe('the options of bubblewrap', () => {
  it('names each namespace and never leaves one to chance', () => {
    for (const mode of ['root', 'user'] as const) {
      const options = buildArguments({ ...SHAPE, mode });
      expect(options).toEqual(
        expect.arrayContaining([
          '--unshare-pid',
          '--unshare-net',
          '--unshare-ipc',
          '--unshare-uts',
          '--unshare-cgroup',
        ]),
      );
      expect(options.filter((option) => /-try$|^--unshare-all$|^--share-net$/.test(option))).toEqual([]);
    }
  });

  it('makes no user namespace as root, and exactly one otherwise', () => {
    expect(text()).not.toContain('--unshare-user');
    expect(text({ mode: 'user' })).toContain('--unshare-user --disable-userns');
  });

  it('keeps as root the three capabilities that setpriv needs, and otherwise none', () => {
    const added = (mode: 'root' | 'user'): string[] => {
      const options = buildArguments({ ...SHAPE, mode });
      return options.filter((_, index) => options[index - 1] === '--cap-add');
    };
    expect(added('root')).toEqual(['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP']);
    expect(added('user')).toEqual([]);
    expect(text({ mode: 'user' })).toContain('--cap-drop ALL');
  });

  it('lives on without its parent unless it is told otherwise', () => {
    expect(text()).not.toContain('--die-with-parent');
    expect(text({ dieWithParent: true })).toContain('--die-with-parent');
  });

  it('sizes every memory file system and makes the root read-only last', () => {
    const options = buildArguments(SHAPE);
    options.forEach((option, index) => {
      if (option === '--tmpfs')
        expect(options.slice(index - 4, index)).toEqual([
          '--size',
          expect.stringMatching(/^\d+$/),
          '--perms',
          expect.stringMatching(/^\d+$/),
        ]);
    });
    const remount = options.lastIndexOf('--remount-ro');
    expect(options[remount + 1]).toBe('/');
    expect(
      options.slice(remount).filter((option) => /bind|tmpfs|symlink|file|dir$/.test(option) && option !== '--chdir'),
    ).toEqual([]);
  });

  it('mounts the runtime and the plane folder read-only and the workspace writable', () => {
    expect(text()).toContain('--ro-bind /data/runtime/1 /opt/sandgate');
    expect(text()).toContain('--ro-bind /data/plane/1 /run/sandgate');
    expect(text()).toContain('--bind /data/runs/1/disk/workspace /workspace');
  });

  it('masks files and folders of /proc after it is mounted', () => {
    const options = text();
    for (const part of [
      '--ro-bind /dev/null /proc/keys',
      '--tmpfs /proc/acpi --remount-ro /proc/acpi',
      '--ro-bind /proc/sys /proc/sys',
    ]) {
      expect(options.indexOf(part)).toBeGreaterThan(options.indexOf('--proc /proc'));
    }
  });

  it('gives nothing of the host besides what is listed', () => {
    const options = buildArguments(SHAPE);
    const sources = options.filter((_, index) => /^--(ro-)?bind$/.test(options[index - 1] ?? ''));
    expect(sources).toEqual([
      '/usr',
      '/etc/ssl/certs',
      '/proc/sys',
      '/dev/null',
      '/data/runtime/1',
      '/data/plane/1',
      '/data/runs/1/disk/workspace',
    ]);
  });

  it('refuses a mount inside another one, where its target could be a link that the agent made', () => {
    const binds = [...SHAPE.binds, { source: '/x', target: '/workspace/x', readOnly: true }];
    expect(() => text({ binds })).toThrow(/refusing to mount \/workspace\/x inside \/workspace/);
    expect(() => text({ binds: [...SHAPE.binds, { source: '/x', target: '/workspace', readOnly: true }] })).toThrow(
      /refusing/,
    );
    expect(() =>
      text({ binds: [...SHAPE.binds, { source: '/x', target: '/workspaces', readOnly: true }] }),
    ).not.toThrow();
  });

  it('stands a mount on a folder of a tree that is ours and cannot change, after that tree', () => {
    const [runtime, ...others] = SHAPE.binds as [RunMount, RunMount];
    const tools = { source: '/data/tools', target: '/opt/sandgate/tools', readOnly: true };
    expect(() => text({ binds: [runtime, tools, ...others] })).toThrow(/refusing to mount \/opt\/sandgate\/tools/);
    const options = text({ binds: [{ ...runtime, ours: true }, tools, ...others] });
    expect(options).toContain('--ro-bind /data/runtime/1 /opt/sandgate --ro-bind /data/tools /opt/sandgate/tools');
    expect(() => text({ binds: [{ ...runtime, ours: true, readOnly: false }, tools] })).toThrow(/refusing/);
  });
});

describe('the command inside', () => {
  const shape = { mode: 'root' as const, uid: 231_000, processes: null, enter: null };

  it('becomes the run’s uid with every capability set empty', () => {
    const command = buildCommand(shape, ['/program', 'a b']).join(' ');
    expect(command).toMatch(
      /^\/usr\/bin\/setpriv --reuid 231000 --regid 231000 --clear-groups --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs -- /,
    );
    expect(command).toMatch(/-- \/program a b$/);
    expect(buildCommand({ ...shape, enter: '/private' }, ['/program']).slice(-4)).toEqual([
      '-c',
      'cd "$0" && exec "$@"',
      '/private',
      '/program',
    ]);
  });

  it('is never started as root', () => {
    for (const uid of [null, 0, -1])
      expect(() => buildCommand({ ...shape, uid }, ['/program'])).toThrow(/unprivileged uid/);
  });

  it('is the program itself in a user namespace, after the limit of processes where there is one', () => {
    expect(buildCommand({ ...shape, mode: 'user', uid: null }, ['/program'])).toEqual(['/program']);
    expect(buildCommand({ ...shape, mode: 'user', uid: null, processes: 64 }, ['/program']).slice(3)).toEqual([
      '64',
      '/program',
    ]);
  });
});
