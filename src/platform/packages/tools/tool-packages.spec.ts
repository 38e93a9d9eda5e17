import { appendFile, chmod, mkdir, mkdtemp, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FrozenBundle } from '../../../domain/run/spec.js';
import { assertToolsInstalled } from './assert-installed.js';
import { installTool, removeTool } from './install-tool.js';
import { readLockFile } from './lock-file.js';
import { RECORD, treeDigest } from '../npm/tree-digest.js';
import { listInstalled, packageFolder } from './tool-folder.js';

const TOOL = { name: '@scope/kb', version: '1.0.0' };
const INSIDE = '/opt/sandgate/tools/@scope/kb/1.0.0';
const bundle = (command: string, ...args: string[]): FrozenBundle[] => [
  {
    id: 'b',
    name: 'kb',
    version: 3,
    definition_digest: 'sha256:0',
    servers: [{ class: 'sandbox', name: 'kb', command, args, tools: [] }],
  },
];

let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sg-tools-'));
  folder = packageFolder(dataDir, TOOL);
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'bin/kb'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(folder, 'program.js'), 'one');
  const record = { ...TOOL, tree_digest: await treeDigest(folder), commands: { kb: 'program.js' } };
  await writeFile(join(folder, RECORD), JSON.stringify(record));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const assert = (...words: [string, ...string[]]): Promise<void> => assertToolsInstalled(dataDir, bundle(...words));

describe('what a run’s bundles name below the tools folder', () => {
  it('is there as it was installed, or is no business of ours', async () => {
    await assert(`${INSIDE}/bin/kb`);
    await assert('node', `${INSIDE}/program.js`);
    await assert('/usr/bin/env', 'kb');
    await assertToolsInstalled(dataDir, undefined);
  });

  it.each([
    [
      '/opt/sandgate/tools/other/1.0.0/bin/x',
      /bundle kb@3 names .* npm:other@1\.0\.0 is not installed .*sandgate tools install npm:other@1\.0\.0/,
    ],
    ['/opt/sandgate/tools/@scope/kb/1.0.1/bin/kb', /npm:@scope\/kb@1\.0\.1 is not installed/],
    [`${INSIDE}/bin/other`, /which npm:@scope\/kb@1\.0\.0 does not have; its commands are kb/],
    [`${INSIDE}/../../../../bin/sh`, /not the path of an installed package/],
    ['/opt/sandgate/tools/kb', /not the path of an installed package/],
  ])('%s is refused with what to do', async (command, reason) => {
    await expect(assert(command)).rejects.toThrow(reason);
  });

  const changes: [string, () => Promise<unknown>][] = [
    ['content', () => appendFile(join(folder, 'program.js'), 'x')],
    ['content of the same size and times', async () => {
      const path = join(folder, 'program.js');
      await writeFile(path, 'two');
      await utimes(path, new Date(0), new Date(0));
    }],
    ['an added file', () => writeFile(join(folder, 'more.js'), '')],
    ['a renamed file', () => rename(join(folder, 'program.js'), join(folder, 'program2.js'))],
    ['a deleted file', () => unlink(join(folder, 'program.js'))],
    ['a mode', () => chmod(join(folder, 'program.js'), 0o755)],
  ]; // prettier-ignore
  it.each(changes)('a change of %s is seen, also after an earlier look', async (_, change) => {
    await assert(`${INSIDE}/bin/kb`);
    await change();
    await expect(assert(`${INSIDE}/bin/kb`)).rejects.toThrow('are not those that were installed');
  });

  it('a link is refused, wherever it leads', async () => {
    await symlink('/etc/passwd', join(folder, 'link'));
    await expect(assert(`${INSIDE}/bin/kb`)).rejects.toThrow('neither a file nor a folder');
  });
});

describe('installed packages', () => {
  it('are listed with their scopes, installed once, and removed whole', async () => {
    expect((await listInstalled(dataDir)).map(({ name, version }) => [name, version])).toEqual([
      ['@scope/kb', '1.0.0'],
    ]);
    // Answered from the record: npm is not asked for what is there.
    expect(await installTool(dataDir, TOOL)).toMatchObject(TOOL);
    expect(await removeTool(dataDir, TOOL)).toBe(true);
    expect(await removeTool(dataDir, TOOL)).toBe(false);
    expect(await listInstalled(dataDir)).toEqual([]);
  });
});

describe('a lock file', () => {
  const lock = (packages: object): string => JSON.stringify({ packages: { '': {}, ...packages } });
  const own = { 'node_modules/@scope/kb': { version: '1.0.0', integrity: 'sha512-x' } };

  it('pins every package by its integrity', () => {
    const text = lock({ ...own, 'node_modules/a': { version: '2.0.0', integrity: 'sha512-y' } });
    expect(readLockFile(text, TOOL)).toEqual({ integrity: 'sha512-x', packages: 2 });
  });

  it.each([
    [
      'a package from a repository',
      { ...own, 'node_modules/a': { version: '1.0.0', resolved: 'git+ssh://x' } },
      'node_modules/a does not come from the registry',
    ],
    [
      'a package from a folder',
      { ...own, 'node_modules/a': { link: true, integrity: 'sha512-y' } },
      'node_modules/a does not come from the registry',
    ],
    [
      'another version',
      { 'node_modules/@scope/kb': { version: '1.0.1', integrity: 'sha512-x' } },
      'npm did not install @scope/kb at version 1.0.0',
    ],
    ['nothing', {}, 'npm did not install'],
  ])('with %s is refused', (_, packages, reason) => {
    expect(() => readLockFile(lock(packages), TOOL)).toThrow(reason);
  });
});
