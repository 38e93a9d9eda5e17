import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CodeHost } from '../../support/codehost/code-host.js';
import { HOSTILE_REPOSITORIES, LooseRepository } from '../../support/codehost/hostile-repositories.js';
import { contentOf, git, Stage } from './support.js';

jest.setTimeout(120_000);

/** One of each kind in `npm test`, all of them at night. */
const TRIED = HOSTILE_REPOSITORIES.filter(
  (_, index) => process.env['TEST_HOSTILE_REPOSITORIES'] === 'all' || index % 5 === 1,
);
const MIB = 1024 * 1024;

let host: CodeHost;
let stage: Stage;
beforeAll(async () => {
  host = await CodeHost.start();
});
afterAll(() => host?.stop());
beforeEach(() => {
  stage = new Stage();
  stage.maxBytes = 64 * MIB;
  stage.remote = {
    route: (url) => Promise.resolve({ resolve: [`${url.hostname}:${url.port}:127.0.0.1`], proxy: null }),
    authorization: () => Promise.resolve(null),
    authorities: () => host.certificate,
  };
});
afterEach(() => stage.remove());

describe('a repository of a code host that wants to get out, to run something, or to fill a disk', () => {
  it.each(TRIED.map((one, index) => [one.name, index, one] as const))('%s', async (_name, index, hostile) => {
    const repository = `hostile/r${index}`;
    const gitDir = join(host.folder, repository);
    mkdirSync(gitDir, { recursive: true });
    git(gitDir, ['init', '-q', '--bare']);
    hostile.write(new LooseRepository(gitDir));
    const { expected } = hostile;
    host.publicRepositories.add(repository);
    const fetching = stage.prepare(
      { kind: 'git_repository', clone_url: `${host.url()}/${repository}`, checkout_mode: 'writable_copy' },
      [],
    );
    if ('refused' in expected) {
      await expect(fetching).rejects.toMatchObject({ message: expect.stringMatching(expected.refused) as unknown });
      expect(contentOf(stage.workspaceDir)).toEqual({});
    } else {
      const { files } = await fetching;
      expect(contentOf(stage.workspaceDir)).toEqual(expected.files);
      expect(files).toBe(Object.keys(expected.files).length);
      expect((await stage.collect()).patch.toString()).toBe('(no changes)');
    }
    for (const path of ['/tmp/hooked', '/tmp/planted', join(stage.base, 'outside'), '/etc/outside'])
      expect(existsSync(path)).toBe(false);
  });

  it('CP-073 submodules stay empty and LFS files pointers, and the run is told how many', async () => {
    const gitDir = join(host.folder, 'hostile/left-out');
    mkdirSync(gitDir, { recursive: true });
    git(gitDir, ['init', '-q', '--bare']);
    const repository = new LooseRepository(gitDir);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
    repository.publish(
      repository.tree(
        ['100644', '.gitattributes', repository.blob('*.bin filter=lfs diff=lfs merge=lfs -text\n')],
        ['100644', 'a.bin', repository.blob(pointer)],
        ['100644', 'b.bin', repository.blob(pointer)],
        ['160000', 'module', 'a'.repeat(40)],
      ),
    );
    host.publicRepositories.add('hostile/left-out');
    const workspace = { kind: 'git_repository', clone_url: `${host.url()}/hostile/left-out` } as const;
    expect(await stage.prepare({ ...workspace, checkout_mode: 'writable_copy' }, [])).toMatchObject({
      notFetched: { submodules: 1, lfsFiles: 2 },
    });
    expect(contentOf(stage.workspaceDir)['a.bin']).toBe(`file ${pointer}`);
  });
});
