import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { analyseLine } from '../../../src/domain/policy/shell/analyse-line.js';
import { readLine } from '../../../src/domain/policy/shell/language/line-reader.js';
import type { ShellCommand, ShellLine } from '../../../src/domain/policy/shell/effects/shell-line.js';
import { gluedLine, wellFormedScript } from '../../support/shell/bash-scripts.js';
import { fuzzSlice, shortened } from '../../support/shell/fuzz-slice.js';
import { generateLine } from '../../support/shell/generate-line.js';
import type { Finding } from '../../support/shell/judge-line.js';
import { judged, unlisted } from '../../support/shell/judge-line.js';
import { SEEDS } from '../../support/shell/mutated-seed.js';
import { Oracle } from '../../support/shell/oracle.js';

/** Scripts of bash alone that are run; the nightly campaign runs 10,000. */
const SCRIPTS = Number(process.env['SANDGATE_ORACLE_SCRIPTS'] ?? 400);
/** Generated lines of every kind: always the same two slices, and each night one that nobody has seen. */
const SLICES = [0, 1].map((slice) => ({ slice, lines: 1000 }));
const NIGHTLY = process.env['SANDGATE_SHELL_SLICE'];
if (NIGHTLY !== undefined) SLICES.push({ slice: Number(NIGHTLY), lines: 20_000 });
/** Lines whose canonical form is run beside them. */
const CANONICAL_LINES = 600;
const LONG_MS = 7_200_000;

// prettier-ignore
const HIDING = [
  "printf -v 'a[$(id)]' x", "x='a[$(id)]'; echo $((x))", "for x in 'a[$(id)]'; do echo $((x)); done", ": 'a[$(id)]'; echo $((_))", "test -v 'a[$(id)]'",
  "[[ -v 'a[$(id)]' ]]", "[[ 'a[$(id)]' -eq 0 ]]", "for o in '-v a[$(id)]'; do [ $o ]; done", "declare -n r='a[$(id)]'; echo $r", "x='$(id)'; echo ${x@P}",
  'for PATH in .; do ls; done', 'echo $((PATH=1)); ls', "echo {-exec,id} ';' | xargs find .", "for x in '-va[$(id)]'; do printf \"$x\" y; done",
  "compgen -W '$(id)'", 'echo id | bash', 'bash <<< id', "find . -exec sh -c '$0' id \\;", 'echo id | xargs', 'echo id | xargs env', "env -S 'id x'", 'env - -- id', "find . -name f -exec sed -i '' -e P f \\;",
  'trap id EXIT', 'ls() { id; }; ls', 'coproc id; wait', "let 'a[$(id)]=1'", 'cat <<EOF\n$(id)\nEOF', '!(id)', 'i\\\nd', "$'i\\x64'", 'i""d',
  "sh -c '[[ a && id ]]'", "sh -c '((a||id))'", "sh -c 'echo $[a||id ]'", "sh -c \"echo \\$'\\\\'; id; #'\"", "for x in 'a -exec id ;'; do find ./$x; done", "sed 'e id' f", "echo a | sed 's/a/id/e'",
  "echo a | sed 's/[/]/x/;e id'", "awk 'BEGIN{system(\"id\")}'", `echo a | awk '{print | "id"}'`, `echo | awk '{print NF /"/; print "a" | "id" #"/ }'`, 'echo "--expression=1e id" | xargs -d "\\n" sed -n p f',
  'ls 1>(id)', 'ls 12<(id)', 'ls {fd}>(id)', 'ls a1>(id)', 'ls "a"1>(id)', 'tar cf /dev/null f --checkpoint=1 --checkpoint-action=exec=id', 'tar -Iid -cf t f', "echo '--checkpoint=1 --checkpoint-action=exec=id f' | xargs tar cf /dev/null",
];

/** An analysis that takes every line for one that does nothing. */
const blind = (): ShellLine => ({ problem: null, commands: [], redirects: [], denyTexts: [] });

/** A command as an analysis without any doubts would list it. */
const listed = (words: readonly (string | null)[]): ShellCommand => ({
  text: '',
  words,
  unsafeAssignment: false,
  hazard: null,
  unknown: [],
  grant: () => ({ once: '' }),
  chain: null,
});

/** An analysis that believes what it sees: that a command is its first words, that quotes do not nest. */
const naive = (line: string): ShellLine => {
  const text = line.replaceAll(/'[^']*'/g, "''").replaceAll(/"[^"]*"/g, '""');
  const names = text.split(/[;&|\n]+/).map((part) => part.trim().split(/\s+/)[0] ?? '');
  const words = (name: string): (string | null)[] => [name, null];
  return { ...blind(), commands: names.map((name) => listed(words(name))) };
};

let oracle: Oracle;
beforeAll(() => {
  oracle = Oracle.start(5000);
});
afterAll(() => oracle.stop());

