import { describe, expect, it } from '@jest/globals';
import type { FrozenSetup, RunSpec } from '../run/spec.js';
import { layerKey, type LayerSources } from './layer-key.js';

const SETUP: FrozenSetup = { commands: ['npm ci', './scripts/prepare.sh --all'], timeout_secs: 60, cache: true };
const SPEC = {
  trust_tier: 'trusted',
  runner_image: 'none',
  workspace: { kind: 'git_repository', clone_url: 'https://git.example/a/b', checkout_mode: 'writable_copy' },
  network: { schema_version: 1, mode: 'offline' },
} as unknown as RunSpec;
const GRANT = {
  schema_version: 1,
  mode: 'approved',
  targets: [],
  denied: [],
  variables: {},
  expires_at: '2030-01-01T00:00:00.000Z',
  policy_digest: 'sha256:00',
};
const FILES = [
  { path: 'src/main.js', id: 'a1' },
  { path: 'package-lock.json', id: 'a2' },
  { path: 'scripts/prepare.sh', id: 'a3' },
];
const SOURCES: LayerSources = {
  organizationId: 'org-1',
  spec: SPEC,
  setup: SETUP,
  repository: 'git:https://git.example/a/b',
  environment: 'sha256:host',
  files: FILES,
};

const keyOf = (change: Partial<LayerSources> = {}) => layerKey({ ...SOURCES, ...change });
const withSpec = (change: object) => keyOf({ spec: { ...SPEC, ...change } });
const withFile = (path: string, id: string) =>
  keyOf({ files: [...FILES.filter((file) => file.path !== path), { path, id }] });

describe('the key of what is kept of a setup', () => {
  it('is the same for the same, in whatever order files are listed, and whatever other files hold', () => {
    expect(keyOf()).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(keyOf({ files: FILES.toReversed() })).toBe(keyOf());
    expect(withFile('src/main.js', 'b1')).toBe(keyOf());
    expect(withFile('docs/guide/a/b/package.json', 'b1')).toBe(keyOf());
    expect(keyOf({ setup: { ...SETUP, timeout_secs: 5 } })).toBe(keyOf());
  });

  it.each([
    ['another organization', () => keyOf({ organizationId: 'org-2' })],
    ['another repository', () => keyOf({ repository: 'git:https://git.example/a/c' })],
    ['another tier', () => withSpec({ trust_tier: 'read_only' })],
    ['another grant', () => withSpec({ network: GRANT })],
    ['another host, provider or runner', () => keyOf({ environment: 'sha256:other' })],
    ['another image', () => withSpec({ runner_image: 'other' })],
    ['other variables', () => withSpec({ env: { CI: '1' } })],
    [
      'a checkout that may not be changed',
      () => withSpec({ workspace: { ...SPEC.workspace, checkout_mode: 'read_only' } }),
    ],
    ['other commands', () => keyOf({ setup: { ...SETUP, commands: ['npm ci'] } })],
    ['another lock file', () => withFile('package-lock.json', 'b2')],
    ['a manifest that runs something else', () => withFile('package.json', 'b2')],
    ['a manifest further inside', () => withFile('packages/one/pyproject.toml', 'b2')],
    ['settings of a package manager', () => withFile('.cargo/config.toml', 'b2')],
    ['another version of a script that a command names', () => withFile('scripts/prepare.sh', 'b3')],
  ])('is another one for %s', (_what, key) => {
    expect(key()).toMatch(/^sha256:/);
    expect(key()).not.toBe(keyOf());
  });

  it('is the same for two grants of the same targets, whenever they were given', () => {
    const later = { ...GRANT, expires_at: '2031-01-01T00:00:00.000Z' };
    expect(withSpec({ network: GRANT })).toBe(withSpec({ network: later }));
    expect(withSpec({ network: { ...GRANT, variables: { A: 'b' } } })).not.toBe(withSpec({ network: GRANT }));
  });

  it('does not exist where no file says what the project needs', () => {
    expect(keyOf({ files: [{ path: 'README.md', id: 'a' }] })).toBeNull();
    expect(keyOf({ files: [] })).toBeNull();
  });
});
