import type { PresetName } from '../../domain/network/presets.js';

/** What learns where a package manager of this machine gets its packages: it fetches one small package with it. */
export interface PackageManager {
  preset: PresetName;
  /** Found on PATH, or the preset is left out. */
  program: string;
  /** Files of a project that is made for it, by name. */
  files: Readonly<Record<string, string>>;
  /** One command line; `folder` is that project, thrown away afterwards. */
  fetch(folder: string, proxyPort: number): string[];
  /** Variables that keep it from what it has fetched before. */
  variables(folder: string): Record<string, string>;
  /** It only prints the addresses, because to fetch anything would fetch a lot. */
  prints?: true;
  /** The variables of the preset, each with the command line that prints its value. */
  settings: Readonly<Record<string, string[]>>;
}

const CARGO_PROJECT =
  '[package]\nname = "learn"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ncfg-if = "1"\n';
const GO_PROJECT = 'module learn\n\ngo 1.20\n\nrequire github.com/pkg/errors v0.9.1\n';

export const PACKAGE_MANAGERS: readonly PackageManager[] = [
  {
    preset: 'npm',
    program: 'npm',
    files: { 'package.json': '{}' },
    fetch: () => ['npm', 'pack', 'is-number@7.0.0', '--ignore-scripts'],
    variables: (folder) => ({ npm_config_cache: `${folder}/cache`, npm_config_fetch_retries: '0' }),
    settings: { npm_config_registry: ['npm', 'config', 'get', 'registry'] },
  },
  {
    preset: 'pypi',
    program: 'python3',
    files: {},
    fetch: () => ['python3', '-m', 'pip', 'download', '--no-deps', '--no-cache-dir', '--dest', '.', 'iniconfig==2.0.0'],
    // A folder of packages on this machine would answer before any index.
    variables: () => ({ PIP_FIND_LINKS: '', PIP_NO_INDEX: '0', PIP_RETRIES: '0' }),
    settings: { PIP_INDEX_URL: ['python3', '-m', 'pip', 'config', 'get', 'global.index-url'] },
  },
  {
    preset: 'crates',
    program: 'cargo',
    files: { 'Cargo.toml': CARGO_PROJECT, 'src/main.rs': 'fn main() {}\n' },
    fetch: () => ['cargo', 'fetch'],
    variables: (folder) => ({ CARGO_HOME: `${folder}/cargo-home`, CARGO_NET_RETRY: '0' }),
    settings: {},
  },
  {
    preset: 'go',
    program: 'go',
    files: { 'go.mod': GO_PROJECT },
    fetch: () => ['go', 'mod', 'download'],
    variables: (folder) => ({ GOMODCACHE: `${folder}/modules`, GOFLAGS: '-mod=mod -modcacherw' }),
    settings: {
      GOPROXY: ['go', 'env', 'GOPROXY'],
      GOSUMDB: ['go', 'env', 'GOSUMDB'],
      GONOSUMDB: ['go', 'env', 'GONOSUMDB'],
    },
  },
  {
    preset: 'maven',
    program: 'mvn',
    files: {},
    fetch: (folder, port) => [
      ...['mvn', '-q', `-Dmaven.repo.local=${folder}/repository`],
      ...['http', 'https'].flatMap((scheme) => [`-D${scheme}.proxyHost=127.0.0.1`, `-D${scheme}.proxyPort=${port}`]),
      ...['dependency:get', '-Dartifact=org.slf4j:slf4j-api:2.0.16', '-Dtransitive=false'],
    ],
    variables: () => ({}),
    settings: {},
  },
  {
    preset: 'debian',
    program: 'apt-get',
    files: {},
    fetch: () => ['apt-get', '--print-uris', 'update'],
    variables: () => ({}),
    prints: true,
    settings: {},
  },
];
