import { digestOf } from '../digest/digest.js';
import type { JsonValue } from '../json.js';
import type { FrozenSetup, RunSpec } from '../run/spec.js';

/** A file of the base commit; the id is that of its content. */
export interface BaseFile {
  path: string;
  id: string;
}

/** What the result of a setup depends on besides the frozen run. */
export interface LayerSources {
  organizationId: string;
  spec: RunSpec;
  setup: FrozenSetup;
  /** Names the repository, the same for every run of it. */
  repository: string;
  /** Names provider, system and runner of the host. */
  environment: string;
  /** Everything that the base commit holds. */
  files: readonly BaseFile[];
}

/** Counts the changes of what a layer holds. */
const LAYOUT = 1;
const MAX_DEPTH = 4;

/** Files that say what a project needs: a lock file alone would let a branch keep it and change what an installation runs. */
const MANIFESTS: readonly RegExp[] = [
  /^(package|package-lock|npm-shrinkwrap)\.json$/,
  /^(yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.npmrc|\.yarnrc\.yml|bun\.lockb?)$/,
  /^(pyproject\.toml|setup\.py|setup\.cfg|Pipfile|Pipfile\.lock|poetry\.lock|uv\.lock|pdm\.lock|tox\.ini)$/,
  /^requirements[^/]*\.(txt|in)$/,
  /^(Cargo\.toml|Cargo\.lock|build\.rs|rust-toolchain|rust-toolchain\.toml)$/,
  /^go\.(mod|sum|work|work\.sum)$/,
  /^(pom\.xml|build\.gradle|build\.gradle\.kts|settings\.gradle|settings\.gradle\.kts|gradle\.lockfile|gradle\.properties)$/,
  /^(Gemfile|Gemfile\.lock|composer\.json|composer\.lock|mix\.exs|mix\.lock)$/,
  /^(Makefile|makefile|GNUmakefile|CMakeLists\.txt|\.tool-versions|\.nvmrc|\.python-version)$/,
];

/**
 * Under which the result of a setup is kept, and found again (docs/design/setup.md). Everything that could make the result another one,
 * or give it to somebody whom it is not for, is part of it. Null where the base commit holds no file that says what the project needs,
 * so that nothing would tell an old result from a new one.
 */
export function layerKey({ organizationId, spec, setup, repository, environment, files }: LayerSources): string | null {
  const named = namedFiles(setup.commands);
  const isManifest = ({ path }: BaseFile) => isManifestPath(path);
  if (!files.some(isManifest)) return null;
  const decisive = files.filter((file) => isManifest(file) || named.has(file.path));
  const { network } = spec;
  return digestOf({
    layout: LAYOUT,
    organization: organizationId,
    repository,
    trust_tier: spec.trust_tier,
    network:
      network.mode === 'offline'
        ? { mode: network.mode }
        : { mode: network.mode, targets: network.targets, denied: network.denied, variables: network.variables },
    environment,
    image: spec.runner_image,
    env: spec.env ?? {},
    read_only: spec.workspace.kind === 'git_repository' && spec.workspace.checkout_mode === 'read_only',
    commands: setup.commands,
    files: decisive.map(({ path, id }) => [path, id]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  } as unknown as JsonValue);
}

function isManifestPath(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > MAX_DEPTH) return false;
  return MANIFESTS.some((pattern) => pattern.test(name)) || /(^|\/)\.cargo\/config(\.toml)?$/.test(path);
}

/** Paths that a command may mean by one of its words, such as a script that it runs. */
function namedFiles(commands: readonly string[]): Set<string> {
  const words = commands.flatMap((command) => command.split(/[\s'"`;&|()<>=]+/));
  return new Set(words.map((word) => word.replace(/^(\.\/)+|^\/workspace\//, '')));
}