/** What the line does although the analysis vouches for it and does not list it; nothing when it does not vouch. */
async function hidden(line: string, analyse: (line: string) => ShellLine = analyseLine): Promise<Finding[]> {
  const found = judged(line, analyse);
  return found === null ? [] : unlisted(found, await oracle.observe(line));
}

const kinds = (findings: readonly Finding[]): string[] =>
  [...new Set(findings.map(({ kind, what }) => `${kind} ${what}`))].sort();

describe('the oracle of shell lines', () => {
  it.each([
    ['ls; id', ['program id', 'program ls']],
    ['true; ./none a', ['program none']],
    ['x=$(q1 "$(q2)")', ['program q1', 'program q2']],
    ['echo q1 | xargs -n1 env -i nice q2', ['program env', 'program nice', 'program q2', 'program xargs']],
    ['env -i /bin/sh -c "q1 & wait"', ['program env', 'program q1', 'program sh']],
    ['awk \'BEGIN { system("q1") }\'', ['program awk', 'program q1', 'program sh']],
    ["sed -n '1e q1' f", ['program q1', 'program sed', 'program sh', 'read /workspace/f']],
    ['make --eval="all:;q1" -f /dev/null', ['program make', 'program q1']],
    ['make --eval="x:=$(q1)" clean', ['program make', 'program q1']],
    ['find . -maxdepth 0 -exec q1 {} +', ['program find', 'program q1']],
    ['echo a >out', ['change /workspace/out', 'write /workspace/out']],
    ['echo fixed >/etc/hosts', ['change /etc/hosts', 'write /etc/hosts']],
    ['echo a >/x 2>../y', ['change /x', 'change /y', 'write /x', 'write /y']],
    ['>empty', ['change /workspace/empty', 'write /workspace/empty']],
    ["sed -i 's/fixed1/fixed2/' f", ['change /workspace/f', 'program sed', 'read /workspace/f', 'write /workspace/f']],
    ["sed -n 'w out' </dev/null", ['change /workspace/out', 'program sed', 'write /workspace/out']],
    ['awk \'BEGIN { print > "out" }\'', ['change /workspace/out', 'program awk', 'write /workspace/out']],
    ['awk \'BEGIN { getline x < "/etc/hosts" }\'', ['program awk', 'read /etc/hosts']],
    ["sed 'r /etc/hosts' g.txt", ['program sed', 'read /etc/hosts', 'read /workspace/g.txt']],
    ['read x <f; . d/g', ['read /workspace/d/g', 'read /workspace/f']],
    ['find d -name g -delete', ['change /workspace/d/g', 'program find', 'write /workspace/d/g']],
    ['sort f -o out', ['change /workspace/out', 'program sort', 'write /workspace/out']],
    ['uniq f out', ['change /workspace/out', 'program uniq', 'write /workspace/out']],
    ['kill -9 -1; q1', ['program q1']],
    ['while q1; do :; done', ['program q1']],
    ['ulimit -n 4; q1; cat f', ['program cat', 'program q1']],
  ])('records what %j really does', async (line, expected) => {
    expect(kinds(await hidden(line, blind))).toEqual(expected);
  });

  it('finds every file as it was after whatever a line did', async () => {
    const emptied = await oracle.observe('find / -delete; echo a >/tmp/x');
    expect(emptied.changed).toEqual(expect.arrayContaining(['/workspace/f', '/workspace/d', '/etc/hosts']));
    const filled = await oracle.observe(
      'for name in f d/g d/new /etc/hosts /tmp/x; do echo a >$name; done; sed -i p /dev/stdin',
    );
    expect(filled.changed.length).toBe(6);
    expect((await oracle.observe('cat f d/g g.txt /etc/hosts <(ls)')).changed).toEqual([]);
    expect(kinds(await hidden('[ -s f ] && [ -s /etc/hosts ] && [ ! -e /tmp/x ] && q1', blind))).toEqual([
      'program q1',
    ]);
  });

  it('compares the words of a program, and takes for any words those that only the run decides', async () => {
    const listing =
      (...words: (string | null)[]) =>
      (): ShellLine => ({
        ...blind(),
        commands: [listed(words)],
      });
    expect(await hidden('git push', listing('git', 'status'))).toEqual([{ kind: 'words', what: 'git push' }]);
    expect(await hidden('git status a b', listing('git', 'status', null))).toEqual([]);
    expect(await hidden('git status', listing('git', null, 'status'))).toEqual([]);
    expect(await hidden('git a b', listing('git', null, 'c'))).toEqual([{ kind: 'words', what: 'git a b' }]);
  });

  it(
    'finds what a naive analysis overlooks in generated lines, and leaves out what does not matter',
    async () => {
      const { found } = await fuzzSlice(oracle, 1, 250, naive);
      expect(new Set(found.map(({ kind }) => kind))).toEqual(
        new Set(['awk', 'bash', 'options', 'sed', 'seed', 'state']),
      );
      expect(new Set(found.flatMap(({ findings }) => findings.map(({ kind }) => kind)))).toEqual(
        new Set(['change', 'program', 'read', 'write']),
      );
      const short = await shortened(oracle, 'ls -l | cat; echo "a $(q1 b c)" d', 'program', naive);
      expect(short.length).toBeLessThan(10);
      expect((await hidden(short, naive)).map(({ kind }) => kind)).toContain('program');
    },
    LONG_MS,
  );
});

