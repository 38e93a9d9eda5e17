import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { termsOf } from '../../../../test/support/gate/session-grants.js';
import { describeGrant, madeUpExamples } from './describe-grant.js';
import { PROGRAMS_WITH_SUBCOMMANDS } from './grants/programs.js';

const STILL_ASK = 'What forces, deletes or reaches further, such as `--force`, still asks.';

describe('the sentence about a grant', () => {
  it.each([
    ['Bash', ['npm install'], `Every \`npm install …\` (npm with the subcommand install). ${STILL_ASK}`],
    ['Bash', ['npx jest'], `Every \`npx jest …\` (npx running jest). ${STILL_ASK}`],
    ['Bash', ['sh deploy.sh'], `Every \`sh deploy.sh …\` (sh running deploy.sh). ${STILL_ASK}`],
    ['Bash', ['grep TODO'], `Every \`grep TODO …\` (grep with the first argument TODO). ${STILL_ASK}`],
    ['Bash', ['ls'], `Every \`ls\` with nothing or a file, an option or a text as its first argument. ${STILL_ASK}`],
    ['Bash', ['make'], `Every \`make\` with nothing or an option as its first argument. ${STILL_ASK}`],
    [
      'Bash',
      ['Write', 'git push', 'npm publish'],
      'Every `git push …` (git with the subcommand push); every `npm publish …` (npm with the subcommand publish); ' +
        `files for which such a line needs \`Write\`, each alone or together in one line. ${STILL_ASK}`,
    ],
    ['Write', ['Write'], 'Every call of `Write`, whatever its input.'],
    ['read', ['read'], 'Every call of `read`, whatever its input.'],
    ['mcp__kb__find', ['mcp__kb__find'], 'Every call of `mcp__kb__find`, whatever its input.'],
  ] as const)('CP-148 of %s %j', (tool, keys, sentence) => {
    expect(describeGrant(tool, keys)).toBe(sentence);
  });
});

describe('examples that are made up', () => {
  it.each([
    ['npm install left-pad', ['npm install', 'npm install --verbose']],
    ['make deploy', ['make deploy', 'make deploy --quiet']],
    ['ls -la', ['ls', 'ls --verbose']],
    ['git push && npm publish', ['git push && npm publish', 'git push --verbose && npm publish --verbose']],
  ])('of %j are %j', (command, examples) => {
    expect(madeUpExamples('Bash', termsOf(command).scope_keys ?? [])).toEqual(examples);
  });

  it('are none for a tool that runs no commands', () => {
    expect(madeUpExamples('Write', ['Write'])).toEqual([]);
  });

  it('CP-148 are covered by the grant that they explain, whatever it is', () => {
    const word = fc.constantFrom(
      'install',
      'run',
      'build',
      'x',
      'deploy',
      'a.sh',
      './a',
      '-v',
      '--',
      'exec',
      'list',
      'TODO',
    );
    const program = fc.constantFrom(...PROGRAMS_WITH_SUBCOMMANDS, 'python', 'sh', 'grep', 'foo', './x');
    const line = fc.tuple(program, fc.array(word, { maxLength: 4 })).map(([name, words]) => [name, ...words].join(' '));
    fc.assert(
      fc.property(line, (command) => {
        const { scope_keys: keys } = termsOf(command);
        for (const example of keys === null ? [] : madeUpExamples('Bash', keys)) {
          expect(termsOf(example).scope_keys).toEqual(keys);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('docs/policies.md', () => {
  it('lists every program with subcommands, and no other', () => {
    const manual = readFileSync(new URL('../../../../docs/policies.md', import.meta.url), 'utf8');
    const listed = /The programs with subcommands: `([^`]+)`/.exec(manual)?.[1]?.split(' ');
    expect(listed).toEqual(PROGRAMS_WITH_SUBCOMMANDS);
  });
});
