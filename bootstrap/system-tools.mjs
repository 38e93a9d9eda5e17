import process from 'node:process';
import { BootstrapError } from './bootstrap-error.mjs';
import { capture, onPath, reasonOf, say } from './processes.mjs';

/** Programs that the sandbox and the workspaces need, and the package that holds each. */
const TOOLS = { bwrap: 'bubblewrap', git: 'git' };

/** How each system package manager installs; `refresh` comes first when the plain form fails. */
const MANAGERS = [
  { program: 'apt-get', install: ['install', '-y', '-q', '--no-install-recommends'], refresh: ['update', '-q'] },
  { program: 'dnf', install: ['install', '-y', '-q'] },
  { program: 'apk', install: ['add', '--no-progress'] },
  { program: 'pacman', install: ['-S', '--noconfirm', '--needed'], refresh: ['-Sy'] },
  { program: 'zypper', install: ['--non-interactive', 'install'] },
];

/** Finds or installs bubblewrap and git; without the right to install, one sentence says what to type. */
export function ensureTools() {
  const missing = Object.keys(TOOLS).filter((program) => !onPath(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => TOOLS[program]);
  if (process.platform !== 'linux') {
    throw new BootstrapError(
      `${packages.join(' and ')} are not here: the local sandbox needs Linux; run Sandgate in a Linux machine or container`,
    );
  }
  const manager = MANAGERS.find(({ program }) => onPath(program));
  const prefix = privilegePrefix();
  if (manager === undefined || prefix === undefined) throw missingTools(packages, manager);
  say(`Installing ${packages.join(' and ')} with ${manager.program} …`);
  const result = install(prefix, manager, packages);
  if (missing.every((program) => onPath(program))) return;
  throw new BootstrapError(
    `${manager.program} could not install ${packages.join(' and ')} (${reasonOf(result)}); install them and run the command again`,
  );
}

function install(prefix, manager, packages) {
  const run = (argv) => {
    const [program, ...rest] = [...prefix, manager.program, ...argv];
    return capture(program, rest, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  const first = run([...manager.install, ...packages]);
  if (first.ok || manager.refresh === undefined) return first;
  run(manager.refresh);
  return run([...manager.install, ...packages]);
}

/** What must stand before a command that needs root: nothing, sudo that asks no password, or undefined. */
function privilegePrefix() {
  if (process.getuid() === 0) return [];
  return capture('sudo', ['-n', 'true'], { timeout: 10_000 }).ok ? ['sudo', '-n'] : undefined;
}

function missingTools(packages, manager) {
  const command =
    manager === undefined
      ? ''
      : `, for example: sudo ${manager.program} ${manager.install.filter((word) => !word.startsWith('-') || manager.program === 'pacman').join(' ')} ${packages.join(' ')}`;
  return new BootstrapError(`${packages.join(' and ')} must be installed by an administrator${command}`);
}
