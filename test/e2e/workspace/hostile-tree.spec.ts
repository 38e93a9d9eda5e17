import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { runConfined as confine } from '../../../src/platform/sandbox/bubblewrap/confined.js';
import type { CollectedDiff } from '../../../src/platform/workspace/index.js';
import { contentOf, git, Stage, UID } from './support.js';

jest.setTimeout(300_000);

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.remove());

const text = (diff: CollectedDiff) => diff.patch.toString('latin1');
const trailer = (diff: CollectedDiff) =>
  text(diff)
    .split('\n')
    .filter((line) => line.startsWith('# '));

describe('a tree that wants to hide something', () => {
  it('ignore files, also deep and global ones, hide no file', async () => {
    await stage.prepare({ kind: 'scratch' });
    stage.act(
      'echo "*" > .gitignore; mkdir deep; echo "*" > deep/.gitignore; echo evil > deep/evil.js; echo "*" > .git/info/exclude; git config core.excludesFile "$PWD/all"; echo "*" > all',
    );
    const diff = await stage.collect();
    for (const name of ['.gitignore', 'deep/.gitignore', 'deep/evil.js', 'all'])
      expect(text(diff)).toContain(`+++ b/${name}\n`);
    expect(contentOf(stage.apply(diff.patch))).toEqual(contentOf(stage.workspaceDir));
  });

  it('a nested repository is in the patch, its own git folder is listed with a digest', async () => {
    await stage.prepare({ kind: 'scratch' });
    stage.act(
      'mkdir lib; echo evil > lib/evil.js; git init -q lib; cd lib; git add -A; git -c user.name=a -c user.email=a@a commit -qm x',
    );
    stage.act(
      'mkdir sub; echo x > sub/x; echo "gitdir: ../../elsewhere" > sub/.git; mkdir -p case/.GIT; echo y > case/.GIT/y; mkdir "git~1"; echo z > "git~1/z"; mkdir ".git "; echo w > ".git /w"',
    );
    const diff = await stage.collect();
    expect(text(diff)).toContain('+++ b/lib/evil.js\n');
    expect(text(diff)).toContain('+++ b/sub/x\n');
    const lines = trailer(diff).join('\n');
    expect(lines).toMatch(/# folder "lib\/\.git\/": nested repository, \d+ files, \d+ bytes, tree sha256:[0-9a-f]{64}/);
    expect(lines).toMatch(/# file "sub\/\.git": nested repository, \d+ bytes, sha256:[0-9a-f]{64}/);
    for (const folder of ['case/.GIT/', 'git~1/', '.git /'])
      expect(lines).toContain(`# folder "${folder}": nested repository, 1 files`);
    stage.apply(diff.patch);
  });

  it('attributes neither mark text as binary nor run a filter, a driver or a text conversion', async () => {
    await stage.prepare({ kind: 'scratch' });
    const witness = join(stage.base, 'roots', 'witness');
    stage.act(
      [
        'echo "* -diff -text filter=evil diff=evil merge=evil working-tree-encoding=UTF-16 ident eol=crlf" > .gitattributes',
        'mkdir -p .git/info; echo "* filter=evil diff=evil" > .git/info/attributes',
        'for key in filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.command diff.evil.textconv core.fsmonitor core.sshCommand core.pager core.editor diff.external gpg.program; do git config $key "sh -c \\"touch $WITNESS\\""; done',
        'git config core.hooksPath "$PWD/hooks"; git config core.worktree /etc; git config extensions.worktreeConfig true; git config core.bare true',
        'mkdir hooks; for hook in pre-commit post-index-change post-checkout reference-transaction fsmonitor-watchman; do printf "#!/bin/sh\\ntouch $WITNESS\\n" > hooks/$hook; chmod +x hooks/$hook; done; cp hooks/* .git/hooks/ 2>/dev/null || { mkdir .git/hooks; cp hooks/* .git/hooks/; }',
        'printf "plain text\\n" > plain.txt',
      ].join('\n'),
      { WITNESS: witness },
    );
    const diff = await stage.collect();
    expect(text(diff)).toContain('+++ b/plain.txt\n@@ -0,0 +1 @@\n+plain text\n');
    expect(existsSync(witness)).toBe(false);
    expect(contentOf(stage.apply(diff.patch))).toEqual(contentOf(stage.workspaceDir));
    // Positive control: the same settings do run when git is called inside the tree.
    mkdirSync(join(stage.base, 'roots'), { recursive: true });
    chmodSync(join(stage.base, 'roots'), 0o777);
    stage.act('git config --unset core.worktree; git config core.bare false; git add -A 2>/dev/null || true', {
      WITNESS: witness,
    });
    expect(existsSync(witness)).toBe(true);
  });

  it('a destroyed, replaced or linked .git changes nothing', async () => {
    for (const script of [
      'rm -rf .git',
      'rm -rf .git; ln -s /etc .git',
      'rm -rf .git; echo "gitdir: /etc" > .git',
      'rm -rf .git; git init -q; git add -A',
      'rm .git/objects -r; ln -s /dev/zero .git/objects',
    ]) {
      await stage.prepare({ kind: 'scratch' });
      stage.act(`echo made > file\n${script}`);
      const diff = await stage.collect();
      expect(text(diff)).toContain('+++ b/file\n');
      expect(contentOf(stage.apply(diff.patch))).toEqual({ file: 'file made\n' });
    }
  });

  it('modes that forbid reading do not hide content', async () => {
    await stage.prepare({ kind: 'scratch' });
    stage.act(
      'mkdir -p locked/in; echo secret > locked/in/f; echo x > top; chmod 0 top locked/in/f; chmod 0 locked/in; chmod 0 locked',
    );
    const diff = await stage.collect();
    expect(text(diff)).toContain('+++ b/locked/in/f\n@@ -0,0 +1 @@\n+secret\n');
    expect(text(diff)).toContain('+++ b/top\n');
    expect(diff.leftOut).toEqual([]);
  });

  it('build products are listed with number of files, bytes and a digest that can be recomputed; tracked files in it are diffed', async () => {
    mkdirSync(join(stage.source, 'node_modules', 'kept'), { recursive: true });
    writeFileSync(join(stage.source, 'node_modules', 'kept', 'index.js'), 'one\n');
    await stage.prepare({ kind: 'local_copy', path: stage.source });
    stage.act(
      'echo two >> node_modules/kept/index.js; mkdir -p node_modules/new target src/__pycache__; echo 1 > node_modules/new/a; printf abc > target/out; printf abcd > src/m.pyc; printf 12 > src/__pycache__/m; mkdir empty.egg-info',
    );
    const diff = await stage.collect();
    expect(text(diff)).toContain('+++ b/node_modules/kept/index.js\n');
    expect(text(diff)).not.toContain('b/node_modules/new');
    const digest = (content: string) => createHash('sha256').update(content).digest();
    const folder = createHash('sha256')
      .update(Buffer.concat([Buffer.from('100000 out\0'), digest('abc')]))
      .digest('hex');
    expect(trailer(diff)).toEqual([
      '# Not part of this patch:',
      expect.stringMatching(/^# folder "node_modules\/": build product, 2 files, 10 bytes, tree sha256:[0-9a-f]{64}$/),
      expect.stringMatching(/^# folder "src\/__pycache__\/": build product, 1 files, 2 bytes, tree sha256:/),
      `# folder "target/": build product, 1 files, 3 bytes, tree sha256:${folder}`,
      `# file "src/m.pyc": build product, 4 bytes, sha256:${digest('abcd').toString('hex')}`,
    ]);
    stage.apply(diff.patch);
  });

  it('with nothing but build products the run changed nothing, and they are still listed', async () => {
    await stage.prepare({ kind: 'scratch' });
    stage.act('mkdir target; echo x > target/x');
    const diff = await stage.collect();
    expect(diff.empty).toBe(true);
    expect(text(diff)).toMatch(/^\(no changes\)\n# Not part of this patch:\n# folder "target\/": build product/);
  });
});

describe('what is no file', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
  });

  it('FIFOs, sockets and devices are skipped by name, also in place of tracked files', async () => {
    writeFileSync(join(stage.source, 'config'), 'x\n');
    await stage.prepare({ kind: 'local_copy', path: stage.source });
    stage.act('rm config; mkfifo config "pi\npe"; echo ok > file');
    server = createServer().listen(join(stage.workspaceDir, 'socket'));
    if (UID !== null) execFileSync('mknod', [join(stage.workspaceDir, 'zero'), 'c', '1', '5']);
    await new Promise((resolve) => server?.once('listening', resolve));
    const diff = await stage.collect();
    expect(text(diff)).toContain('+++ b/file\n');
    expect(text(diff)).toContain('--- a/config\n+++ /dev/null\n');
    const lines = trailer(diff).join('\n');
    expect(lines).toContain(String.raw`# file "pi\012pe": FIFO`);
    expect(lines).toContain('# file "config": FIFO');
    expect(lines).toContain('# file "socket": socket');
    if (UID !== null) expect(lines).toContain('# file "zero": device');
    stage.apply(diff.patch);
  });

  it('links are shown as links and never followed', async () => {
    await stage.prepare({ kind: 'scratch' });
    stage.act(
      'ln -s /etc/shadow up; ln -s ../../../../etc dir; ln -s loop loop; ln -s /proc/self/environ env; ln -s x .gitmodules; mkdir d; ln -s .. d/back',
    );
    const diff = await stage.collect();
    expect(text(diff)).toContain('new file mode 120000');
    expect(text(diff)).toContain('+/etc/shadow\n');
    expect(text(diff)).not.toContain('root:');
    expect(text(diff)).not.toContain('PATH=');
    expect(trailer(diff).join('\n')).toContain('# file ".gitmodules": link that git refuses');
    expect(contentOf(stage.apply(diff.patch))).toMatchObject({ up: 'link /etc/shadow', 'd/back': 'link ..' });
  });
});

describe('a tree that wants to break the collector', () => {
  it('directories 10,000 deep are listed, everything else is diffed, and the tree can be removed', async () => {
    await stage.prepare({ kind: 'scratch' });
    const dig = `for(let i=0;i<10000;i++){fs.mkdirSync('deep-folder');process.chdir('deep-folder');if(i%1000===0)fs.writeFileSync('f','x')}`;
    // Changes its user by itself: the binary may lie where that user cannot reach it.
    const become = UID === null ? '' : `process.setgid(${UID});process.setuid(${UID});`;
    execFileSync(process.execPath, ['-e', `const fs=require('fs');${become}${dig}`], { cwd: stage.workspaceDir });
    stage.act('echo ok > file');
    const diff = await stage.collect();
    expect(text(diff)).toContain('+++ b/file\n');
    expect(text(diff)).toContain('+++ b/deep-folder/f\n');
    expect(trailer(diff).join('\n')).toMatch(
      /# folder "deep-folder\/.*": path too long, 9 files, 9 bytes, tree sha256:[0-9a-f]{64}/,
    );
    stage.apply(diff.patch);
    await stage.prepare({ kind: 'scratch' });
    expect(readdirSync(stage.workspaceDir)).toEqual(['.git']);
  });

  it('huge, sparse and line-ridden files are named with their size and do not stop the diff of the others', async () => {
    writeFileSync(join(stage.source, 'grows.txt'), 'small\n');
    writeFileSync(join(stage.source, 'big.bin'), Buffer.alloc(70 * 1024 * 1024, 7));
    await stage.prepare({ kind: 'local_copy', path: stage.source });
    stage.act(
      'echo ok > file; truncate -s 8T sparse; truncate -s 70M grows.txt; mkdir target; truncate -s 4T target/hole',
    );
    writeFileSync(join(stage.workspaceDir, 'lines'), Buffer.alloc(30 * 1024 * 1024, '\n'));
    const diff = await stage.collect();
    expect(text(diff)).toContain('+++ b/file\n');
    expect(text(diff)).not.toContain('b/big.bin');
    const lines = trailer(diff).join('\n');
    expect(lines).toContain(`# file "sparse": too large, ${8 * 1024 ** 4} bytes`);
    expect(lines).toMatch(/# file "grows\.txt": too large, 73400320 bytes, sha256:[0-9a-f]{64}/);
    expect(lines).toMatch(/# file "lines": too large, 31457280 bytes/);
    expect(lines).toContain(
      '# folder "target/": build product, 1 files, 4398046511104 bytes, at least so many, tree digest not taken',
    );
    stage.act('printf changed | dd of=big.bin conv=notrunc status=none');
    expect(trailer(await stage.collect()).join('\n')).toContain('# file "big.bin": too large');
    truncateSync(join(stage.workspaceDir, 'sparse'), 0);
  });

  it('a patch over 8 MiB is cut, says so, and no longer applies by accident', async () => {
    await stage.prepare({ kind: 'scratch' });
    for (const make of ['head -c 5000000 /dev/urandom', 'head -c 3500000 /dev/urandom | base64']) {
      stage.act(`for i in 1 2 3; do ${make} > big$i; done; mkdir -p target; echo x > target/x`);
      expectCut(await stage.collect());
    }
  });

  function expectCut(diff: CollectedDiff): void {
    expect(diff.truncated).toBe(true);
    expect(diff.patch.length).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(diff.patch.length).toBeGreaterThan(6 * 1024 * 1024);
    expect(trailer(diff)).toContain('# This patch is cut: it is larger than what is kept.');
    expect(trailer(diff).join('\n')).toContain('# folder "target/": build product');
    expect(() => stage.apply(diff.patch)).toThrow(/patch fragment without header|corrupt patch/);
  }

  it('thousands of small things are all there; what is left out beyond 500 entries is counted', async () => {
    await stage.prepare({ kind: 'scratch' });
    stage.act(
      'for i in $(seq 700); do mkfifo p$i; done; mkdir target; echo x > target/x; mkdir many; cd many; for i in $(seq 3000); do echo $i > f$i; done',
    );
    const diff = await stage.collect();
    expect(text(diff).match(/^new file mode/gm)?.length).toBe(3000);
    expect(trailer(diff).join('\n')).toContain('# folder "target/": build product');
    expect(trailer(diff).join('\n')).toContain('# and 200 more entries that are not listed');
  });
});

describe('a diff that cannot be taken is never shown as no changes', () => {
  it('worktree or baseline absent, base commit unreadable, time over', async () => {
    const { baseCommit } = await stage.prepare({ kind: 'scratch' });
    const { collectDiff } = await import('../../../src/platform/workspace/index.js');
    const { workspaceDir, baselineDir } = stage;
    const request = { confine, workspaceDir, baselineDir, baseCommit, uid: UID };
    await expect(collectDiff({ ...request, workspaceDir: `${workspaceDir}-gone` })).rejects.toThrow('worktree_absent');
    await expect(collectDiff({ ...request, baselineDir: `${baselineDir}-gone` })).rejects.toThrow('baseline_absent');
    await expect(collectDiff({ ...request, baseCommit: 'f'.repeat(40) })).rejects.toThrow(/^base commit unreadable/);
    await expect(collectDiff({ ...request, timeoutMs: 1 })).rejects.toThrow('collection_timeout');
    symlinkSync(stage.base, join(stage.base, 'linked'));
    await expect(collectDiff({ ...request, workspaceDir: join(stage.base, 'linked') })).rejects.toThrow(
      'worktree_absent',
    );
    rmSync(join(stage.base, 'linked'));
  });

  it('nothing is left beside the baseline, and the baseline is no part of the workspace', async () => {
    await stage.prepare({ kind: 'scratch' });
    stage.act('echo x > x');
    await stage.collect();
    expect(readdirSync(join(stage.stateDir, 'baselines'))).toEqual(['run.git']);
    expect(git(stage.baselineDir, ['--git-dir=.', 'rev-parse', 'HEAD']).trim()).toHaveLength(40);
  });
});
