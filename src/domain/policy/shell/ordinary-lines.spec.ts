import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { analyseLine } from './analyse-line.js';

const LINES = JSON.parse(readFileSync('test/support/shell/ordinary-lines.json', 'utf8')) as {
  line: string;
  source: string;
}[];

/** What docs/shell-analysis.md refuses on purpose, however ordinary it is. */
const ON_PURPOSE = [
  'a redirect to a word that is not literal',
  'a shell that reads commands from its input',
  'what the shell runs is not a literal',
  'the name of a program is not a literal',
  'an unquoted expansion may be an operator of `test`',
  'an expansion with more than a plain word in it',
];

describe('ordinary command lines of public projects', () => {
  const problems = LINES.map(({ line }) => analyseLine(line).problem);
  const refused = problems.filter((problem) => problem !== null);

  it('CP-338 are analysable: 460 of 500', () => {
    expect(LINES).toHaveLength(500);
    expect(LINES.length - refused.length).toBeGreaterThanOrEqual(460);
  });

  it('CP-338 are analysable in 98 of 100 cases where they hold nothing that is refused on purpose', () => {
    const others = refused.filter((problem) => !ON_PURPOSE.includes(problem));
    const plain = LINES.length - refused.length + others.length;
    expect(others.length / plain).toBeLessThan(0.02);
  });
});
