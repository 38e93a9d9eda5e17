import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.js';
import { settingsOf } from './setting.js';
import type { SectionClass, SettingEntry } from './setting.js';

/** Longest content of a `_FILE`; a value is a key or an address, not a document. */
const MAX_FILE_BYTES = 65_536;

/** The sections of a product's configuration by name, in the order of its documentation. */
export type Sections = Readonly<Record<string, SectionClass>>;

/** What was read for them. */
export type SectionValues<S extends Sections> = { readonly [Name in keyof S]: InstanceType<S[Name]> };

/** Reads every section from the environment. @throws ConfigError naming the variable whose value is malformed */
export function readSections<S extends Sections>(sections: S, env: NodeJS.ProcessEnv): SectionValues<S> {
  const read = Object.entries(sections).map(([name, section]) => [name, readSection(section, env)] as const);
  return Object.fromEntries(read) as SectionValues<S>;
}

export function freezeSections<C extends object>(config: C): Readonly<C> {
  for (const section of Object.values(config)) Object.freeze(section);
  return Object.freeze(config);
}

function readSection<T extends object>(section: SectionClass<T>, env: NodeJS.ProcessEnv): T {
  const values = settingsOf(section).map((entry) => [entry.member, readSetting(entry, env)] as const);
  return Object.assign(new section(), Object.fromEntries(values));
}

function readSetting(entry: SettingEntry, env: NodeJS.ProcessEnv): unknown {
  const raw = rawValue(entry.variable, env);
  if (raw === undefined)
    return typeof entry.default === 'function' ? (entry.default as () => unknown)() : entry.default;
  try {
    return entry.read.parse(raw);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'is malformed';
    throw new ConfigError((env[entry.variable] ?? '') === '' ? `${entry.variable}_FILE` : entry.variable, reason);
  }
}

/** An empty variable counts as unset: that is how compose files and shells write "nothing". */
function rawValue(variable: string, env: NodeJS.ProcessEnv): string | undefined {
  const direct = env[variable];
  const file = env[`${variable}_FILE`];
  if (direct !== undefined && direct !== '') {
    if (file !== undefined && file !== '')
      throw new ConfigError(variable, `and ${variable}_FILE are both set; keep one`);
    return direct;
  }
  return file === undefined || file === '' ? undefined : readValueFile(`${variable}_FILE`, file);
}

function readValueFile(variable: string, path: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(
      variable,
      `names a file that cannot be read: ${error instanceof Error ? error.message : path}`,
    );
  }
  if (content.length > MAX_FILE_BYTES)
    throw new ConfigError(variable, `names a file larger than ${MAX_FILE_BYTES} bytes`);
  return content.replace(/\r?\n$/, '');
}
