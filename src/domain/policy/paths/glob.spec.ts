import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cpuClock } from '../../../../test/support/time/cpu-clock.js';
import { compileGlob } from './glob.js';
import { compilePathGlob, foldSegments, resolvePath } from './path.js';

describe('globs', () => {
  it.each([
    ['**/.env', ['.env', '/.env', 'a/b/.env'], ['prod.env', '.env/x', '.envx']],
    ['/w/**', ['/w/', '/w/a/b'], ['/w', '/wx']],
    ['/a/**/b', ['/a/b', '/a/x/b', '/a/x/y/b'], ['/ab', '/a/xb']],
    ['/w/*.ts', ['/w/a.ts', '/w/a/b.ts', '/w/\n.ts'], ['/w/a.tsx']],
    ['a?c', ['abc', 'a/c'], ['ac', 'aéc']],
    ['a??c', ['aéc'], []],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'Ax']],
    ['[!a]x', ['bx', '/x'], ['ax']],
    ['[^a]x', ['bx'], ['ax']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-]', ['a', '-'], ['b']],
    ['{a,b/{c,d},}x', ['ax', 'b/cx', 'b/dx'], ['x', 'bx']],
    ['a{,}b', ['ab'], ['a,b']],
    ['\\*', ['*'], ['a']],
    ['**', ['', 'a', '/a/b\n'], []],
    ['a**b', ['ab', 'a/x/b'], ['a']],
    ['**/**/x', ['x', '/x', 'a/b/x'], ['yx']],
    ['a/{**/b,c/**}', ['a/b', 'a/x/b', 'a/c/d'], ['a/c']],
    ['a.b', ['a.b'], ['axb']],
    ['a,b', ['a,b'], []],
    ['', [''], ['a']],
    ['A', ['A'], ['a']],
  ])('%s', (glob, hits, misses) => {
    const { matches } = compileGlob(glob);
    expect(hits.filter((path) => !matches(path))).toEqual([]);
    expect(misses.filter(matches)).toEqual([]);
  });

  it.each([
    ['[a', 'opening ['],
    ['{a', 'opening {'],
    ['a}', '} closes nothing'],
    ['[z-a]', 'inverted'],
    ['a\\', 'backslash'],
  ])('refuses %s', (glob, message) => {
    expect(() => compileGlob(glob)).toThrow(message);
  });

  it('is linear where a backtracking engine would not be', () => {
    const glob = compileGlob(`${'*a'.repeat(25)}b`);
    const spentMs = cpuClock();
    expect(glob.matches('a'.repeat(20_000))).toBe(false);
    expect(spentMs()).toBeLessThan(2000);
  });

  it('answers the same as a comparison and, within braces, as an expression', () => {
    const texts = fc.array(fc.constantFrom('**/', '/**', '*', '/', 'a', '.env', 'é', '\ud83d', '\ude00'), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(texts, texts, (globs, paths) => {
        const [glob, path] = [globs.join(''), paths.join('')];
        fc.pre(!/^(?:\*\*\/)+$/.test(glob));
        expect(compileGlob(glob).matches(path)).toBe(compileGlob(`{${glob}}`).matches(path));
      }),
      { numRuns: 2000 },
    );
  });

  it('compiles or refuses any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'*?[]{}\\/,-!^ab.é') }), (glob) => {
        try {
          compileGlob(glob).matches('/a/b');
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect((error as Error).message).toMatch(/opening|closes|inverted|backslash/);
        }
      }),
    );
  });
});

describe('paths', () => {
  it.each([
    ['a', '/workspace/a'],
    ['./a/../b', '/workspace/b'],
    ['../etc/hosts', '/etc/hosts'],
    ['/workspace/../etc', '/etc'],
    ['/../../x', '/x'],
    ['//a///b/', '/a/b/'],
    ['', '/workspace/'],
    ['~/x', null],
    ['$HOME/x', null],
    ['a/${x}', null],
    ['a\0b', null],
  ])('CP-337 %j lands at %j', (text, path) => {
    expect(resolvePath(text).path).toBe(path);
  });

  it('CP-337 goes on matching relative globs, joined or as written', () => {
    expect(compilePathGlob('.env').matches('/workspace/.env')).toBe(true);
    expect(compilePathGlob('./a/../b/*.ts').matches('/workspace/b/x.ts')).toBe(true);
    expect(compilePathGlob('../x/**').matches('/x/y')).toBe(true);
    expect(compilePathGlob('*.pem').matches('/tmp/x.pem')).toBe(true);
    expect(compilePathGlob('{a,/etc}/**').matches('/etc/x')).toBe(true);
    expect(compilePathGlob('/workspace/../etc/**').matches('/etc/x')).toBe(true);
  });

  it('CP-337 folds to a path without dots', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '.', '..', '')), (segments) => {
        const folded = foldSegments(`/${segments.join('/')}`);
        expect(folded).toMatch(/^\/(?:a\/)*a?\/?$/);
        expect(foldSegments(folded)).toBe(folded);
      }),
    );
  });
});
