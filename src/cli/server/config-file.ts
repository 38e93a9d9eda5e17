import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject } from '../../domain/json.js';
import { didYouMean } from '../../domain/nearest-name.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { configFolder } from './credentials-file.js';

interface Members {
  url?: unknown;
  token?: unknown;
  token_file?: unknown;
}

const MEMBERS: readonly string[] = ['url', 'token', 'token_file'];

/** `$SANDGATE_CONFIG`, else `$XDG_CONFIG_HOME/sandgate/config.yaml`. */
export function configFilePath(env: NodeJS.ProcessEnv): string {
  return env['SANDGATE_CONFIG'] || join(configFolder(env), 'config.yaml');
}

/** Server and token that a person wrote down. */
export function readConfigFile(path: string): { url?: string; token?: string } {
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

export function readTokenFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CliError(
      `the token file cannot be read: ${error instanceof Error ? error.message : path}`,
      EXIT.unauthorized,
    );
  }
}

/** A misspelt `token_file` would silently fall back to another credential. */
function knownMembers(content: unknown, path: string): Members {
  if (!isJsonObject(content)) throw new CliError(`${path}: must be a mapping of ${MEMBERS.join(', ')}`, EXIT.usage);
  const unknown = Object.keys(content).find((name) => !MEMBERS.includes(name));
  if (unknown === undefined) return content;
  throw new CliError(`${path}: ${unknown} is not known${didYouMean(unknown, MEMBERS)}`, EXIT.usage);
}
