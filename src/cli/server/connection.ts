import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject } from '../../domain/json.js';
import { didYouMean } from '../../domain/nearest-name.js';
import { locate } from '../../embedded/state-folder.js';
import { readLiveInstance } from '../../embedded/state-lock.js';
import { defaultDataDir } from '../../embedded/configuration.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

/** The server's address and token. */
export interface ServerConnection {
  readonly url: string;
  readonly token: string;
  readonly temporalWebUrl?: string | undefined;
  /** In words, for `sandgate config` and error messages. */
  readonly source: string;
}

export interface ConnectionFlags {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly dataDir?: string | undefined;
}

interface ConfigFile {
  url?: unknown;
  token?: unknown;
  token_file?: unknown;
}

const MEMBERS: readonly string[] = ['url', 'token', 'token_file'];

/** `$SANDGATE_CONFIG`, else `$XDG_CONFIG_HOME/sandgate/config.yaml`. */
function configFilePath(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return env['SANDGATE_CONFIG'] || join(base, 'sandgate', 'config.yaml');
}

/**
 * Server and token from flags, then `SANDGATE_URL` and `SANDGATE_TOKEN`, then the configuration file, then the installation that
 * runs on this machine. A token is never taken from a command line, which every user of the machine can read.
 */
export function resolveConnection(flags: ConnectionFlags, env: NodeJS.ProcessEnv): ServerConnection {
  const file = readConfigFile(configFilePath(env));
  const local = localInstance(flags, env);
  const url = flags.server ?? env['SANDGATE_URL'] ?? file.url ?? local?.url;
  if (url === undefined) {
    throw new CliError(
      `no server is known: start one with \`sandgate start\`, or name one with --server, SANDGATE_URL or ${configFilePath(env)}`,
      EXIT.unreachable,
    );
  }
  const isLocal = url === local?.url;
  const token = readToken(flags, env) ?? file.token ?? (isLocal ? local.token : undefined);
  if (token === undefined)
    throw new CliError(`no token for ${url}: set SANDGATE_TOKEN, or name a file with --token-file`, EXIT.unauthorized);
  return {
    url: checkUrl(url),
    token,
    temporalWebUrl: isLocal ? local.temporalWebUrl : undefined,
    source: isLocal ? 'local installation' : 'configured',
  };
}

export function dataDirOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv): string {
  return flags.dataDir ?? (env['SERVICE_DATA_DIR'] || defaultDataDir());
}

function localInstance(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
): { url: string; token: string | undefined; temporalWebUrl: string | undefined } | undefined {
  const folder = locate(dataDirOf(flags, env));
  const instance = readLiveInstance(folder.lock);
  if (instance?.url === undefined) return undefined;
  const token = instance.adminTokenFile === undefined ? undefined : readTokenFile(instance.adminTokenFile);
  return { url: instance.url, token, temporalWebUrl: instance.temporalWebUrl };
}

function readToken(flags: ConnectionFlags, env: NodeJS.ProcessEnv): string | undefined {
  if (flags.tokenFile !== undefined) return readTokenFile(flags.tokenFile);
  return env['SANDGATE_TOKEN'] || undefined;
}

function readTokenFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CliError(
      `the token file cannot be read: ${error instanceof Error ? error.message : path}`,
      EXIT.unauthorized,
    );
  }
}

function readConfigFile(path: string): { url?: string; token?: string } {
  if (!existsSync(path)) return {};
  const content = parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 }) as unknown;
  const { url, token, token_file: tokenFile } = knownMembers(content ?? {}, path);
  for (const [name, value] of Object.entries({ url, token, token_file: tokenFile })) {
    if (value !== undefined && typeof value !== 'string')
      throw new CliError(`${path}: ${name} must be a text`, EXIT.usage);
  }
  const secret =
    typeof token === 'string' ? token : typeof tokenFile === 'string' ? readTokenFile(tokenFile) : undefined;
  return { ...(typeof url === 'string' ? { url } : {}), ...(secret === undefined ? {} : { token: secret }) };
}

/** A misspelt `token_file` would silently fall back to another credential. */
function knownMembers(content: unknown, path: string): ConfigFile {
  if (!isJsonObject(content)) throw new CliError(`${path}: must be a mapping of ${MEMBERS.join(', ')}`, EXIT.usage);
  const unknown = Object.keys(content).find((name) => !MEMBERS.includes(name));
  if (unknown === undefined) return content;
  throw new CliError(`${path}: ${unknown} is not known${didYouMean(unknown, MEMBERS)}`, EXIT.usage);
}

function checkUrl(url: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new CliError(`${url} is not an http or https address`, EXIT.usage);
  return url.replace(/\/+$/, '');
}
