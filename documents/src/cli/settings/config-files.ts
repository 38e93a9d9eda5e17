import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify, TomlError } from 'smol-toml';
import { isMissing } from '../../../../src/domain/system-error.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import type { FileLayer } from './layers.js';
import { isSettingKey, type SettingKey } from './setting-keys.js';

type Tables = Record<string, unknown>;

/** Where the files of the client are: those of the user, and that of the folder in which somebody stands. */
export interface ConfigPlaces {
  user: string;
  project: string;
  /** Of the user alone: credentials and tokens. */
  secrets: string;
  /** What uploads that were begun go on with. */
  uploads: string;
  /** Written by an embedded start on this host. */
  firstClient: string;
}

export function configPlaces(environment: NodeJS.ProcessEnv, folder: string): ConfigPlaces {
  const home = environment['HOME'] ?? homedir();
  const config = join(absolute(environment['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'docsvc');
  const state = absolute(environment['XDG_STATE_HOME']) ?? join(home, '.local', 'state');
  return {
    user: join(config, 'config.toml'),
    project: join(folder, '.docsvc.toml'),
    secrets: config,
    uploads: join(state, 'docsvc-cli', 'uploads'),
    firstClient: join(absolute(environment['DOCSVC_DATA_DIR']) ?? join(state, 'docsvc'), 'first-client.json'),
  };
}

/** The settings of a file; none where there is no file. @throws CliError `usage` for what is no TOML */
export function readConfigFile(path: string, warn: (message: string) => void): FileLayer {
  const values = new Map<string, unknown>();
  for (const [section, members] of Object.entries(readTables(path))) {
    const named = typeof members === 'object' && members !== null ? Object.entries(members) : [['', members] as const];
    for (const [name, value] of named) {
      const key = name === '' ? section : `${section}.${name}`;
      if (isSettingKey(key)) values.set(key, value);
      else warn(`${path}: there is no setting ${key}`);
    }
  }
  return { path, values };
}

/** Sets one key of a file, which is made where it is missing; undefined takes the key away. */
export function writeSetting(path: string, key: SettingKey, value: string | number | undefined): void {
  const tables = readTables(path);
  const [section = '', name = ''] = key.split('.');
  const members: Tables = { ...(tables[section] as Tables | undefined) };
  if (value === undefined) delete members[name];
  else members[name] = value;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${stringify({ ...tables, [section]: members })}\n`, { flush: true });
  renameSync(draft, path);
}

function readTables(path: string): Tables {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return {};
    if (error instanceof TomlError) throw new CliError(`${path} is not TOML: ${error.message}`, EXIT.usage);
    throw error;
  }
}

function absolute(path: string | undefined): string | undefined {
  return path?.startsWith('/') === true ? path : undefined;
}
