import { spawn } from 'node:child_process';

/** Milliseconds from starting a program in a folder to the first byte that it prints; then it is killed. */
export function timeToFirstOutput(program: string, args: string[], cwd = '/'): Promise<number> {
  const start = performance.now();
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let seen: number | null = null;
    child.stdout.once('data', () => {
      seen = performance.now() - start;
      child.kill('SIGKILL');
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (seen === null) reject(new Error(`${program} ended with ${code} and printed nothing`));
      else resolve(seen);
    });
  });
}

/** bubblewrap as anybody would call it: every namespace, the system read-only, one word printed. */
export function rawBubblewrap(): Promise<number> {
  const namespaces = [
    '--unshare-all',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
  ];
  return timeToFirstOutput('bwrap', [...namespaces, '/bin/sh', '-c', 'echo passed; exec sleep 5']);
}

export function rawNode(): Promise<number> {
  return timeToFirstOutput(process.execPath, ['-e', 'process.stdout.write("up")']);
}
