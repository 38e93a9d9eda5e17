import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SandgateError } from '../../domain/errors.js';
import { isSystemError } from '../../domain/system-error.js';

const TIMEOUT_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_REASON = 500;
const FLAGS = [
  '--ignore-scripts',
  '--no-bin-links',
  '--no-audit',
  '--no-fund',
  '--omit=dev',
  '--package-lock=true',
  '--save-exact',
  '--global=false',
  '--no-update-notifier',
  '--loglevel=error',
];

/**
 * Fetches what `package.json` of the folder names, with all dependencies, by npm itself and with its user's settings. No script of
 * any package runs.
 * @throws SandgateError `unavailable` with npm's own reason
 */
export async function npmInstall(folder: string): Promise<void> {
  try {
    await promisify(execFile)('npm', ['install', ...FLAGS], {
      cwd: folder,
      env: npmEnvironment(process.env),
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  } catch (error) {
    if (isSystemError(error, 'ENOENT'))
      throw new SandgateError('unavailable', 'npm is needed to install tools and was not found', { cause: error });
    const { stderr } = error as { stderr?: string };
    throw new SandgateError('unavailable', `npm could not install it: ${reasonOf(stderr ?? '')}`, { cause: error });
  }
}

/** Neither our settings, some of which are secrets, nor what an outer `npm run` decided for itself. */
function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = /^(?:SERVICE_|SANDGATE_|ANTHROPIC_|OPENAI_|TEMPORAL_|DATABASE_URL$|NODE_OPTIONS$)/;
  const outer = /^npm_(?:package|lifecycle|command|execpath|node_execpath|config_(?:global_|local_)?prefix$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name) && !outer.test(name)));
}

/** npm tells the reason in its first lines and then where its log is. */
function reasonOf(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('npm warn') && !/complete log|debug-0\.log/.test(line));
  return lines.slice(0, 4).join(' ').slice(0, MAX_REASON) || 'it gave no reason';
}
