import { SandgateError } from '../../domain/errors.js';
import type { Confine } from '../host/confine.js';

/** Longest single git call of a collection or a snapshot (docs/design/workspaces.md). */
export const GIT_CALL_MS = 90_000;
/** Longest git call of a fetch. */
export const GIT_FETCH_MS = 30 * 60_000;
const MEMORY_MB = 1024;
const MAX_TEXT_BYTES = 64 * 1024;

/** How, where and as whom confined programs of one workspace run. */
export interface Confinement {
  confine: Confine;
  /** Host uid of the run, null when it is the uid of this process. */
  uid: number | null;
  /** Private folder of this operation, writable for the confined programs: their HOME and scratch space. */
  scratch: string;
  readOnly: string[];
  readWrite: string[];
  /** Clock time in milliseconds when the whole operation must be over. */
  until: number;
  signal?: AbortSignal | undefined;
}

export interface CommandOptions {
  cwd?: string;
  /** May hold a secret: it travels by descriptor. */
  env?: Record<string, string>;
  timeoutMs?: number;
  maxOutputBytes?: number;
  /** Leaves it the host's network, for fetching from a code host alone. */
  network?: boolean;
}

/** One setting of git: its name and its value. */
export type GitSetting = readonly [name: string, value: string];

export interface GitOptions extends CommandOptions {
  /** On top of the settings that every call has; they travel in the environment too, so they may hold a secret. */
  settings?: readonly GitSetting[];
}

export interface CommandResult {
  exitCode: number | null;
  stdout: Buffer;
  stderr: string;
}

/** A confined program took longer than it may. */
export class ConfinedTimeout extends SandgateError {
  constructor(what: string) {
    super('invalid_request', `${what} took longer than allowed`);
  }
}

/**
 * Runs one program in a confinement of its own: unprivileged uid, no network unless it fetches, a closed environment.
 * An aborted operation kills it.
 *
 * @throws ConfinedTimeout past its own limit or the operation's
 */
export async function runCommand(
  on: Confinement,
  argv: string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  on.signal?.throwIfAborted();
  const remainingMs = on.until - Date.now();
  if (remainingMs <= 0) throw new ConfinedTimeout('preparing the workspace');
  const result = await on.confine({
    argv,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: on.scratch, LC_ALL: 'C', TZ: 'UTC', ...options.env },
    readOnly: on.readOnly,
    readWrite: [on.scratch, ...on.readWrite],
    cwd: options.cwd ?? on.scratch,
    ...(on.uid === null ? {} : { uid: on.uid }),
    network: options.network === true,
    timeoutMs: Math.min(options.timeoutMs ?? GIT_CALL_MS, remainingMs),
    memoryMb: MEMORY_MB,
    maxOutputBytes: options.maxOutputBytes ?? MAX_TEXT_BYTES,
    ...(on.signal === undefined ? {} : { signal: on.signal }),
  });
  on.signal?.throwIfAborted();
  if (result.timedOut) throw new ConfinedTimeout(argv[0] ?? 'a program');
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr.toString('utf8') };
}

/** Settings that override everything a repository configures: none of it runs a program, applies a filter or opens a connection. */
const SETTINGS: readonly GitSetting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.quotePath', 'true'],
  ['core.fileMode', 'true'],
  ['core.symlinks', 'true'],
  ['core.ignoreCase', 'false'],
  ['core.precomposeUnicode', 'false'],
  ['core.autocrlf', 'false'],
  ['core.alternateRefsCommand', ''],
  ['core.logAllRefUpdates', 'false'],
  ['core.pager', 'cat'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.orderFile', '/dev/null'],
  ['diff.suppressBlankEmpty', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['index.threads', '1'],
  ['pack.threads', '1'],
  ['protocol.allow', 'never'],
  ['protocol.file.allow', 'always'],
  // A repository that a root-owned copy was made from belongs to another uid than the one git runs as.
  ['safe.directory', '*'],
];

/** Runs git in confinement against an explicit git folder. The answer may be a failure: callers look at `exitCode`. */
export function runGit(
  on: Confinement,
  gitDir: string,
  args: string[],
  options: GitOptions = {},
): Promise<CommandResult> {
  const env = { ...gitEnvironment(gitDir, options.settings), ...options.env };
  return runCommand(on, ['/usr/bin/env', 'git', ...args], { ...options, env });
}

/** The same for several git calls in one confinement: a shell script of ours, its parameters as `$1`, `$2`, …. */
export function runGitScript(
  on: Confinement,
  gitDir: string,
  script: string,
  parameters: string[],
  options: GitOptions = {},
) {
  const env = { ...gitEnvironment(gitDir, options.settings), ...options.env };
  return runCommand(on, ['/bin/sh', '-euc', script, 'sh', ...parameters], { ...options, env });
}

/** The settings travel in the environment, so that programs which git starts itself obey them too. */
function gitEnvironment(gitDir: string, more: readonly GitSetting[] = []): Record<string, string> {
  const settings = [...SETTINGS, ...more];
  const environment: Record<string, string> = {
    GIT_DIR: gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_CONFIG_COUNT: String(settings.length),
  };
  settings.forEach(([name, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return environment;
}

/** A sentence for a person from a failed call: what the program called an error, else its last lines; no control characters. */
export function failureText({ exitCode, stderr }: CommandResult): string {
  const lines = stderr
    .split('\n')
    // eslint-disable-next-line no-control-regex -- removing control characters is the purpose
    .map((line) => line.replace(/[\u0000-\u001f\u007f]/g, ' ').trim())
    .filter((line) => line !== '');
  const errors = lines.filter((line) => /^(?:fatal|error|\w*Error)\b/.test(line));
  const text = (errors.length > 0 ? errors : lines).slice(-3).join('; ').slice(0, 500);
  if (text !== '') return text;
  return exitCode === null ? 'it was killed, probably for lack of memory' : `it ended with code ${exitCode}`;
}
