import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { runFilter } from '../../../../test/support/sandbox/simulate-bpf.js';
import { compileFilter } from './compile-filter.js';
import { MOBY_DEFAULT_PROFILE } from './moby-default-profile.js';
import { ALWAYS_REFUSED } from './profile.js';
import type { Machine } from './syscall-numbers.js';
import { AUDIT_ARCH, syscallNumber } from './syscall-numbers.js';

const MACHINES: Machine[] = ['x86-64', 'arm64'];

describe.each(MACHINES)('the seccomp filter on %s', (machine) => {
  const filter = compileFilter(MOBY_DEFAULT_PROFILE, machine);
  const call = (name: string, ...args: (number | bigint)[]): string => {
    const number = syscallNumber(machine, name);
    if (number === undefined) throw new Error(`${name} is unknown on ${machine}`);
    return runFilter(filter, { arch: AUDIT_ARCH[machine], number, args });
  };

  it('allows ordinary work', () => {
    for (const name of [
      'read',
      'write',
      'openat',
      'execve',
      'mmap',
      'futex',
      'epoll_pwait',
      'connect',
      'setresuid',
      'capset',
      'prctl',
      'exit_group',
    ]) {
      expect([name, call(name)]).toEqual([name, 'allow']);
    }
  });

  it('kills calls of another architecture', () => {
    for (const arch of [0x40000003, 0x40000028, AUDIT_ARCH[machine === 'arm64' ? 'x86-64' : 'arm64'], 0]) {
      expect(runFilter(filter, { arch, number: 0, args: [] })).toBe('kill');
    }
  });

  it('refuses everything on the list of what is never allowed', () => {
    const present = ALWAYS_REFUSED.filter((name) => syscallNumber(machine, name) !== undefined);
    expect(present.length).toBeGreaterThan(35);
    for (const name of present) expect([name, call(name)]).toEqual([name, 'errno 1']);
  });

  it('opens sockets of four kinds only', () => {
    const allowed = [
      [1, 1, 0],
      [2, 1, 6],
      [2, 2, 17],
      [10, 1, 0],
      [16, 3, 0],
    ];
    for (const args of allowed) expect([args, call('socket', ...args)]).toEqual([args, 'allow']);
    for (let family = 0; family <= 64; family++) {
      if (![1, 2, 10, 16].includes(family)) expect([family, call('socket', family, 1, 0)]).toEqual([family, 'errno 1']);
    }
    for (let protocol = 1; protocol <= 32; protocol++) expect(call('socket', 16, 3, protocol)).toBe('errno 1');
    expect(call('socket', 0x1_0000_0001n, 1, 0)).toBe('errno 1');
    expect(call('socket', 0xffff_ffff_0000_0028n, 1, 0)).toBe('errno 1');
    expect(call('socketpair', 1, 1, 0)).toBe('allow');
    expect(call('socketpair', 30, 1, 0)).toBe('errno 1');
  });

  it('lets clone make threads and processes but no namespace', () => {
    expect(call('clone', 0x003d0f00)).toBe('allow');
    expect(call('clone', 0x01200011)).toBe('allow');
    for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect([flag, call('clone', flag | 17)]).toEqual([flag, 'errno 1']);
      expect(call('clone', BigInt(flag) | 0x7000_0000_0000_0000n)).toBe('errno 1');
    }
    expect(call('clone3')).toBe('errno 38');
  });

  it('allows the personalities of the profile and no other', () => {
    for (const persona of [0n, 8n, 0x20000n, 0x20008n, 0xffffffffn]) expect(call('personality', persona)).toBe('allow');
    for (const persona of [0x40000n, 0x400000n, 1n, 0x1_0000_0000n])
      expect(call('personality', persona)).toBe('errno 1');
  });

  it('refuses numbers that no kernel had yet', () => {
    for (const number of [600, 1000, 0x3fffffff])
      expect(runFilter(filter, { arch: AUDIT_ARCH[machine], number, args: [] })).toBe('errno 1');
  });

  it('rules on every number as the profile says, whatever the shape of the search', () => {
    const plain = new Set(
      MOBY_DEFAULT_PROFILE.syscalls
        .filter((entry) => entry.action === 'SCMP_ACT_ALLOW' && !entry.args && !entry.includes)
        .flatMap((entry) => entry.names),
    );
    const refused = new Set<string>(ALWAYS_REFUSED);
    let allowed = 0;
    for (const name of plain) {
      if (syscallNumber(machine, name) === undefined || refused.has(name) || name === 'socketpair') continue;
      expect([name, call(name)]).toEqual([name, 'allow']);
      allowed++;
    }
    expect(allowed).toBeGreaterThan(230);
  });
});

it('a call of the x32 convention is killed', () => {
  const filter = compileFilter(MOBY_DEFAULT_PROFILE, 'x86-64');
  expect(runFilter(filter, { arch: AUDIT_ARCH['x86-64'], number: 0x40000000 + 1, args: [] })).toBe('kill');
});

it('the profile is the pinned one', () => {
  const digest = createHash('sha256').update(JSON.stringify(MOBY_DEFAULT_PROFILE)).digest('hex');
  expect(digest).toBe('afb4934b023cfceaaec1a9d752ca3f801aaa96eb2e59abe6e7ea16976948e080');
});
