import { spawn } from 'node:child_process';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDescriptors, ToolWorkspace } from '../../../test/support/runner/tool-workspace.js';

let bench: ToolWorkspace;

beforeEach(async () => {
  bench = await ToolWorkspace.create();
});
afterEach(() => bench.remove());

describe('Read', () => {
  it('numbers lines and continues where it was told to', async () => {
    await bench.put({ 'a.txt': 'one\ntwo\nthree\n' });
    expect((await bench.run('Read', { file_path: 'a.txt' })).text).toBe('     1\tone\n     2\ttwo\n     3\tthree');
    expect((await bench.run('Read', { file_path: `${bench.path}/a.txt`, offset: 2, limit: 1 })).text).toBe(
      '     2\ttwo\n(1 more lines; continue with offset 3)',
    );
    expect((await bench.run('Read', { file_path: 'a.txt', offset: 9 })).text).toContain('has only 3 lines');
  });

  it('bounds what it returns of long lines and large files', async () => {
    await bench.put({ 'long.txt': `${'x'.repeat(9_000)}\n`.repeat(300) });
    const { text } = await bench.run('Read', { file_path: 'long.txt' });
    expect(text.length).toBeLessThan(70_000);
    expect(text).toContain('(line cut)');
    expect(text).toContain('more lines');
  });

  it.each([
    ['a missing file', 'absent.txt', 'does not exist'],
    ['a folder', 'folder', 'is not a regular file'],
    ['the workspace itself', '.', 'is a directory'],
    ['a file as a folder', 'text.txt/x', 'is not a directory'],
    ['a path outside', '../outside/secret.txt', 'outside the workspace'],
    ['an absolute path outside', '/etc/passwd', 'outside the workspace'],
    ['a home path', '~/x', 'outside the workspace'],
    ['a NUL', 'a\0b', 'NUL'],
    ['a binary file', 'binary', 'binary file'],
    ['text in another encoding', 'latin1', 'not UTF-8'],
  ])('refuses %s', async (_name, filePath, reason) => {
    await bench.put({ 'text.txt': 'x', 'folder/x': 'x', binary: 'a\0b' });
    await writeFile(join(bench.path, 'latin1'), Buffer.from([0x66, 0xe9, 0x0a]));
    const outcome = await bench.run('Read', { file_path: filePath });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain(reason);
  });

  it('does not wait at a named pipe', async () => {
    await bench.run('Bash', { command: 'mkfifo pipe' });
    expect((await bench.run('Read', { file_path: 'pipe' })).text).toContain('not a regular file');
    expect((await bench.run('Write', { file_path: 'pipe', content: 'x' })).text).toContain('not a regular file');
  });
});

describe('Write and Edit', () => {
  it('create folders, replace content and report the real path', async () => {
    const outcome = await bench.run('Write', { file_path: 'a/b/../c/new.txt', content: 'hello' });
    expect(outcome.text).toBe(`wrote 5 bytes to ${bench.path}/a/c/new.txt`);
    await bench.run('Write', { file_path: 'a/c/new.txt', content: 'hi' });
    expect(await readFile(join(bench.path, 'a/c/new.txt'), 'utf8')).toBe('hi');
    await expect(stat(join(bench.path, 'a/b'))).rejects.toThrow();
  });

  it('replace exactly one occurrence, or all when told to, without reading meaning into the text', async () => {
    await bench.put({ 'a.txt': 'x = 1;\nx = 1;\ny = 2;\n' });
    expect((await bench.run('Edit', { file_path: 'a.txt', old_string: 'x = 1', new_string: 'z' })).text).toContain(
      'occurs 2 times',
    );
    expect((await bench.run('Edit', { file_path: 'a.txt', old_string: 'absent', new_string: 'z' })).text).toContain(
      'does not occur',
    );
    await bench.run('Edit', { file_path: 'a.txt', old_string: 'y = 2', new_string: "$& $' $1" });
    await bench.run('Edit', { file_path: 'a.txt', old_string: 'x = 1', new_string: 'z', replace_all: true });
    expect(await readFile(join(bench.path, 'a.txt'), 'utf8')).toBe("z;\nz;\n$& $' $1;\n");
  });

  it('keep the mode of an existing file', async () => {
    await bench.run('Bash', { command: 'echo "echo old" > run.sh; chmod 755 run.sh' });
    await bench.run('Edit', { file_path: 'run.sh', old_string: 'old', new_string: 'new' });
    expect((await stat(join(bench.path, 'run.sh'))).mode & 0o777).toBe(0o755);
  });
});

