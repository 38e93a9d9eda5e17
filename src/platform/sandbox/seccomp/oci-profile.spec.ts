import { describe, expect, it } from '@jest/globals';
import { MOBY_DEFAULT_PROFILE } from './moby-default-profile.js';
import { ociProfile } from './oci-profile.js';
import { ALWAYS_REFUSED, resolveRulings } from './profile.js';
import { syscallNumber, type Machine } from './syscall-numbers.js';

const MACHINES: Machine[] = ['x86-64', 'arm64'];

describe.each(MACHINES)('the filter for container engines on %s', (machine) => {
  const { syscalls, ...rest } = ociProfile(MOBY_DEFAULT_PROFILE, machine);
  const rulesOn = (name: string) => syscalls.filter((rule) => rule.names.includes(name));

  it('refuses by default and knows one architecture', () => {
    expect(rest).toEqual({
      defaultAction: 'SCMP_ACT_ERRNO',
      defaultErrnoRet: 1,
      architectures: [machine === 'x86-64' ? 'SCMP_ARCH_X86_64' : 'SCMP_ARCH_AARCH64'],
    });
  });

  it('allows what the filter of bubblewrap allows, and no call of those that are always refused', () => {
    const rulings = resolveRulings(MOBY_DEFAULT_PROFILE, machine);
    const [allowed] = syscalls;
    expect(allowed?.names.map((name) => syscallNumber(machine, name)).toSorted()).toEqual(
      [...rulings].flatMap(([number, ruling]) => (ruling.kind === 'allow' ? [number] : [])).toSorted(),
    );
    expect(ALWAYS_REFUSED.filter((name) => rulesOn(name).length > 0)).toEqual([]);
  });

  it('keeps sockets to four families, threads without namespaces, and clone3 unknown', () => {
    const equal = (index: number, value: number) => ({ index, value, valueTwo: 0, op: 'SCMP_CMP_EQ' });
    expect(rulesOn('socket').map((rule) => rule.args)).toEqual([
      [equal(0, 1)],
      [equal(0, 2)],
      [equal(0, 10)],
      [equal(0, 16), equal(2, 0)],
    ]);
    expect(rulesOn('socketpair').map((rule) => rule.args)).toEqual([[equal(0, 1)]]);
    expect(rulesOn('clone3')).toEqual([{ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 }]);
    expect(rulesOn('clone').map((rule) => rule.args)).toEqual([
      [{ index: 0, value: 2114060288, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
    ]);
  });
});
