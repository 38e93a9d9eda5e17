import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../domain/system-error.js';
import { StartRefused } from './start-refused.js';

type Argv = readonly [string, ...string[]];

const NAMESPACE = [
  ...['--dev-bind', '/', '/'],
  ...['--unshare-user', '--uid', '1000', '--gid', '1000'],
  ...['--unshare-pid', '--die-with-parent'],
];

/** Both stores ask for the name of their user, and the machine need not know user 1000. */
const PASSWD = 'sandgate:x:1000:1000:Sandgate:/:/bin/sh\n';

/**
 * Who the stores run as. PostgreSQL refuses to be root, and both refuse to have no name; then they get a user namespace in which this user is an ordinary
 * one with a name, so that no system user is made and 0700 folders work. The pid namespace makes the whole family die with its
 * first process. Other users run it as they are.
 */
export class OrdinaryUser {
  private readonly wrapper: Argv | [];

  /** Throws `StartRefused` when a namespace is needed and cannot be made. */
  constructor(folder: string) {
    if (isOrdinary()) {
      this.wrapper = [];
      return;
    }
    const passwd = join(folder, 'passwd');
    writeFileSync(passwd, PASSWD, { mode: 0o600 });
    this.wrapper = ['bwrap', ...NAMESPACE, '--ro-bind', passwd, '/etc/passwd'];
    tryNamespace();
  }

  /** For programs that run as root but need a user name. */
  named(argv: Argv): [string, ...string[]] {
    return process.getuid?.() === 0 ? [...argv] : this.command(argv);
  }

  /** For programs that refuse to run as root, too. */
  command(argv: Argv): [string, ...string[]] {
    const [program, ...rest] = [...this.wrapper, ...argv];
    return [program ?? argv[0], ...rest];
  }
}

/** Throws `StartRefused` when this user needs a namespace for PostgreSQL and cannot have one. */
export function requireUserNamespace(): void {
  if (!isOrdinary()) tryNamespace();
}

function isOrdinary(): boolean {
  if (process.getuid?.() === 0) return false;
  try {
    return userInfo().username !== '';
  } catch (error) {
    // A user without an entry in the password database, as is common in containers.
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

function tryNamespace(): void {
  try {
    execFileSync('bwrap', [...NAMESPACE, 'true'], { timeout: 10_000, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new StartRefused(
      `PostgreSQL runs neither as root nor as a user without a name, and bubblewrap cannot make a user namespace for it (${reason(error)}); allow user namespaces, start as an ordinary user, or set DATABASE_URL`,
    );
  }
}

function reason(error: unknown): string {
  const { code, stderr } = error as { code?: string; stderr?: Buffer };
  if (code === 'ENOENT') return 'bwrap is not installed';
  return stderr?.toString().trim().split('\n')[0] ?? 'it failed';
}
