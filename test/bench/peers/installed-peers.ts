import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is compared with; installed outside the checkout, never a dependency. */
const PEERS = {
  '@cedar-policy/cedar-wasm': '4.13.0',
  '@anthropic-ai/sandbox-runtime': '0.0.83',
  '@portkey-ai/gateway': '1.15.2',
};
/** The Python peer with everything that it needs, by exact version. Compiled code lies elsewhere, so it is found from there. */
const LITELLM_PINS = new URL('../../../../test/bench/peers/litellm.requirements.txt', import.meta.url);
const INSTALL_MS = 500_000;

export type Peer = keyof typeof PEERS;

/** Where the programs of the peers lie. */
export interface InstalledPeers {
  /** The folder of a peer's npm package. */
  packageOf(peer: Peer): string;
  litellm: { program: string; version: string };
}

/** Installs the peers once into Sandgate's cache; none of their install scripts runs and no secret is in their environment. */
export function installPeers(): InstalledPeers {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'bench-peers');
  mkdirSync(cache, { recursive: true });
  installPackages(cache);
  return { packageOf: (peer) => join(cache, 'node_modules', peer), litellm: installLitellm(cache) };
}

export function versionOf(peer: Peer): string {
  return `${peer} ${PEERS[peer]}`;
}

function installPackages(cache: string): void {
  const manifest = JSON.stringify({ private: true, dependencies: PEERS });
  const installed = join(cache, 'installed');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === manifest) return;
  writeFileSync(join(cache, 'package.json'), manifest);
  install('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], cache);
  writeFileSync(installed, manifest);
}

/** In a virtual environment of its own, from wheels only: nothing of a package runs while it is installed. */
function installLitellm(cache: string): InstalledPeers['litellm'] {
  const pins = readFileSync(LITELLM_PINS, 'utf8');
  const version = /^litellm\[proxy\]==(\S+)$/m.exec(pins)?.[1] ?? 'unknown';
  const folder = join(cache, `litellm-${version}`);
  const [marker, digest] = [join(folder, 'pins.sha256'), createHash('sha256').update(pins).digest('hex')];
  const found = { program: join(folder, 'bin', 'litellm'), version };
  if (existsSync(marker) && readFileSync(marker, 'utf8') === digest) return found;
  rmSync(folder, { recursive: true, force: true });
  install('python3', ['-m', 'venv', folder], cache);
  const argv = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--only-binary',
    ':all:',
    '--no-deps',
  ];
  install(join(folder, 'bin', 'python'), [...argv, '-r', fileURLToPath(LITELLM_PINS)], cache);
  writeFileSync(marker, digest);
  return found;
}

function install(program: string, argv: string[], cwd: string): void {
  process.stderr.write(`bench: ${program} ${argv.slice(0, 3).join(' ')} …\n`);
  const { status, error } = spawnSync(program, argv, { cwd, stdio: ['ignore', 2, 2], timeout: INSTALL_MS });
  if (status === 0) return;
  throw new Error(
    `the peers could not be installed: ${error?.message ?? `${program} ended with ${status}`}; they need npm, and Python 3.10 or newer with venv`,
  );
}
