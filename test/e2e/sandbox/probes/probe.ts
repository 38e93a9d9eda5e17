import { currentMachine, syscallNumber } from '../../../../src/platform/sandbox/seccomp/syscall-numbers.js';

export type Interpreter = 'node' | 'sh' | 'perl';

/**
 * One attempt to get out of the sandbox or to get something out. The code prints a line that begins with `REACHED` when the
 * attempt succeeded. The same code runs outside as its control, where it has to succeed: a probe that nobody can pass proves
 * nothing.
 */
export interface Probe {
  name: string;
  interpreter: Interpreter;
  code: string;
  /** Command that the control is run through, so that it harms nothing outside. */
  controlThrough?: string[];
  /** The control runs without root's rights. */
  controlAs?: 'nobody';
}

export function node(name: string, code: string, options: Partial<Probe> = {}): Probe {
  return { name, interpreter: 'node', code, ...options };
}

export function sh(name: string, code: string, options: Partial<Probe> = {}): Probe {
  return { name, interpreter: 'sh', code, ...options };
}

export function perl(name: string, code: string, options: Partial<Probe> = {}): Probe {
  return { name, interpreter: 'perl', code, ...options };
}

/** Number of a system call on this machine; one that it lacks gets a number that no kernel has. */
export function number(name: string): number {
  const machine = currentMachine();
  return (machine && syscallNumber(machine, name)) ?? 9999;
}

/** A system call that succeeds where it is allowed. Arguments are Perl expressions. */
export function call(name: string, args: (string | number)[], options: Partial<Probe> = {}, title = name): Probe {
  return perl(
    title,
    `my $r = syscall(${[number(name), ...args].join(', ')}); print($r != -1 ? "REACHED\\n" : "blocked: $!\\n");`,
    options,
  );
}

/** A system call with senseless arguments: any answer but "not permitted" and "no such call" shows that the kernel looked at them. */
export function reaches(name: string, args: (string | number)[], options: Partial<Probe> = {}): Probe {
  const code = `my $r = syscall(${[number(name), ...args].join(', ')}); my $e = $! + 0; print(($r != -1 || ($e != 1 && $e != 38)) ? "REACHED $e\\n" : "blocked: $!\\n");`;
  return perl(`${name} reaches the kernel`, code, options);
}

/** Mount namespace of its own, so that a control leaves nothing behind. */
export const OWN_MOUNTS = ['unshare', '-m', '--'];
