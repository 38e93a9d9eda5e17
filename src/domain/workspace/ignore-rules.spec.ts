import { describe, expect, it } from '@jest/globals';
import { IgnoreRules, IncludeGlobs } from './ignore-rules.js';

describe('ignore rules', () => {
  it('the deepest file that says anything decides', () => {
    const rules = IgnoreRules.none.with('', '*.log\nbuild/\n/top\n').with('sub/', '!keep.log\nlocal\n');
    const cases: [string, boolean, boolean][] = [
      ['a.log', false, true],
      ['sub/a.log', false, true],
      ['sub/keep.log', false, false],
      ['keep.log', false, true],
      ['build', true, true],
      ['build', false, false],
      ['sub/build', true, true],
      ['top', false, true],
      ['sub/top', false, false],
      ['sub/local', false, true],
      ['local', false, false],
    ];
    for (const [path, directory, ignored] of cases)
      expect([path, rules.ignores(path, directory)]).toEqual([path, ignored]);
  });
});

describe('include globs', () => {
  it('say which ignored folders are worth entering', () => {
    const globs = new IncludeGlobs(['dist/app/**', '/gen']);
    expect(globs.matches('dist/app/x/y.js')).toBe(true);
    expect(globs.matches('gen/a')).toBe(true);
    expect(globs.matches('dist/other')).toBe(false);
    expect(globs.matches('sub/gen')).toBe(false);
    for (const folder of ['dist', 'dist/app', 'dist/app/x', 'gen'])
      expect([folder, globs.mayMatchBelow(folder)]).toEqual([folder, true]);
    for (const folder of ['dist/other', 'node_modules'])
      expect([folder, globs.mayMatchBelow(folder)]).toEqual([folder, false]);
    expect(new IncludeGlobs(['*.js']).mayMatchBelow('node_modules/deep')).toBe(true);
    expect(new IncludeGlobs([]).mayMatchBelow('node_modules')).toBe(false);
  });
});
