import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { plainConfine } from '../../test/support/sandbox/plain-confine.js';
import { extractArchive } from '../platform/archive/extract.js';
import { copyFolder } from '../platform/workspace/copy-folder.js';
import { uploadRules } from '../platform/workspace/unpacker/upload-rules.js';
import { packWorkspace } from './pack-workspace.js';

describe('packing a folder', () => {
  let place: string;
  let folder: string;

  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'sandgate-packing-'));
    folder = join(place, 'project');
    await mkdir(folder);
  });
  afterEach(() => rm(place, { recursive: true }));

  const write = async (name: string | Buffer, content = 'x'): Promise<void> => {
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
    await mkdir(dirname(path.toString('latin1')), { recursive: true });
    await writeFile(path, content);
  };
  const git = (...argv: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...argv], { cwd: folder })
      .toString()
      .trim();
  const pack = (include: string[] = []) => packWorkspace({ folder, include, stateDir: join(folder, 'state') });

  const unpacked = async (path: string): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    const target = {
      folder: (name: string) => void (found[`${name}/`] = ''),
      file: async (name: string, content: AsyncIterable<Buffer>, executable: boolean) => {
        found[name] = `${executable ? 'x ' : ''}${(await buffer(content)).toString()}`;
      },
      links: (all: readonly { path: string; target: string }[]) => {
        for (const link of all) found[link.path] = `-> ${link.target}`;
        return Promise.resolve(all.length);
      },
    };
    await extractArchive(createReadStream(path) as AsyncIterable<Buffer>, target, uploadRules(1024 ** 3));
    return found;
  };

  const copied = async (include: string[]): Promise<Record<string, string>> => {
    const [workspaceDir, scratch] = [join(place, 'copy'), join(place, 'scratch')];
    await mkdir(workspaceDir);
    await mkdir(scratch);
    const on = { confine: plainConfine, uid: null, scratch, readOnly: [], readWrite: [], until: Date.now() + 60_000 };
    await copyFolder(on, { path: folder, include, roots: ['/'], stateDir: join(folder, 'state'), workspaceDir });
    const found: Record<string, string> = {};
    for (const entry of await readdir(workspaceDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(workspaceDir.length + 1);
      if (entry.isDirectory()) found[`${name}/`] = '';
      else if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(path)}`;
      else found[name] = `${((await stat(path)).mode & 0o100) === 0 ? '' : 'x '}${await readFile(path, 'utf8')}`;
    }
    return found;
  };

  it('takes what a copy on the server would take, and says where it starts from', async () => {
    git('init', '-q');
    await write('.gitignore', '*.log\nbuild/\n');
    await write('tracked.log', 'kept');
    await write('src/a.ts');
    await write('bin/run', '#!/bin/sh\n');
    await chmod(join(folder, 'bin/run'), 0o755);
    git('add', '-f', '.');
    git('commit', '-qm', 'base');
    await write('ignored.log');
    await write('build/out.js');
    await write('build/wanted.map');
    await write('new.txt', 'new');
    await write('.env', 'SECRET=1');
    await write('state/secrets', 'never');
    await write('nested/.git/config', '');
    await write('nested/file');
    await symlink('src/a.ts', join(folder, 'inside'));
    await symlink('/etc/passwd', join(folder, 'outside'));
    const include = ['build/*.map'];

    await using packed = await pack(include);
    const found = await unpacked(packed.path);
    expect(found).toEqual(await copied(include));
    expect(found).toMatchObject({
      'tracked.log': 'kept',
      'bin/run': 'x #!/bin/sh\n',
      'new.txt': 'new',
      'build/wanted.map': 'x',
      'nested/file': 'x',
      inside: '-> src/a.ts',
    });
    for (const name of ['ignored.log', 'build/out.js', '.env', 'state/secrets', 'outside', 'nested/.git/config'])
      expect(found[name]).toBeUndefined();
    expect(packed).toMatchObject({ files: 8, leftOut: 3, baseCommit: git('rev-parse', 'HEAD') });
    expect(packed.bytes).toBe((await stat(packed.path)).size);
  });

  it('leaves out names that an archive cannot carry, and counts them', async () => {
    await write('plain');
    await write(Buffer.from([0x62, 0xff]));
    await symlink(Buffer.from([0x63, 0xfe]), join(folder, 'link'));
    await using packed = await pack();
    expect(await unpacked(packed.path)).toEqual({ plain: 'x' });
    expect(packed).toMatchObject({ files: 1, leftOut: 2, baseCommit: null });
  });

  it('leaves no file behind, whether it is used or fails', async () => {
    await write('a');
    const packed = await pack();
    await packed[Symbol.asyncDispose]();
    await expect(stat(packed.path)).rejects.toMatchObject({ code: 'ENOENT' });
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('sandgate-pack-'));
    const missing = packWorkspace({ folder: join(folder, 'none'), include: [], stateDir: place });
    await expect(missing).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('sandgate-pack-'))).toEqual(before);
  });
});
