import { describe, expect, it } from '@jest/globals';
import { RE2JS } from 're2js';
import { cpuClock } from '../../../test/support/time/cpu-clock.js';
import { validatePolicy } from './parse-policy.js';
import { MAX_PATTERN_STEPS, patternExpansion } from './pattern-expansion.js';

const withPatterns = (patterns: string[]): string[] =>
  validatePolicy({ name: 'x', tools: [{ match: ['Bash'], action: 'allow', shell: { deny_regex: patterns } }] }).errors;

describe('what patterns expand to', () => {
  it.each([
    ['\\brm\\s+-rf', 0],
    ['a'.repeat(1024), 0],
    ['[;&|<>`]|\\$\\(', 0],
    ['a{1000}', 993],
    ['(?:ab){10}', 10],
    ['(?:(?:a{10}){10}){10}', 979],
    ['(?P<name>a){100}', 84],
    ['(?i)a{10}', 1],
    ['\\p{Greek}{100}', 1586],
    ['[0-9a-f]{64}', 52],
    ['[]{9}]{3}', -1],
    ['x{2,5}', 0],
    ['\\pL{100}', 1592],
    ['{', 0],
    ['a{1,2,3}', 0],
    ['[', 0],
    ['\\', 0],
  ])('%s', (pattern, expected) => {
    expect(patternExpansion(pattern)).toBe(Math.max(0, expected));
  });

  it.each(['a{1000}', '(?:ab){500}', '(?:(?:a{10}){10}){10}', '[0-9a-f]{64}', '(?:a|b{3}){100}'])(
    'is near what the engine compiles: %s',
    (pattern) => {
      const real = RE2JS.compile(pattern).programSize();
      expect(patternExpansion(pattern) + pattern.length).toBeGreaterThan(real / 2);
      expect(patternExpansion(pattern) + pattern.length).toBeLessThan(real * 2);
    },
  );

  it('is bounded for a policy as a whole, so that judging a draft never holds the process for long', () => {
    const bombs = ['a{1000}'.repeat(146), '(?:' + 'a'.repeat(1000) + '){1000}', '\\pL'.repeat(341)];
    for (const bomb of bombs) {
      const spentMs = cpuClock();
      const errors = withPatterns(Array(256).fill(bomb) as string[]);
      expect(errors.join('\n')).toContain(`the limit of ${MAX_PATTERN_STEPS} steps`);
      expect(spentMs()).toBeLessThan(5000);
    }
  });

  it('counts the text of globs too', () => {
    const allow = Array.from({ length: 200 }, (_, i) => '{a,b}'.repeat(100) + i);
    const rule = { match: ['Read'], action: 'allow', paths: { allow } };
    expect(validatePolicy({ name: 'x', tools: Array(3).fill(rule) }).errors).toEqual([]);
    expect(validatePolicy({ name: 'x', tools: Array(5).fill(rule) }).errors.join('\n')).toContain(
      `\`tools[3].paths\`: with \`${allow[197]}`,
    );
  });

  it('leaves room for policies that people write', () => {
    expect(withPatterns(Array(256).fill('\\b(?:[0-9]{1,3}\\.){3}[0-9]{1,3}\\b|[0-9a-f]{40}') as string[])).toEqual([]);
    expect(withPatterns(Array.from({ length: 256 }, (_, i) => 'a'.repeat(1020) + i))).toEqual([]);
  });
});
