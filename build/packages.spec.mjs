import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const readJson = (name) => JSON.parse(readFileSync(path.join(root, name), 'utf8'));
const manifest = readJson('package.json');
const lock = readJson('package-lock.json');
/** The folders of this tree that are packages themselves; npm locks each with a link to it. */
const WORKSPACES = manifest.workspaces;
const own = (place) => place === '' || WORKSPACES.includes(place) || WORKSPACES.includes(lock.packages[place].resolved);
const packages = Object.entries(lock.packages).filter(([place]) => !own(place));

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
/** The same of a package that stands under another name. */
const EXACT_OF_OTHER = /^npm:(@[\w.-]+\/)?[\w.-]+@(?<version>.+)$/;
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
const AUDITED = process.env['TEST_PACKAGE_AUDIT'] === '1';
/** Of a registry that passes packages on and keeps no advisories. */
const NO_ENDPOINT = new Set([404, 405, 501]);
const NPM_WITHIN_MS = 110_000;

const DRY_INSTALL = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit'];
const BILL = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];

/** A new folder in `parent` with what npm reads of the packages, and none of them. */
function copyOfPackages(parent) {
  // The bill of materials is of the folder's name.
  const folder = path.join(mkdtempSync(path.join(parent, 'copy-')), manifest.name);

  for (const file of [
    'package.json',
    'package-lock.json',
    '.npmrc',
    ...WORKSPACES.map((name) => `${name}/package.json`),
  ]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(folder, file));
  }
  return folder;
}

