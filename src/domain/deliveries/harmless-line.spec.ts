import { describe, expect, it } from '@jest/globals';
import { harmlessLine } from './harmless-line.js';
import { summaryForPage } from './summary-for-page.js';

/** With what nobody sees made visible. */
const shown = (line: string): string => harmlessLine(line).replaceAll('\u200b', '·');

describe('a line of a summary', () => {
  it.each([
    ['@octocat and (@acme/team), **@octocat**', '@·octocat and (@·acme/team), **@·octocat**'],
    ['\\@octocat &#64;octocat &commat;octocat', '\\@·octocat &amp;#·64;octocat &amp;commat;octocat'],
    ['a@b.co@octocat', 'a@·b.co@·octocat'],
    ['a ` b @octocat', 'a \\` b @·octocat'],
    ['| `a | @octocat` |', '| `a | @·octocat` |'],
  ])('CP-110 mentions nobody: %s', (line, expected) => {
    expect(shown(line)).toBe(expected);
  });

  it.each([
    ['Fixes #1, !2, GH-3 and acme/app#4', 'Fixes #·1, !·2, GH-·3 and acme/app#·4'],
    ['\\#1 GH\\-3 _gh-3_ #&#49; &num;1', '\\#·1 GH\\-·3 _gh-·3_ #&amp;#·49; &amp;num;1'],
    ['https://github.com/acme/app/issues/12', 'https://github.com/acme/app/issues/%312'],
    ['[a](https://git.example/acme/app/pulls/3?x#4) b', '[a](https://git.example/acme/app/pulls/%33?x#%34) b'],
    ['www.github.com/acme/app/pull/3', 'www.github.com/acme/app/pull/%33'],
    ['[a](/acme/app/issues\\/1)', '[a](/acme/app/issues\\/%31)'],
  ])('CP-110 links no issue: %s', (line, expected) => {
    expect(shown(line)).toBe(expected);
  });

  it.each([
    '## A heading, and # 1',
    '`@types/node` and ``a ` #1``, `https://github.com/acme/app/issues/1`',
    'C# at &lt;5 &amp; &quot;6&quot;, x && y; 7!',
    'https://docs.example/a?b=1&copy=2#section and 0123456789abcdef',
  ])('otherwise stays as it is: %s', (line) => {
    expect(harmlessLine(line)).toBe(line);
  });

  it('an address with an @ leads where it did', () => {
    expect(harmlessLine('https://www.npmjs.com/package/@types/node')).toBe(
      'https://www.npmjs.com/package/%40types/node',
    );
  });

  it('in a code block stays as it is, unless the block may be a paragraph', () => {
    expect(summaryForPage('```\n@octocat #1\n```')).toBe('```\n@octocat #1\n```');
    expect(summaryForPage('a\n    ~~~\n    @octocat\n    ~~~')).toBe('a\n    ~~~\n    @\u200boctocat\n    ~~~');
  });
});
