import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PackageRegistry } from '../../../../test/support/packages/package-registry.js';
import { digestOfText } from '../../../domain/digest/digest.js';
import { PROGRAM_HARNESSES } from '../../../domain/harness/harness-program.js';
import { placeFolder, removePlaced } from '../npm/placed-folder.js';
import { treeDigest } from '../npm/tree-digest.js';
import { CLOSED_PROGRAMS } from './closed-programs.js';
import { copyProgram } from './copy-program.js';
import { installProgram, removeProgram } from './install-program.js';
import { findInstalled, listInstalledPrograms, programFolder, requireProgram } from './installed-program.js';
import { lockedPackages, readPinned, type PinnedProgram } from './pinned-program.js';

const SETTINGS = ['npm_config_registry', 'npm_config_cache', 'npm_config_fetch_retries'];
const saved = SETTINGS.map((name) => [name, process.env[name]] as const);

let base: string;
let dataDir: string;
let registry: PackageRegistry;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sg-programs-'));
  dataDir = join(base, 'data');
  registry = await PackageRegistry.start();
  process.env['npm_config_registry'] = registry.url;
  process.env['npm_config_cache'] = join(base, 'cache');
  process.env['npm_config_fetch_retries'] = '0';
});
afterEach(async () => {
  for (const [name, value] of saved) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await registry[Symbol.asyncDispose]();
  await rm(base, { recursive: true, force: true });
});

const NATIVE = `agent-${process.platform}-${process.arch}`;
const OTHER = 'agent-aix-ppc64';

/** The same program by another lock file. */
function repin(pinned: PinnedProgram): PinnedProgram {
  const lock = `${pinned.lock}\n`;
  return { ...pinned, lock, lockDigest: digestOfText(lock) };
}

/** An agent program as they are published: a small package, and one with the binary for each platform. */
function publish(): PinnedProgram {
  const optionalDependencies = { [NATIVE]: '2.0.0', [OTHER]: '2.0.0' };
  const places = {
    agent: {
      integrity: registry.publish({ name: 'agent', version: '2.0.0', files: {}, more: { optionalDependencies } }),
      optionalDependencies,
    },
    [NATIVE]: {
      integrity: registry.publish({ name: NATIVE, version: '2.0.0', files: { 'bin/agent': 'the program' } }),
      os: [process.platform],
      cpu: [process.arch],
      optional: true,
    },
    [OTHER]: {
      integrity: registry.publish({ name: OTHER, version: '2.0.0', files: {} }),
      os: ['aix'],
      cpu: ['ppc64'],
      optional: true,
    },
  };
  const dependencies = { agent: '2.0.0' };
  const packages = Object.fromEntries(
    Object.entries(places).map(([name, entry]) => [`node_modules/${name}`, { version: '2.0.0', ...entry }]),
  );
  const lock = JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies }, ...packages } });
  return {
    harness: 'codex',
    package: 'agent',
    version: '2.0.0',
    manifest: JSON.stringify({ private: true, dependencies }),
    lock,
    lockDigest: digestOfText(lock),
  };
}

/** What is in the state folder when nothing was installed. */
const leftovers = async (): Promise<string[]> =>
  (await listInstalledPrograms(dataDir))
    .map((one) => one.version)
    .concat((await readdir(dataDir)).filter((name) => name !== 'harnesses'));

