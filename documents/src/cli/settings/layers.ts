import { CliError, EXIT } from '../terminal/exit-codes.js';
import { SETTING_KEYS, SETTINGS, variableOf, type SettingKey, type Settings } from './setting-keys.js';

/** Layers in their order: a later one wins (DI-047). */
export const LAYERS = ['default', 'user', 'project', 'environment', 'flag'] as const;
export type Layer = (typeof LAYERS)[number];

/** A setting with the layer that it is from, and what set it there. */
export interface Resolved<K extends SettingKey = SettingKey> {
  value: Settings[K];
  layer: Layer;
  /** A file, a variable or a flag; empty for a default. */
  source: string;
}

export type ResolvedSettings = { readonly [K in SettingKey]: Resolved<K> };

/** What each layer says, as it was found. */
export interface LayerInputs {
  user: FileLayer;
  project: FileLayer;
  environment: NodeJS.ProcessEnv;
  flags: Readonly<Record<string, unknown>>;
}

/** Values of a file by their keys. */
export interface FileLayer {
  path: string;
  values: ReadonlyMap<string, unknown>;
}

/** @throws CliError `usage` naming the layer whose value the setting does not take */
export function resolveSettings(inputs: LayerInputs): ResolvedSettings {
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, resolve(key, inputs)])) as unknown as ResolvedSettings;
}

/** The values alone. */
export function valuesOf(settings: ResolvedSettings): Settings {
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, settings[key].value])) as unknown as Settings;
}

function resolve(key: SettingKey, { user, project, environment, flags }: LayerInputs): Resolved {
  const variable = variableOf(key);
  const { flag } = SETTINGS[key];
  const said: [Layer, string, unknown][] = [
    ['flag', `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, flags[flag]],
    // An empty variable is how one is unset in many places.
    ['environment', variable, environment[variable] === '' ? undefined : environment[variable]],
    ['project', project.path, project.values.get(key)],
    ['user', user.path, user.values.get(key)],
  ];
  for (const [layer, source, value] of said)
    if (value !== undefined) return { value: read(key, value, source), layer, source };
  return { value: SETTINGS[key].default, layer: 'default', source: '' };
}

function read(key: SettingKey, value: unknown, source: string): Settings[SettingKey] {
  const known = SETTINGS[key].read(value);
  if (known !== undefined) return known;
  throw new CliError(`${source}: ${key} takes ${SETTINGS[key].takes}`, EXIT.usage);
}
