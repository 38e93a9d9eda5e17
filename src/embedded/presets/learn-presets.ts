import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../../domain/system-error.js';
import type { PresetName } from '../../domain/network/presets.js';
import { parseTarget } from '../../domain/network/target.js';
import { PACKAGE_MANAGERS, type PackageManager } from './package-managers.js';
import { RecordingProxy } from './recording-proxy.js';

const run = promisify(execFile);
const FETCH_MS = 120_000;
const SETTING_MS = 20_000;
const MAX_OUTPUT = 4 * 1024 * 1024;
const URLS = /\bhttps?:\/\/[^\s'"]+/g;

/** What one package manager told: its preset, or why there is none. */
export type Learned =
  | { preset: PresetName; targets: string[]; variables: Record<string, string> }
  | { preset: PresetName; problem: string };

/**
 * Learns the presets from the package managers of this machine: each fetches one small package through a proxy that remembers where it
 * led, so that mirrors of the company are found as they are configured (docs/design/network.md).
 *
 * @param environment that of the user, whose proxy is kept
 * @param presets only these; all when there are none
 */
export async function learnPresets(
  environment: NodeJS.ProcessEnv,
  presets: readonly string[] = [],
): Promise<Learned[]> {
  const managers = PACKAGE_MANAGERS.filter(({ preset }) => presets.length === 0 || presets.includes(preset));
  const proxy = await RecordingProxy.start(proxyOf(environment));
  try {
    const learned: Learned[] = [];
    for (const manager of managers) learned.push(await learnFrom(manager, proxy, environment));
    return learned;
  } finally {
    proxy.close();
  }
}

async function learnFrom(
  manager: PackageManager,
  proxy: RecordingProxy,
  environment: NodeJS.ProcessEnv,
): Promise<Learned> {
  const { preset } = manager;
  const folder = await mkdtemp(join(tmpdir(), 'sandgate-preset-'));
  try {
    await writeProject(folder, manager, environment);
    const command = manager.fetch(folder, proxy.port);
    const env = { ...environment, ...proxyVariables(proxy.port), ...manager.variables(folder) };
    proxy.take();
    const printed = await perform(command, { cwd: folder, env, timeout: FETCH_MS });
    const reached = manager.prints === true ? addressesIn(printed) : proxy.take();
    const targets = [...new Set(reached)].filter((target) => typeof parseTarget(target) !== 'string').toSorted();
    if (targets.length === 0) return { preset, problem: `${manager.program} reached no host by its name` };
    return { preset, targets, variables: await readSettings(manager, folder, environment) };
  } catch (cause) {
    return { preset, problem: problemOf(manager, cause) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeProject(folder: string, manager: PackageManager, environment: NodeJS.ProcessEnv): Promise<void> {
  for (const [name, text] of Object.entries(manager.files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const home = manager.variables(folder)['CARGO_HOME'];
  if (home !== undefined) await copyCargoSettings(environment, home);
}

/** Cargo keeps its mirrors in the folder that also holds what it has fetched. */
async function copyCargoSettings(environment: NodeJS.ProcessEnv, home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  const from = environment['CARGO_HOME'] ?? join(homedir(), '.cargo');
  try {
    await copyFile(join(from, 'config.toml'), join(home, 'config.toml'));
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
  }
}

/** Addresses with a password are left out: they would be read by every agent. */
async function readSettings(
  manager: PackageManager,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  for (const [variable, command] of Object.entries(manager.settings)) {
    const value = await readSetting(command, folder, environment);
    if (value !== '' && !/:\/\/[^/]*@/.test(value)) settings[variable] = value;
  }
  return settings;
}

/** Empty where it is not set, which some tools tell by their exit code. */
async function readSetting(command: string[], folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await perform(command, { cwd: folder, env, timeout: SETTING_MS })).trim();
  } catch (cause) {
    if (typeof (cause as { code?: unknown }).code === 'number') return '';
    throw cause;
  }
}

async function perform(
  [program = '', ...args]: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; timeout: number },
): Promise<string> {
  const { stdout } = await run(program, args, { ...options, maxBuffer: MAX_OUTPUT, encoding: 'utf8' });
  return stdout;
}

function addressesIn(printed: string): string[] {
  return [...printed.matchAll(URLS)].map(([text]) => {
    const { hostname, port, protocol } = new URL(text);
    return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
  });
}

function problemOf({ program }: PackageManager, cause: unknown): string {
  if (codeOf(cause) === 'ENOENT') return `${program} is not installed here`;
  const { stderr, message } = cause as { stderr?: string; message: string };
  const last = (stderr ?? '').trim().split('\n').at(-1);
  return `${program} failed: ${last === undefined || last === '' ? message : last}`;
}

function proxyVariables(port: number): Record<string, string> {
  const address = `http://127.0.0.1:${port}`;
  return Object.fromEntries(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].map((name) => [name, address]));
}

function proxyOf(environment: NodeJS.ProcessEnv): URL | null {
  const text = environment['HTTPS_PROXY'] ?? environment['https_proxy'] ?? '';
  return URL.canParse(text) ? new URL(text) : null;
}
