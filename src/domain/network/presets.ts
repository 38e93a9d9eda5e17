import { didYouMean } from '../nearest-name.js';
import type { NameTarget } from './target.js';

/** Names that stand for the hosts of a package manager (docs/design/network.md). */
export const PRESET_NAMES = ['npm', 'pypi', 'crates', 'go', 'maven', 'debian'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** The variables that a preset may give to tools: where its package manager looks, and nothing that is run or trusted. */
export const PRESET_VARIABLES: Readonly<Record<PresetName, readonly string[]>> = {
  npm: ['npm_config_registry'],
  pypi: ['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX'],
  crates: [
    'CARGO_REGISTRIES_CRATES_IO_PROTOCOL',
    'CARGO_REGISTRIES_CRATES_IO_INDEX',
    'CARGO_REGISTRIES_MIRROR_INDEX',
    'CARGO_REGISTRY_DEFAULT',
  ],
  go: ['GOPROXY', 'GONOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GOPRIVATE'],
  maven: [],
  debian: [],
};

/** What a preset stands for. */
export interface Preset {
  targets: NameTarget[];
  /** Variables of tool processes that lead the package manager there. */
  variables: Record<string, string>;
}

export type Presets = Readonly<Partial<Record<PresetName, Preset>>>;

/** What presets stand for in a deployment, and where an organization means something else by one. */
export interface PresetTable {
  presets: Presets;
  /** By the slug of the organization. */
  organizations: ReadonlyMap<string, Presets>;
}

/** The presets of an organization: its own ones replace those of the deployment. */
export function presetsOf({ presets, organizations }: PresetTable, slug: string): Presets {
  return { ...presets, ...organizations.get(slug) };
}

export function isPresetName(name: string): name is PresetName {
  return (PRESET_NAMES as readonly string[]).includes(name);
}

/** What is wrong with the name of a preset, as the end of a sentence that begins with its place. */
export function unknownPreset(name: string): string {
  return `there is no preset ${name}; there are ${PRESET_NAMES.join(', ')}${didYouMean(name, PRESET_NAMES)}`;
}