/** What differs from one run of a line to the next: process ids, numbers of descriptors, the names of temporary files. */
const CHANGING = /\$[$!]|\$\{?(?:RANDOM|SECONDS|BASHPID|PPID|_)|\btime\b|\bmktemp\b/;

/** What a line starts and changes, in an order of its own: parts of a line run beside each other. */
async function done(line: string): Promise<unknown> {
  const { programs, changed } = await oracle.observe(line);
  const started = programs.map(({ argv }) => argv.join(' ').replaceAll(/\/dev\/fd\/\d+/g, '/dev/fd/N'));
  return { started: started.sort(), changed: [...changed].sort() };
}

describe('the canonical line', () => {
  it(
    'CP-338 proof 26: is read by bash as the line itself is',
    async () => {
      let compared = 0;
      for (let index = 0; index < CANONICAL_LINES; index++) {
        const { line } = generateLine(2, index);
        const understood = readLine(line);
        if (typeof understood === 'string' || understood.canonical === line || CHANGING.test(line)) continue;
        compared++;
        const [itself, canonical] = await Promise.all([done(line), done(understood.canonical)]);
        expect({ line, ...(canonical as object) }).toEqual({ line, ...(itself as object) });
      }
      expect(compared).toBeGreaterThan(CANONICAL_LINES / 5);
    },
    LONG_MS,
  );
});

describe('a campaign', () => {
  it('goes on after the slices that its state file tells of, whose lines are always the same', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'shell-campaign-'));
    const state = join(folder, 'state');
    const run = async (slices: number): Promise<string> => {
      const numbers = ['--slices', String(slices), '--slice-lines', '20', '--state', state];
      const campaign = promisify(execFile)(process.execPath, ['build/fuzz-shell.mjs', ...numbers]);
      return (await campaign.catch((failed: { stdout: string }) => failed)).stdout;
    };
    try {
      expect(await run(1)).toMatch(/^20 lines in 1 slices \(0 of them from the state file\)/m);
      const first = await readFile(state, 'utf8');
      expect(await run(3)).toMatch(/^60 lines in 3 slices \(1 of them from the state file\)/m);
      const told = (await readFile(state, 'utf8')).trim().split('\n');
      expect(`${told[0]!}\n`).toBe(first);
      expect(told.map((line) => (JSON.parse(line) as { slice: number }).slice)).toEqual([0, 1, 2]);
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(generateLine(7, 8)).toEqual(generateLine(7, 8));
    const lines = [1, 2].flatMap((slice) => Array.from({ length: 200 }, (_, index) => generateLine(slice, index).line));
    expect(new Set(lines).size).toBeGreaterThan(380);
  });
});

describe('the analysis of shell lines against bash, sed, mawk, make and what else runs there', () => {
  it.each(HIDING)('CP-338 lists what really runs in %j, or refuses to judge it', async (line) => {
    expect(await hidden(line)).toEqual([]);
  });

  it.each(SEEDS)('CP-338 lists what %j really does, or refuses to judge it', async (line) => {
    expect(await hidden(line)).toEqual([]);
  });

  it.each(SLICES)(
    'CP-338 proof 26: nothing runs and no file is created, changed, removed or opened that is not listed: slice $slice, $lines generated lines',
    async ({ slice, lines }) => {
      const { found, judged: run, acted, cut } = await fuzzSlice(oracle, slice, lines);
      expect(found).toEqual([]);
      // Lines that are refused, or do nothing, would show nothing.
      expect(run).toBeGreaterThan(lines * 0.35);
      expect(acted).toBeGreaterThan(run * 0.6);
      expect(cut).toBeLessThan(lines * 0.02);
    },
    LONG_MS,
  );

  it(
    'CP-338 proof 26: lists every program that bash runs in a script',
    async () => {
      const script = fc.oneof(gluedLine, wellFormedScript).filter((text) => !text.includes('\0') && text.length < 4000);
      await fc.assert(
        fc.asyncProperty(script, async (text) => expect(await hidden(text)).toEqual([])),
        { numRuns: SCRIPTS },
      );
    },
    LONG_MS,
  );

  it('CP-338 proof 26: most well-formed scripts run programs, so that the oracle has something to say', async () => {
    const scripts = fc.sample(wellFormedScript, { numRuns: 40, seed: 26 });
    const observed = await Promise.all(scripts.map((script) => oracle.observe(script)));
    expect(observed.filter(({ programs }) => programs.length > 0).length).toBeGreaterThan(20);
  });
});
