import type { ArgumentTest, SeccompProfile } from './profile.js';
import { ALL_BITS, EPERM, resolveRulings } from './profile.js';
import type { Machine } from './syscall-numbers.js';
import { syscallName } from './syscall-numbers.js';

/** A filter as container engines take it. */
export interface OciSeccomp {
  defaultAction: 'SCMP_ACT_ERRNO';
  defaultErrnoRet: number;
  /** Calls of any other architecture kill the process. */
  architectures: string[];
  syscalls: OciRule[];
}

interface OciRule {
  names: string[];
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo: number; op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ' }[];
}

const ARCHITECTURE: Record<Machine, string> = { 'x86-64': 'SCMP_ARCH_X86_64', arm64: 'SCMP_ARCH_AARCH64' };

/**
 * The rulings of {@link resolveRulings} for a container engine, so that its sandboxes have the filter that bubblewrap's have. Everything is
 * resolved: the engine has no condition to judge, and no capability adds a call.
 */
export function ociProfile(profile: SeccompProfile, machine: Machine): OciSeccomp {
  const allowed: string[] = [];
  const special: OciRule[] = [];
  for (const [number, ruling] of resolveRulings(profile, machine)) {
    const name = syscallName(machine, number);
    if (name === undefined) throw new Error(`system call ${number} has no name on ${machine}`);
    if (ruling.kind === 'allow') allowed.push(name);
    else if (ruling.kind === 'when') special.push(...ruling.alternatives.map((tests) => conditional(name, tests)));
    else if (ruling.errno !== EPERM) special.push({ names: [name], action: 'SCMP_ACT_ERRNO', errnoRet: ruling.errno });
  }
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    architectures: [ARCHITECTURE[machine]],
    syscalls: [{ names: allowed.toSorted(), action: 'SCMP_ACT_ALLOW' }, ...special],
  };
}

/** Rules on the same call are alternatives; the tests of one rule must all hold. */
function conditional(name: string, tests: ArgumentTest[]): OciRule {
  const args = tests.map(({ index, mask, value }) =>
    mask === ALL_BITS
      ? { index, value: Number(value), valueTwo: 0, op: 'SCMP_CMP_EQ' as const }
      : { index, value: Number(mask), valueTwo: Number(value), op: 'SCMP_CMP_MASKED_EQ' as const },
  );
  return { names: [name], action: 'SCMP_ACT_ALLOW', args };
}
