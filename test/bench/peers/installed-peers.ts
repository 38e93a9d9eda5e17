import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What is compared with; installed outside the checkout, never a dependency. */
const PEERS = {
  '@cedar-policy/cedar-wasm': '4.13.0',
  '@anthropic-ai/sandbox-runtime': '0.0.83',
  '@portkey-ai/gateway': '1.15.2',
};

export type Peer = keyof typeof PEERS;

/** Installs the peers once into Sandgate's cache. @returns the folder of a peer's package */
export function installPeers(): (peer: Peer) => string {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'bench-peers');
  const manifest = JSON.stringify({ private: true, dependencies: PEERS });
  const path = join(cache, 'package.json');
  const installed = join(cache, 'installed');
  const complete = existsSync(installed) && readFileSync(installed, 'utf8') === manifest;
  if (!complete) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(path, manifest);
    const argv = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status, error } = spawnSync('npm', argv, { cwd: cache, stdio: ['ignore', 2, 2], timeout: 120_000 });
    if (status !== 0)
      throw new Error(`the peers could not be installed: ${error?.message ?? `npm ended with ${status}`}`);
    writeFileSync(installed, manifest);
  }
  return (peer) => join(cache, 'node_modules', peer);
}

export function versionOf(peer: Peer): string {
  return `${peer} ${PEERS[peer]}`;
}
