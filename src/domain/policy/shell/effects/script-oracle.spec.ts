import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { awkRefusal } from './awk-program.js';
import { readSedScript } from './sed-script.js';

/** Scripts of each language that are run; the nightly campaign runs 10,000. */
const SCRIPTS = Number(process.env['SANDGATE_ORACLE_SCRIPTS'] ?? 200);
const AWKS = [['mawk'], ['gawk'], ['original-awk'], ['busybox', 'awk']].filter(([name]) => {
  return spawnSync('/bin/sh', ['-c', `command -v ${name!}`]).status === 0;
});

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'script-oracle-'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/id'), `#!/bin/sh\n: > ${root}/work/ran\n`, { mode: 0o755 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The names of the files that are there after the program ran, beside its input. */
function made(command: readonly string[]): string[] {
  const work = join(root, 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  writeFileSync(join(work, 'in'), 'a/b "c"\nid\n');
  const [program, ...args] = command;
  spawnSync(program!, args, {
    cwd: work,
    env: { PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`, LC_ALL: 'C.UTF-8' },
    timeout: 2000,
    killSignal: 'SIGKILL',
    stdio: 'ignore',
  });
  return readdirSync(work).filter((name) => name !== 'in');
}

const pick = (...pieces: string[]): fc.Arbitrary<string> => fc.constantFrom(...pieces);
/** Changes a well-formed script in up to two places, so that quotes, slashes and brackets shift against each other. */
function shifted(script: fc.Arbitrary<string>, characters: string[]): fc.Arbitrary<string> {
  const change = fc.tuple(fc.nat(), fc.nat(1), pick(...characters, ''));
  return fc.tuple(script, fc.array(change, { maxLength: 2 })).map(([text, changes]) =>
    changes.reduce((now, [at, cut, put]) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + put + now.slice(place + cut);
    }, text),
  );
}

// prettier-ignore
const AWK_HIDDEN = pick('/; print 1 > "f" #', 'system("id")', '" ; system("id") ; "', '} BEGIN { print > "f" }', '| "id"', '[/]', '[^/]', '\\/', '\\"', ']', '[', '#', 'a', '=', '[[:alpha:]]', '\n');
const awkHidden = fc.array(AWK_HIDDEN, { maxLength: 3 }).map((parts) => parts.join(''));
// prettier-ignore
const awkValue = fc.oneof(
  pick('x', '1', '$1', 'NF', '(x)', 'length', 'a[1]', 'x++', '++x', 'length($0)', '1.5', '!x'),
  awkHidden.map((text) => `"${text}"`),
  awkHidden.map((text) => `/${text}/`),
);
const awkExpression = fc
  .array(fc.tuple(awkValue, pick(' / ', '/', ' ', ' ~ ', ', ', ' && ', '\n', ' /= ', ' ? 1 : ', ' in ')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.map(([value, joint], i) => (i === parts.length - 1 ? value : value + joint)).join(''));
const awkStatement = fc
  .tuple(
    pick('x = ', 'print ', 'if (x) ', 'if (x)\n', 'return ', 'y ', 'while (x-- > 1) print ', 'do ', 'else '),
    awkExpression,
    pick('; ', '\n', ' # c\n', ' \\\n', ' # \\\n', ''),
  )
  .map((parts) => parts.join(''));
const awkScript = fc
  .array(
    fc.tuple(
      pick('BEGIN ', '', '/a/ ', 'x\n', 'NR == 1 '),
      fc.array(awkStatement, { minLength: 1, maxLength: 3 }),
      pick('', '\n', ' ', '/a/'),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((rules) => rules.map(([pattern, body, end]) => `${pattern}{${body.join('')}}${end}`).join(''));

// prettier-ignore
const SED_HIDDEN = pick('e id', ';e id', 'w f', '/e', ';w f\n', '[/]', '[^/]', '[\\/]', '[[:alpha:]/]', '\\/', '\\n', '\\\n', 'a', ']', '[', '&', '\\1', '.', '{', '}', '\\\\');
const sedHidden = fc.array(SED_HIDDEN, { maxLength: 3 }).map((parts) => parts.join(''));
const sedDelimiter = pick('/', '|', ',', '#', ';', '[', '.', '*');
const sedCommand = fc.oneof(
  fc
    .tuple(sedDelimiter, sedHidden, sedHidden, pick('', 'g', 'p', '2g', 'gI', 'w'))
    .map(([d, a, b, flags]) => `s${d}${a}${d}${b}${d}${flags}`),
  fc.tuple(sedDelimiter, sedHidden, sedHidden).map(([d, a, b]) => `y${d}${a}${d}${b}${d}`),
  fc.tuple(pick('a ', 'i\\\n', 'c\\', 'a', 'i\\ ', 'a\\\n'), sedHidden).map((parts) => parts.join('')),
  fc.tuple(pick(':', 'b', 't', 'b ', ': '), pick('a', 'x1', '', 'a b', 'a}')).map((parts) => parts.join('')),
  pick('p', 'd', 'n', 'N', '{p', '}', 'h;G', 'q', '# e id', 'l 1', 'y/a/b/', '=', 'r in', '{'),
);
const sedAddress = fc.oneof(
  pick('', '1', '$', '1,2', '1~2', '0,/a/', '$!', '1!'),
  sedHidden.map((text) => `/${text}/`),
  sedHidden.map((text) => `\\,${text},`),
);
const sedScript = fc
  .array(fc.tuple(sedAddress, sedCommand, pick(';', '\n', ' ; ', '}', '', ' ')), { minLength: 1, maxLength: 4 })
  .map((commands) => commands.map((parts) => parts.join('')).join(''));

describe('awk as the oracle', () => {
  it('CP-338 no awk runs or writes anything for a program that can be judged', () => {
    expect(AWKS.length).toBeGreaterThan(0);
    let judged = 0;
    fc.assert(
      fc.property(
        shifted(awkScript, ['/', '"', '#', '\n', '\\', '[', ']', '(', ')', ';', '{', '}', ' ']),
        (program) => {
          fc.pre(awkRefusal(program) === null);
          judged++;
          for (const awk of AWKS) expect([program, awk, made([...awk, program, 'in'])]).toEqual([program, awk, []]);
        },
      ),
      { numRuns: SCRIPTS, maxSkipsPerRun: 200 },
    );
    expect(judged).toBeGreaterThan(SCRIPTS / 2);
  }, 7_200_000);

  it('CP-338 the oracle notices what runs and what is written', () => {
    expect(made([...AWKS[0]!, 'BEGIN { system("id"); print > "f" }'])).toEqual(['f', 'ran']);
    expect(made(['sed', 'e id\nw f', 'in'])).toEqual(['f', 'ran']);
  });
});

describe('GNU sed as the oracle', () => {
  it('CP-338 sed runs nothing, and writes what was found, for a script that can be judged', () => {
    fc.assert(
      fc.property(shifted(sedScript, ['/', '\n', '\\', '[', ']', ';', '{', '}', ' ', 'e', 'w f']), (script) => {
        const found = readSedScript(script);
        fc.pre(found.refusal === null);
        const unlisted = made(['sed', script, 'in']).filter((name) => !found.writes.includes(name));
        expect([script, unlisted]).toEqual([script, []]);
      }),
      { numRuns: SCRIPTS, maxSkipsPerRun: 200 },
    );
  }, 7_200_000);
});
