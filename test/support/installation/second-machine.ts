import { execFile, execFileSync } from 'node:child_process';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Place {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * A machine beside this one, as far as the network tells: a network namespace with nothing but a cable to this one. Needs root and iproute2.
 */
export class SecondMachine {
  private readonly name = `sg-${process.pid}`;
  private readonly subnet = `198.18.${process.pid % 250}`;

  private constructor() {}

  static connect(): SecondMachine {
    const machine = new SecondMachine();
    const { name, subnet } = machine;
    ip('netns', 'add', name);
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'cable', 'netns', name);
    ip('addr', 'add', `${subnet}.1/30`, 'dev', name);
    ip('link', 'set', name, 'up');
    ip('-n', name, 'addr', 'add', `${subnet}.2/30`, 'dev', 'cable');
    ip('-n', name, 'link', 'set', 'cable', 'up');
    return machine;
  }

  /** Of this machine, as the other one reaches it. */
  get address(): string {
    return `${this.subnet}.1`;
  }

  /** Runs a program there. */
  run(argv: string[], where: Place): Promise<Outcome> {
    return runHere(['ip', 'netns', 'exec', this.name, ...argv], where);
  }

  /** The cable goes with it. */
  disconnect(): void {
    ip('netns', 'del', this.name);
  }
}

function ip(...argv: string[]): void {
  execFileSync('ip', argv, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs a program on this machine. */
export function runHere([program = '', ...argv]: string[], where: Place): Promise<Outcome> {
  return new Promise((done) => {
    execFile(program, argv, { ...where, timeout: 120_000 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}