describe('the program of a harness', () => {
  it('is installed whole with what this platform needs, once, and removed', async () => {
    const pinned = publish();
    const installed = await installProgram(dataDir, pinned);
    expect(installed).toMatchObject({ harness: 'codex', package: 'agent', version: '2.0.0', packages: 2 });
    expect(installed.bytes).toBeGreaterThan('the program'.length);
    const folder = programFolder(dataDir, pinned);
    expect(await readFile(join(folder, 'node_modules', NATIVE, 'bin/agent'), 'utf8')).toBe('the program');
    expect(await readdir(join(folder, 'node_modules'))).not.toContain(OTHER);
    const asked = registry.served.length;
    expect(await installProgram(dataDir, pinned)).toEqual(installed);
    expect(registry.served).toHaveLength(asked);
    expect(await leftovers()).toEqual(['2.0.0']);
    expect(await removeProgram(dataDir, 'codex')).toHaveLength(1);
    expect(await leftovers()).toEqual([]);
  });

  it('is the same one after two installations at once', async () => {
    const pinned = publish();
    const [first, second] = await Promise.all([installProgram(dataDir, pinned), installProgram(dataDir, pinned)]);
    expect(first.tree_digest).toBe(second.tree_digest);
    expect(await leftovers()).toEqual(['2.0.0']);
    expect(await findInstalled(dataDir, pinned)).toMatchObject({ tree_digest: first.tree_digest });
  });

  it.each([
    ['other bytes than those pinned', (archive: Buffer) => Buffer.concat([archive, Buffer.from('x')])],
    ['half of the archive', (archive: Buffer) => archive.subarray(0, archive.length / 2)],
  ])('is not installed from %s', async (_, damage) => {
    const pinned = publish();
    registry.damage = damage;
    await expect(installProgram(dataDir, pinned)).rejects.toThrow(/whose digest was recorded|could not/);
    expect(await leftovers()).toEqual([]);
  });

  it('is not installed when the optional binary alone cannot be had', async () => {
    const pinned = publish();
    let archives = 0;
    registry.damage = (archive) => {
      archives += 1;
      return registry.served.at(-1)?.startsWith(NATIVE) === true ? Buffer.from('no archive') : archive;
    };
    await expect(installProgram(dataDir, pinned)).rejects.toThrow(/could not|whose digest was recorded/);
    expect(archives).toBeGreaterThan(0);
    expect(await leftovers()).toEqual([]);
  });

  it('says in one sentence that the registry cannot be reached', async () => {
    const pinned = publish();
    process.env['npm_config_registry'] = 'http://127.0.0.1:9/';
    await expect(installProgram(dataDir, pinned)).rejects.toThrow(
      "npm could not install it: the package registry cannot be reached; connect this machine, or name another registry in npm's settings",
    );
  });

  it('is installed anew where its record is damaged', async () => {
    const pinned = publish();
    await installProgram(dataDir, pinned);
    await writeFile(join(programFolder(dataDir, pinned), 'sandgate.json'), '{"harness":');
    expect(await findInstalled(dataDir, pinned)).toBeNull();
    await installProgram(dataDir, pinned);
    expect(await findInstalled(dataDir, pinned)).not.toBeNull();
  });

  it('is shared with another data folder without fetching it again', async () => {
    const pinned = publish();
    const installed = await installProgram(dataDir, pinned);
    const asked = registry.served.length;
    const other = join(base, 'other');
    for (let time = 0; time < 2; time += 1) expect(await copyProgram(dataDir, other, pinned)).toEqual(installed);
    expect(await treeDigest(programFolder(other, pinned))).toBe(installed.tree_digest);
    expect(registry.served).toHaveLength(asked);
  });

  it('takes the place of one that another lock file put into the other data folder', async () => {
    const pinned = publish();
    const other = join(base, 'other');
    await installProgram(other, repin(pinned));
    const installed = await installProgram(dataDir, pinned);
    expect(await copyProgram(dataDir, other, pinned)).toEqual(installed);
    expect(await findInstalled(other, pinned)).toEqual(installed);
  });

  it('is removed once by several who remove it at once', async () => {
    const pinned = publish();
    await installProgram(dataDir, pinned);
    const folder = programFolder(dataDir, pinned);
    const removals = await Promise.all(Array.from({ length: 8 }, () => removePlaced(dataDir, folder)));
    expect(removals.filter(Boolean)).toHaveLength(1);
    expect(await leftovers()).toEqual([]);
  });

  it('is replaced when the same version is pinned by another lock file', async () => {
    const pinned = publish();
    await installProgram(dataDir, pinned);
    const repinned = repin(pinned);
    expect(await findInstalled(dataDir, repinned)).toBeNull();
    await installProgram(dataDir, repinned);
    expect(await findInstalled(dataDir, repinned)).not.toBeNull();
  });
});

describe('the program that a run needs', () => {
  it('is none for a harness that is part of Sandgate', async () => {
    expect(await requireProgram(dataDir, 'builtin')).toBeNull();
  });

  it('is named with the command that installs it where it is missing, and with what to do when it was changed', async () => {
    await expect(requireProgram(dataDir, 'codex')).rejects.toThrow(
      /^the run cannot start: @openai\/codex [0-9.]+, the program of harness codex, is not installed on the host of the sandbox: run `sandgate harness install codex` there/,
    );
    const { version, lockDigest } = await readPinned('codex');
    const folder = programFolder(dataDir, { harness: 'codex', version });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'program'), 'x');
    const record = { harness: 'codex', version, lock_digest: lockDigest, tree_digest: await treeDigest(folder) };
    await writeFile(join(folder, 'sandgate.json'), JSON.stringify(record));
    expect(await requireProgram(dataDir, 'codex')).toBe(folder);
    await appendFile(join(folder, 'program'), 'y');
    await expect(requireProgram(dataDir, 'codex')).rejects.toThrow('sandgate harness remove codex');
  });
});

it('a program is executable for everybody and readable for its owner alone', async () => {
  const modeUnder = async (folder: string): Promise<string> =>
    ((await stat(join(folder, 'node_modules/@openai/codex-any/vendor/any/bin/codex'))).mode & 0o777).toString(8);
  const fill = async (folder: string): Promise<void> => {
    await mkdir(join(folder, 'node_modules/@openai/codex-any/vendor/any/bin'), { recursive: true });
    for (const name of ['codex', 'other'])
      await writeFile(join(folder, 'node_modules/@openai/codex-any/vendor/any/bin', name), '', { mode: 0o700 });
  };
  const target = join(dataDir, 'harnesses/codex/1');
  await placeFolder(dataDir, target, fill, CLOSED_PROGRAMS.codex);
  expect(await modeUnder(target)).toBe('711');
  const other = await stat(join(target, 'node_modules/@openai/codex-any/vendor/any/bin/other'));
  expect((other.mode & 0o777).toString(8)).toBe('755');
});

describe('the pinned programs of this repository', () => {
  it.each(PROGRAM_HARNESSES)(
    '%s is pinned by sha512 for both architectures, and names no registry',
    async (harness) => {
      const pinned = await readPinned(harness);
      expect(pinned.lock).not.toContain('"resolved"');
      const packages = [...lockedPackages(pinned).values()];
      for (const cpu of ['x64', 'arm64'])
        expect(packages.some((entry) => JSON.stringify([entry.os, entry.cpu]) === `[["linux"],["${cpu}"]]`)).toBe(true);
    },
  );
});
