import { foldSegments, WORKSPACE_ROOT } from '../../../src/domain/policy/paths/path.js';
import { analyseLine } from '../../../src/domain/policy/shell/analyse-line.js';
import type { ShellLine } from '../../../src/domain/policy/shell/effects/shell-line.js';
import type { Observed } from './oracle.js';
import { FIXTURE } from './oracle.js';

/** What a line did that its analysis did not list. */
export interface Finding {
  kind: 'program' | 'words' | 'change' | 'write' | 'read';
  /** The program or the path. */
  what: string;
}

export type Analyse = (line: string) => ShellLine;

/** Variables by which a line, whose assignments no prefix covers anyway, changes what every later word means. */
// prettier-ignore
const MEANING = /\b(?:PATH|IFS|ENV|BASH_\w+(?:%%)?|BASHOPTS|SHELLOPTS|CDPATH|HOME|PWD|OLDPWD|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|PS4|MAKE\w*|LD_\w+|TMPDIR|[_*@]|DIRSTACK|FUNCNAME|FUNCNEST|TIMEFORMAT|SHELL|AWK\w*|MAWK\w*)\+?=/;

/** The analysis of a line when it vouches for every part of it; null when it refuses to judge the whole or a part. */
export function judged(line: string, analyse: Analyse = analyseLine): ShellLine | null {
  const found = analyse(line);
  if (found.problem !== null || found.commands.some(({ hazard }) => hazard !== null)) return null;
  const meaning = MEANING.test(line) || MEANING.test(line.replaceAll(/['"\\]/g, ''));
  return found.commands.some(({ unsafeAssignment }) => unsafeAssignment) && meaning ? null : found;
}

/** Everything that the line did and that the analysis does not tell. */
export function unlisted(found: ShellLine, observed: Observed): Finding[] {
  return [...unlistedPrograms(found, observed), ...unlistedWrites(found, observed), ...unlistedReads(found, observed)];
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Interpreters run what stands in a file that the line names; what stands in files is not told by the line. */
const FROM_FIXTURE = new Set(
  Object.values(FIXTURE)
    .flatMap((content) => content.match(/^\s*\S+/gm) ?? [])
    .map((word) => word.trim()),
);
/** Rules that `make` brings with it: the target decides which of them runs, as it does in a Makefile. */
const RULES_OF_MAKE = new Set(
  'cc c++ g++ gcc f77 as ar ld lex yacc pc m2c co get lint ctangle cweave tangle weave tex makeinfo texi2dvi cat chmod rm mv test sh'.split(
    ' ',
  ),
);

function unlistedPrograms(found: ShellLine, { programs }: Observed): Finding[] {
  const listed = new Map<string, (readonly (string | null)[])[]>();
  for (const { words } of found.commands) {
    const name = baseName(words[0] ?? '');
    listed.set(name, [...(listed.get(name) ?? []), words.slice(1)]);
  }
  // Without a command of its own `xargs` runs `echo`.
  if (listed.has('xargs')) listed.set('echo', [...(listed.get('echo') ?? []), [null]]);
  const findings: Finding[] = [];
  for (const { path, argv } of programs) {
    const name = baseName(path);
    const patterns = listed.get(name);
    if (patterns === undefined) {
      const fromFile = FROM_FIXTURE.has(name) || (listed.has('make') && RULES_OF_MAKE.has(name));
      if (!fromFile) findings.push({ kind: 'program', what: name });
    } else if (!patterns.some((words) => matches(words, argv.slice(1)))) {
      findings.push({ kind: 'words', what: argv.join(' ') });
    }
  }
  return findings;
}

/** A word that only the run decides stands for any number of words. */
function matches(words: readonly (string | null)[], argv: readonly string[]): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return argv.length === 0;
  if (first !== null) return argv[0] === first && matches(rest, argv.slice(1));
  if (rest.length === 0) return true;
  return argv.some((_, at) => matches(rest, argv.slice(at))) || matches(rest, []);
}

/** Terminals, descriptors, and what bash, sort, sed and make make for themselves and remove again. */
const OWN_FILES =
  /^\/dev\/(?:tty|null|std(?:in|out|err)|fd\/.*)$|^\/proc\/self\/fd\/|^\/tmp\/(?:sh-thd\.|sort|Gm)\w+$|(?:^|\/)sed\w{6}$/;

function unlistedWrites(found: ShellLine, { changed, written, cut }: Observed): Finding[] {
  const listed = places(found, 'write');
  if (listed === null) return [];
  // A program that was ended in the middle of its work leaves what it would have removed.
  const left = changed.filter((path) => !listed.has(path) && !(cut && OWN_FILES.test(path)));
  const findings: Finding[] = left.map((what) => ({ kind: 'change', what }));
  for (const path of written) {
    const what = plainPath(path);
    if (!OWN_FILES.test(what) && !listed.has(what)) findings.push({ kind: 'write', what });
  }
  return findings;
}

/** Programs that open what their code says; others open what their words say. */
const READERS = new Set(['bash', 'sh', 'dash', 'sed', 'awk', 'mawk']);
const MOVES = new Set(['cd', 'pushd', 'popd', 'find']);
const OF_THE_SYSTEM = /^\/(?:dev|proc|sys|usr|lib\w*|etc\/selinux)\//;

function unlistedReads(found: ShellLine, { read }: Observed): Finding[] {
  const listed = places(found, 'read');
  if (listed === null) return [];
  const findings: Finding[] = [];
  const moves = found.commands.some(({ words }) => MOVES.has(words[0] ?? ''));
  for (const { program, path } of read) {
    const what = plainPath(path);
    if (!READERS.has(program) || OF_THE_SYSTEM.test(what) || listed.has(what)) continue;
    if (!found.commands.some(({ words }) => baseName(words[0] ?? '') === program && names(words, what, moves))) {
      findings.push({ kind: 'read', what });
    }
  }
  return findings;
}

/** Whether a word of the command, or what follows the letter or the name of an option, may be the file. */
function names(words: readonly (string | null)[], path: string, moves: boolean): boolean {
  return words.slice(1).some((word) => {
    if (word === null) return true;
    const values = [word, word.slice(2), word.slice(word.indexOf('=') + 1)];
    return values.some((value) =>
      moves
        ? path.endsWith(plainPath(`/${value}`))
        : path === plainPath(value.startsWith('/') ? value : `${WORKSPACE_ROOT}/${value}`),
    );
  });
}

/** Where the line may open files, by its analysis; null when that may be anywhere. */
function places(found: ShellLine, access: 'write' | 'read'): Set<string> | null {
  const candidates = found.redirects.filter((redirect) => redirect.access === access).flatMap((one) => one.candidates);
  if (candidates.some(({ path }) => path === null)) return null;
  return new Set(candidates.map(({ path }) => plainPath(path!)));
}

function plainPath(path: string): string {
  return foldSegments(path).replace(/(?<=.)\/$/, '');
}
