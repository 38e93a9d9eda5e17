import { execFile } from 'node:child_process';
import type { Probe } from '../probes/probe.js';

/** What came of one probe. `missing`: its interpreter is not there. */
export interface Outcome {
  name: string;
  result: 'reached' | 'blocked' | 'missing';
  /** First line of output, for a person. */
  detail: string;
}

const TIMEOUT_MS = 20_000;

/** Runs one probe as a tool process of the same user. `through` stands before it, as the control wants it. */
export function executeProbe(
  probe: Probe,
  nodeBinary: string,
  env: Record<string, string>,
  through: string[] = [],
): Promise<Outcome> {
  const inner = {
    node: [nodeBinary, '-e', probe.code],
    sh: ['/bin/sh', '-c', probe.code],
    perl: ['/usr/bin/perl', '-e', probe.code],
  }[probe.interpreter];
  const [program = '', ...args] = [...through, ...inner];
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { env: { ...env, NODE: nodeBinary }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 1 << 20 },
      (error, stdout, stderr) => {
        const said = stdout.trim().split('\n')[0] || stderr.trim().split('\n').at(-1) || (error?.signal ?? '');
        if (error !== null && 'code' in error && error.code === 'ENOENT')
          resolve({ name: probe.name, result: 'missing', detail: probe.interpreter });
        else
          resolve({
            name: probe.name,
            result: /^REACHED/m.test(stdout) ? 'reached' : 'blocked',
            detail: said.slice(0, 200),
          });
      },
    );
  });
}
