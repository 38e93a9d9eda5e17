import { execFileSync } from 'node:child_process';
import { StartRefused } from './start-refused.js';

/**
 * Wraps a program that refuses to run as root: a user namespace in which this user is an ordinary one, so that no system user is
 * made and 0700 folders work. Its pid namespace makes the whole family die with its first process.
 */
export function asOrdinaryUser(argv: readonly [string, ...string[]]): [string, ...string[]] {
  if (process.getuid?.() !== 0) return [...argv];
  return ['bwrap', ...NAMESPACE, ...argv];
}

const NAMESPACE = [
  ...['--dev-bind', '/', '/'],
  ...['--unshare-user', '--uid', '1000', '--gid', '1000'],
  ...['--unshare-pid', '--die-with-parent'],
];

/** Throws `StartRefused` when root cannot make the namespace that PostgreSQL needs. */
export function requireUserNamespace(): void {
  if (process.getuid?.() !== 0) return;
  try {
    execFileSync('bwrap', [...NAMESPACE, 'true'], { timeout: 10_000, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new StartRefused(
      `PostgreSQL does not run as root, and bubblewrap cannot make a user namespace for it (${reason(error)}); allow user namespaces, start as an ordinary user, or set DATABASE_URL`,
    );
  }
}

function reason(error: unknown): string {
  const { code, stderr } = error as { code?: string; stderr?: Buffer };
  if (code === 'ENOENT') return 'bwrap is not installed';
  return stderr?.toString().trim().split('\n')[0] ?? 'it failed';
}
