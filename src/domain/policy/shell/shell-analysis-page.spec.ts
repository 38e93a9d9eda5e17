import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { analyseLine } from './analyse-line.js';
import { readLine } from './language/line-reader.js';

interface Example {
  line: string;
  expected: string[];
}

/** The examples of docs/shell-analysis.md: `$` begins a line, `.` continues it, and what follows is what the gate makes of it. */
function examplesOf(page: string): Example[] {
  const examples: Example[] = [];
  for (const [, block] of page.matchAll(/```console\n([\s\S]*?)```/g)) {
    for (const row of block!.trimEnd().split('\n')) {
      const last = examples.at(-1);
      if (row.startsWith('$ ')) examples.push({ line: row.slice(2), expected: [] });
      else if (last === undefined) throw new Error(`an example begins with ${row}`);
      else if (row.startsWith('.')) last.line += `\n${row.slice(2)}`;
      else last.expected.push(row);
    }
  }
  return examples;
}

/** What the gate makes of a line, as the page writes it. */
function shown(line: string): string[] {
  const { problem, commands, redirects } = analyseLine(line);
  if (problem !== null) return [`! ${problem}`];
  const understood = readLine(line);
  if (typeof understood === 'string') throw new Error(`${line} has no problem, but is not in the language`);
  const lifts = commands.flatMap(({ hazard, unsafeAssignment }) => [
    ...(unsafeAssignment ? ['~ an assignment before it'] : []),
    ...(hazard === null ? [] : [`~ ${hazard.why}`]),
  ]);
  const files = redirects.map(({ access, candidates }) => {
    const names = candidates.map(({ path, text }) => (path === null ? 'a file not known beforehand' : text));
    return `+ ${access}s ${names.join(' or ')}`;
  });
  return [...understood.canonical.split('\n').map((row) => `> ${row}`.trimEnd()), ...files, ...lifts];
}

const EXAMPLES = examplesOf(readFileSync('docs/shell-analysis.md', 'utf8'));

describe('docs/shell-analysis.md', () => {
  it('has examples of what is understood and of what is not', () => {
    const refused = EXAMPLES.filter(({ expected }) => expected[0]?.startsWith('!'));
    expect(EXAMPLES.length).toBeGreaterThan(100);
    expect(refused.length).toBeGreaterThan(15);
    expect(EXAMPLES.every(({ expected }) => expected.length > 0)).toBe(true);
  });

  it.each(EXAMPLES.map(({ line, expected }) => [line, expected] as const))(
    'CP-338 says true of %j',
    (line, expected) => {
      expect(shown(line)).toEqual(expected);
    },
  );
});
