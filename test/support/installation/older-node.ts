import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Works on Node 18.17 and newer. */
const NPM = 'npm@10.9.8';
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sandgate-tests');

/** Where the programs of one Node stand: `node`, and an npm that runs with it. */
export interface BroughtNode {
  /** As `node --version` says it. */
  version: string;
  /** To be first in PATH. */
  folders: string[];
}

/** That major version of Node from npm, and an npm that works with it; brought once into the tests' cache. */
export async function bringNode(major: number): Promise<BroughtNode> {
  const program = `node-${process.platform}-${process.arch}`;
  const node = await install(`node-${major}`, `${program}@${major}`, program);
  const npm = await install('npm', NPM, 'npm');
  return {
    version: `v${node.version.replace(/^v/, '')}`,
    folders: [join(node.folder, 'bin'), join(npm.folder, '..', '.bin')],
  };
}

async function install(name: string, wanted: string, pkg: string): Promise<{ folder: string; version: string }> {
  const home = join(CACHE, name);
  const folder = join(home, 'node_modules', pkg);
  const versionOf = (): string =>
    (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  try {
    return { folder, version: versionOf() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(`${home}.`);
  const flags = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
  await run('npm', ['install', '--prefix', draft, ...flags, wanted], { cwd: draft, maxBuffer: 64 << 20 });
  try {
    renameSync(draft, home);
  } catch (error) {
    // Another test was faster; its copy is the same.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return { folder, version: versionOf() };
}

/** The environment of a person whose PATH has this Node first. */
export function personWith(node: BroughtNode, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { HOME, XDG_CACHE_HOME, PATH } = process.env;
  // The folder of the Node that runs this test must not be found first.
  const others = (PATH ?? '').split(':').filter((folder) => resolve(folder) !== dirname(process.execPath));
  const cache = XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME };
  return { HOME, ...cache, PATH: [...node.folders, ...others].join(':'), npm_config_update_notifier: 'false', ...more };
}
