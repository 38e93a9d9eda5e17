import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SandgateError } from '../../../domain/errors.js';
import { isSystemError } from '../../../domain/system-error.js';

const TIMEOUT_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_REASON = 500;
/** No script of any package runs, no link is made, and an address that does not answer is given up within seconds. */
const FLAGS = [
  '--ignore-scripts',
  '--no-bin-links',
  '--no-audit',
  '--no-fund',
  '--omit=dev',
  '--include=optional',
  '--global=false',
  '--no-update-notifier',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
  '--loglevel=error',
];
const UNREACHABLE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

/**
 * Fetches what `package.json` of the folder names, with all dependencies, by npm itself and with its user's settings.
 * @throws SandgateError `unavailable` with npm's own reason
 */
export function npmInstall(folder: string): Promise<void> {
  return runNpm(folder, ['install', '--package-lock=true', '--save-exact']);
}

/**
 * Fetches exactly what the lock file of the folder names; npm compares every package with the integrity there. Peers are left out
 * as they were when the lock file was written.
 * @throws SandgateError `unavailable` with npm's own reason
 */
export function npmClean(folder: string): Promise<void> {
  return runNpm(folder, ['ci', '--legacy-peer-deps']);
}

async function runNpm(folder: string, words: string[]): Promise<void> {
  try {
    await promisify(execFile)('npm', [...words, ...FLAGS], {
      cwd: folder,
      env: npmEnvironment(process.env),
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  } catch (error) {
    if (isSystemError(error, 'ENOENT'))
      throw new SandgateError('unavailable', 'npm is needed to install packages and was not found', { cause: error });
    const { stderr, killed } = error as { stderr?: string; killed?: boolean };
    const reason = killed === true ? `it took longer than ${TIMEOUT_MS / 60_000} minutes` : reasonOf(stderr ?? '');
    throw new SandgateError('unavailable', `npm could not install it: ${reason}`, { cause: error });
  }
}

/** Neither our settings, some of which are secrets, nor what an outer `npm run` decided for itself. */
function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = /^(?:SERVICE_|SANDGATE_|ANTHROPIC_|OPENAI_|TEMPORAL_|DATABASE_URL$|NODE_OPTIONS$)/;
  const outer = /^npm_(?:package|lifecycle|command|execpath|node_execpath|config_(?:global_|local_)?prefix$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name) && !outer.test(name)));
}

/** npm states the reason in its first lines, then the place of its log. */
function reasonOf(stderr: string): string {
  if (UNREACHABLE.test(stderr))
    return "the package registry cannot be reached; connect this machine, or name another registry in npm's settings";
  if (/\bEINTEGRITY\b/.test(stderr))
    return "a package is not the one whose digest was recorded; clear npm's cache with `npm cache clean --force`, and do not use that registry if it happens again";
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('npm warn') && !/complete log|debug-0\.log/.test(line));
  return lines.slice(0, 4).join(' ').slice(0, MAX_REASON) || 'it gave no reason';
}
