import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../test/support/time/cpu-clock.js';
import { openDescriptors, ToolWorkspace } from '../../../test/support/runner/tool-workspace.js';
import { compileGlob } from './glob-pattern.js';

let bench: ToolWorkspace;

beforeEach(async () => {
  bench = await ToolWorkspace.create();
});
afterEach(() => bench.remove());

describe('path patterns', () => {
  it.each([
    ['*.ts', ['a.ts', 'x/y/b.ts'], ['a.tsx', 'ts']],
    ['src/*.ts', ['src/a.ts'], ['src/x/a.ts', 'a.ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['lib/src/a.ts']],
    ['**/test/**', ['test/a', 'x/test/y/z'], ['tests/a']],
    ['{a,b}/?.j[st]', ['a/x.js', 'b/y.jt'], ['c/x.js', 'a/xx.js']],
    ['[!a]*.md', ['b.md'], ['a.md']],
    ['a.b', ['a.b', 'x/a.b'], ['axb']],
    ['./src/*', ['src/a'], ['a']],
    ['we(ird)+$', ['we(ird)+$'], ['weirdird']],
    ['{open', ['{open'], ['open']],
  ])('%s', (pattern, matching, others) => {
    const matches = compileGlob(pattern);
    for (const name of matching) expect([name, matches(name)]).toEqual([name, true]);
    for (const name of others) expect([name, matches(name)]).toEqual([name, false]);
  });

  it.each(['/etc/*', '../*', 'a/../../b', 'x'.repeat(2_000)])('refuses %.20s', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow();
  });

  it('stays fast on a pattern made to explode', () => {
    const matches = compileGlob('*a'.repeat(40) + 'b');
    const spentMs = cpuClock();
    expect(matches('a'.repeat(5_000))).toBe(false);
    expect(spentMs()).toBeLessThan(1_000);
  });
});

describe('Glob', () => {
  it('lists files by name and passes over version control and packages unless they are named', async () => {
    await bench.put({ 'b.js': '', 'a/c.js': '', '.git/hook.js': '', 'node_modules/p/i.js': '' });
    expect((await bench.run('Glob', { pattern: '**/*.js' })).text).toBe(`${bench.path}/a/c.js\n${bench.path}/b.js`);
    expect((await bench.run('Glob', { pattern: 'node_modules/**/*.js' })).text).toBe(
      `${bench.path}/node_modules/p/i.js`,
    );
    expect((await bench.run('Glob', { pattern: '*.js', path: 'a' })).text).toBe(`${bench.path}/a/c.js`);
    expect((await bench.run('Glob', { pattern: '*.rs' })).text).toBe('no file matches');
    expect((await bench.run('Glob', { pattern: '*', path: '../outside' })).isError).toBe(true);
  });

  it('is bounded in results and in depth, and says so', async () => {
    await bench.run('Bash', {
      command: 'for i in $(seq 1100); do : > f$i; done; d=.; for i in $(seq 80); do d=$d/d; done; mkdir -p $d',
    });
    const before = await openDescriptors();
    const many = await bench.run('Glob', { pattern: 'f*' });
    expect(many.text.split('\n')).toHaveLength(1_001);
    expect(many.text).toContain('not complete');
    expect((await bench.run('Glob', { pattern: 'z*' })).text).toContain('the depth limit of 64');
    expect(await openDescriptors()).toBeLessThanOrEqual(before);
  });
});

describe('Grep', () => {
  it('finds lines in a tree, in one file and in chosen files', async () => {
    await bench.put({ 'a.ts': 'const x = 1;\nlet y = 2;\n', 'lib/b.md': 'const is a word\n', 'bin.dat': 'const\0' });
    const all = await bench.run('Grep', { pattern: '\\bconst\\b' });
    expect(all.text).toBe(
      `${bench.path}/a.ts:1:const x = 1;\n${bench.path}/lib/b.md:1:const is a word\n(1 binary or large files skipped)`,
    );
    expect((await bench.run('Grep', { pattern: 'CONST', case_insensitive: true, glob: '*.md' })).text).toBe(
      `${bench.path}/lib/b.md:1:const is a word`,
    );
    expect((await bench.run('Grep', { pattern: 'y', path: 'a.ts' })).text).toBe(`${bench.path}/a.ts:2:let y = 2;`);
    expect((await bench.run('Grep', { pattern: '=', files_only: true, glob: '*.ts' })).text).toBe(`${bench.path}/a.ts`);
    expect((await bench.run('Grep', { pattern: 'absent', glob: '*.ts' })).text).toBe('no line matches');
  });

  it('refuses a pattern that it cannot read, and one that would need back-tracking', async () => {
    expect((await bench.run('Grep', { pattern: '(' })).text).toContain('cannot be read');
    expect((await bench.run('Grep', { pattern: '(a)\\1' })).text).toContain('cannot be read');
  });

  it('bounds its answer, and stays fast on a pattern made to explode', async () => {
    await bench.put({ 'many.txt': 'needle\n'.repeat(5_000), 'evil.txt': `${'a'.repeat(100_000)}\n` });
    const many = await bench.run('Grep', { pattern: 'needle' });
    expect(many.text.split('\n')).toHaveLength(251);
    expect(many.text).toContain('the limit of 250 lines');
    const spentMs = cpuClock();
    await bench.run('Grep', { pattern: '(a+)+$b', path: 'evil.txt' });
    expect(spentMs()).toBeLessThan(5_000);
  });
});