describe('links', () => {
  beforeEach(async () => {
    await bench.put({ 'real/file.txt': 'inside\n' });
    await symlink(join(bench.outside, 'secret.txt'), join(bench.path, 'link.txt'));
    await symlink(bench.outside, join(bench.path, 'linkdir'));
    await symlink(join(bench.outside, 'new.txt'), join(bench.path, 'dangling.txt'));
    await symlink('real/file.txt', join(bench.path, 'inner.txt'));
  });

  it.each(['link.txt', 'linkdir/secret.txt', 'dangling.txt', 'inner.txt'])(
    'are followed by no file tool: %s',
    async (filePath) => {
      const calls = [
        await bench.run('Read', { file_path: filePath }),
        await bench.run('Write', { file_path: filePath, content: 'changed' }),
        await bench.run('Edit', { file_path: filePath, old_string: 's', new_string: 'x' }),
      ];
      for (const outcome of calls)
        expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining('symbolic link') });
      expect(await readFile(join(bench.outside, 'secret.txt'), 'utf8')).toBe('secret\n');
      expect(await readFile(join(bench.path, 'real/file.txt'), 'utf8')).toBe('inside\n');
      await expect(stat(join(bench.outside, 'new.txt'))).rejects.toThrow();
    },
  );

  it('are neither listed nor searched through', async () => {
    const listed = await bench.run('Glob', { pattern: '**/*.txt' });
    expect(listed.text).toBe(`${bench.path}/real/file.txt`);
    const searched = await bench.run('Grep', { pattern: 'secret|inside' });
    expect(searched.text).toBe(`${bench.path}/real/file.txt:1:inside`);
    expect((await bench.run('Grep', { pattern: 'secret', path: 'linkdir' })).text).toContain('symbolic link');
  });

  it('that are swapped in while a tool works never lead outside', async () => {
    await mkdir(join(bench.path, 'flip'));
    // Another process exchanges a folder and a link to the outside as fast as it can.
    const exchange = 'rm -rf aside; mv -T flip aside; ln -sT "$0" flip; rm -rf flip; mv -T aside flip';
    const swapper = spawn('bash', ['-c', `while :; do ${exchange}; done`, bench.outside], {
      cwd: bench.path,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const before = await openDescriptors();
    let succeeded = 0;
    let refused = 0;
    const deadline = Date.now() + 60_000;
    // Until both sides of the race were really seen.
    while ((succeeded < 50 || refused < 20) && Date.now() < deadline) {
      const written = await bench.run('Write', { file_path: 'flip/secret.txt', content: 'overwritten' });
      const read = await bench.run('Read', { file_path: 'flip/secret.txt' });
      expect(read.text).not.toContain('\tsecret');
      if (!written.isError) succeeded += 1;
      if (written.text.includes('symbolic link') || read.text.includes('symbolic link')) refused += 1;
    }
    // With whatever program it has just started: nobody swaps anything when the folder is removed.
    const closed = new Promise((resolve) => swapper.once('close', resolve));
    process.kill(-(swapper.pid ?? 0), 'SIGKILL');
    swapper.stdout.resume();
    await closed;
    expect(await readFile(join(bench.outside, 'secret.txt'), 'utf8')).toBe('secret\n');
    expect(succeeded).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(await openDescriptors()).toBeLessThanOrEqual(before);
  });
});