/** npm with the project's own settings, in a folder that holds nothing but what it needs to know of the packages. */
function npm(folder, ...argv) {
  const env = { ...process.env };
  // Under `npm run`, the folder of the caller would be taken for this one.
  for (const name of ['npm_config_prefix', 'npm_config_local_prefix']) delete env[name];
  // What a caller asked of its own npm (`npm run -s`) would silence this one.
  const { status, error, stdout, stderr } = spawnSync('npm', ['--loglevel=error', ...argv], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: NPM_WITHIN_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

/** `name@version` of a place in the lock; a package may stand at several places. */
const named = ([place, { name, version }]) => `${name ?? place.split('node_modules/').at(-1)}@${version}`;

/** Places of the lock that do not say which content they hold, or that hold what is not a package of a registry. */
function faultsOf(places) {
  const isFaulty = ({ version, integrity, resolved, link, inBundle }) =>
    !EXACT.test(version ?? '') ||
    !SHA512.test(integrity ?? '') ||
    // Without an address a package is that of the registry of whoever installs it; its content is the same.
    !(resolved === undefined || resolved.startsWith('https://')) ||
    link === true ||
    inBundle === true;
  return places.filter(([, entry]) => isFaulty(entry)).map(([place]) => place);
}

/** Where a package at this place finds the one of that name; undefined where nothing has it. */
function resolveFrom(place, name) {
  for (let base = place; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const found = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    if (lock.packages[found] !== undefined) return found;
    if (base === '') return undefined;
  }
}

/** Places of what the control plane needs: all that its own package and those that it has ask for. */
function ofControlPlane() {
  const reached = new Set(['']);
  for (const place of reached) {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      lock.packages[place];
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
    const own = place === '' ? devDependencies : {};
    for (const name of [...Object.keys({ ...dependencies, ...own, ...optionalDependencies }), ...peers]) {
      const found = resolveFrom(place, name);
      if (found !== undefined) reached.add(found);
    }
  }
  return reached;
}

const folder = mkdtempSync(path.join(tmpdir(), 'sg-packages-'));

/** What the registry knows of the packages; asked in the nightly campaign alone. */
const audit = AUDITED ? npm(copyOfPackages(folder), 'audit', '--audit-level=high', '--json') : null;
const report = JSON.parse(audit?.stdout || '{}');
const unasked = NO_ENDPOINT.has(report.statusCode) && `the registry has no audit endpoint: ${report.message}`;

describe('the packages', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('proof 30: come from the lock file alone, which is that of package.json', () => {
    const own = lock.packages[''];
    for (const part of ['dependencies', 'devDependencies']) {
      expect(own[part]).toEqual(manifest[part]);
      const wanted = Object.entries(manifest[part]).map(([name, version]) => [
        name,
        EXACT_OF_OTHER.exec(version)?.groups.version ?? version,
      ]);
      expect(wanted.filter(([, version]) => !EXACT.test(version))).toEqual([]);
    }
    expect(lock.lockfileVersion).toBe(3);
    expect(packages.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
    expect(npm(copyOfPackages(folder), ...DRY_INSTALL)).toMatchObject({ status: 0 });
  });

  it('proof 30: are each one version with one content, from a registry, and run nothing when they are installed', () => {
    expect(faultsOf(packages)).toEqual([]);
    expect(readFileSync(path.join(root, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true');
  });

  it('of documents are none that npm would install for the control plane: a peer that one of its packages can do without', () => {
    const needed = ofControlPlane();
    const taken = [...needed].flatMap((place) =>
      Object.keys(lock.packages[place].peerDependencies ?? {})
        .map((name) => resolveFrom(place, name))
        .filter((found) => found !== undefined && !needed.has(found))
        .map((found) => `${place} would bring ${found}`),
    );
    expect(taken).toEqual([]);
  });

  it('proof 30: that are installed are those of the lock file', () => {
    const installed = Object.entries(readJson('node_modules/.package-lock.json').packages);
    expect(installed.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
    const foreign = installed.filter(([place, { version, integrity }]) => {
      const locked = lock.packages[place];
      return locked?.version !== version || locked.integrity !== integrity;
    });
    expect(foreign.map(([place]) => place)).toEqual([]);
  });

  it.each([
    ['a range', { version: '^1.0.0' }],
    ['no content', { integrity: undefined }],
    ['a weak digest', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
    ['a repository', { resolved: 'git+ssh://git@example.com/pg.git#0123456' }],
    ['a folder', { link: true }],
    ['a part of another package', { inBundle: true }],
  ])('proof 30: a place of the lock file that names %s is a fault', (_what, change) => {
    const [place, entry] = packages.find(([found]) => found === 'node_modules/pg');
    expect(faultsOf([[place, { ...entry, ...change }]])).toEqual(['node_modules/pg']);
  });

  it('proof 30: a dependency that the lock file does not have is refused', () => {
    const other = copyOfPackages(folder);
    // A folder, of which npm asks no registry.
    mkdirSync(path.join(other, 'own'));
    writeFileSync(path.join(other, 'own', 'package.json'), JSON.stringify({ name: 'unlocked', version: '0.0.1' }));
    const changed = { ...manifest, dependencies: { ...manifest.dependencies, unlocked: 'file:own' } };
    writeFileSync(path.join(other, 'package.json'), JSON.stringify(changed));
    const { status, stderr } = npm(other, ...DRY_INSTALL);
    expect(status).not.toBe(0);
    expect(stderr).toContain('Missing: unlocked@');
  });

  it('proof 30: are all named by the bill of materials, each with its content', () => {
    const { status, stdout, stderr } = npm(copyOfPackages(folder), ...BILL);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const bill = JSON.parse(stdout);
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: expect.stringMatching(/^1\.\d$/),
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
      version: 1,
      metadata: { component: { name: manifest.name, version: manifest.version } },
    });
    const ours = WORKSPACES.map((name) => readJson(`${name}/package.json`)).map(
      (one) => `pkg:npm/${one.name}@${one.version}`,
    );
    const components = bill.components.filter(({ purl }) => !ours.includes(purl));
    expect(bill.components.length - components.length).toBe(WORKSPACES.length);
    const listed = components.map(({ purl, hashes }) => [decodeURIComponent(purl), contentOf(hashes)]);
    const locked = packages.map((entry) => [`pkg:npm/${named(entry)}`, entry[1].integrity]);
    expect(new Map(listed.toSorted())).toEqual(new Map(locked.toSorted()));
    const refs = bill.components.map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    const known = new Set([...refs, bill.metadata.component['bom-ref']]);
    const links = bill.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
    expect(links.filter((ref) => !known.has(ref))).toEqual([]);
  });

  if (!AUDITED) return;
  const known = `proof 30: hold nothing that is known to be high or critical${unasked ? ` (${unasked})` : ''}`;
  (unasked ? it.skip : it)(known, () => {
    // A registry that cannot be reached is no pass.
    expect({ unanswered: report.message ?? null, stderr: audit.stderr }).toMatchObject({ unanswered: null });
    expect(report.metadata?.dependencies?.total).toBeGreaterThan(0);
    const { high, critical } = report.metadata.vulnerabilities;
    expect({ status: audit.status, high, critical, found: Object.keys(report.vulnerabilities) }).toMatchObject({
      status: 0,
      high: 0,
      critical: 0,
    });
  });
});

/** The SHA-512 of a component, as the lock file writes it. */
function contentOf(hashes) {
  const hex = hashes.find(({ alg }) => alg === 'SHA-512')?.content ?? '';
  return `sha512-${Buffer.from(hex, 'hex').toString('base64')}`;
}
