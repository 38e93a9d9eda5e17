import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ConfinedCommand, ConfinedResult } from '../../../src/platform/host/confine.js';

/** Runs a program as a child process that sees everything: for tests of what is done by it, not of its confinement. */
export async function plainConfine({ argv, cwd, env, stdin, timeoutMs }: ConfinedCommand): Promise<ConfinedResult> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL' });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that reads nothing may have ended by now; its exit code tells what it did.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(stdin ?? '');
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return {
    exitCode,
    stdout: Buffer.concat(stdout),
    stderr: Buffer.concat(stderr),
    timedOut: child.killed,
    truncated: false,
  };
}
