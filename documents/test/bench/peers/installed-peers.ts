import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasPython, providePython } from '../../../../test/support/mcp/python-environment.js';

/** What is compared with, by its npm packages; installed outside the checkout, never dependencies. */
const PEERS = {
  pdfjs: { 'pdfjs-dist': '6.5.438' },
  kreuzberg: { '@kreuzberg/node': '4.10.2' },
  minisearch: { minisearch: '7.2.0' },
  tus: { '@tus/server': '2.4.5', '@tus/file-store': '2.1.1' },
} as const;
const INSTALL_MS = 300_000;

export type Peer = keyof typeof PEERS;
export type PythonPeer = 'pdfplumber' | 'kreuzberg';

/**
 * Installs a peer once into a folder of its own in Sandgate's cache, so that one that cannot be had keeps no other away; none of its install
 * scripts runs.
 *
 * @returns the folder that has its `node_modules`
 * @throws Error saying what npm ended with
 */
export function installPeer(peer: Peer): string {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'bench-documents', peer);
  const manifest = JSON.stringify({ private: true, dependencies: PEERS[peer] });
  const installed = join(folder, 'installed');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === manifest) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  process.stderr.write(`bench: npm install ${versionOf(peer)} …\n`);
  const argv = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', argv, { cwd: folder, stdio: ['ignore', 2, 2], timeout: INSTALL_MS });
  if (status !== 0)
    throw new Error(`${versionOf(peer)} could not be installed: ${error?.message ?? `npm ended with ${status}`}`);
  writeFileSync(installed, manifest);
  return folder;
}

/** Names and versions of a peer's packages. */
export function versionOf(peer: Peer): string {
  return Object.entries(PEERS[peer])
    .map(([name, version]) => `${name} ${version}`)
    .join(' with ');
}

/**
 * The interpreter of a virtual environment that has a Python peer and nothing else; made once.
 *
 * @throws Error where this machine has no Python, or pip cannot bring the packages
 */
export async function installPythonPeer(peer: PythonPeer): Promise<string> {
  if (!hasPython()) throw new Error(`${peer} could not be installed: it needs Python 3.10 or newer with venv`);
  try {
    return await providePython(pinsOf(peer));
  } catch (error) {
    throw new Error(`${peer} could not be installed`, { cause: error });
  }
}

/** The first line of a file of pins that is no comment names the peer. */
export function pythonVersionOf(peer: PythonPeer): string {
  const [, name, version] = /^(\S+)==(\S+)$/m.exec(readFileSync(pinsOf(peer), 'utf8')) ?? [];
  return `${name ?? peer} ${version ?? 'unknown'}`;
}

/** Compiled code lies elsewhere, so what is not compiled is found from there. */
export const sourceOf = (file: string): string =>
  fileURLToPath(new URL(`../../../../../documents/test/bench/peers/${file}`, import.meta.url));

const pinsOf = (peer: PythonPeer): string => sourceOf(`${peer}.requirements.txt`);
