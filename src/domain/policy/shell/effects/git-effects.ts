import { mapItems } from '../../../map-items.js';
import type { ShellWord } from '../words/shell-word.js';
import type { Effects, Hazard } from './effects.js';
import { laterHazard, onlyHazard } from './effects.js';
import { optionEffects } from './option-effects.js';
import type { Grammar, OptionGrammar } from './option-grammar.js';
import { compileGrammar } from './option-grammar.js';

/**
 * Options before the subcommand that set nothing. `-c`, `--exec-path=`, `--git-dir` and their kin make git run what they name, and
 * `--bare` takes the folder for a repository that lies bare in it.
 */
const HARMLESS =
  /^(?:-v|-h|-p|-P|--version|--help|--paginate|--no-pager|--no-replace-objects|--(?:no)?(?:literal|glob|icase)-pathspecs|--no-optional-locks|--no-lazy-fetch|--no-advice|--exec-path|--html-path|--man-path|--info-path|--namespace=.*)$/;
const VALUED = new Set(['-C', '--namespace']);
const SETTING = new Set(['-c', '--git-dir', '--work-tree', '--config-env', '--super-prefix', '--attr-source']);

/** Subcommands without options that run, load or write beyond their names. One that is not known may be an alias or a program. */
const PLAIN = new Set(
  'add am check-attr check-ignore check-mailmap check-ref-format checkout cherry clean column commit commit-tree count-objects describe fmt-merge-msg for-each-ref fsck gc get-tar-commit-id hash-object help interpret-trailers ls-files ls-tree mailinfo mailsplit merge merge-base merge-file merge-tree mktag mktree mv name-rev notes patch-id prune prune-packed remote repack replace request-pull rerere reset restore rev-parse rm show-branch show-index show-ref sparse-checkout stage status stripspace switch symbolic-ref tag unpack-file unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version worktree write-tree'.split(
    ' ',
  ),
);
const READS_CONFIG = /^(?:get|list|--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|--show-origin|--show-scope)$/;
const HARMLESS_STEPS: Readonly<Record<string, RegExp>> = {
  bisect: /^(?:start|good|bad|new|old|skip|log|reset|terms|next)$/,
  submodule: /^(?:status|summary|init|sync)$/,
  bundle: /^(?:verify|list-heads|unbundle)$/,
};

const DIFF = { runs: '--ext-diff --textconv', writes: '--output=' };
const EXEC = { runs: '--upload-pack --exec' };
/** Rows of what is dangerous: the options of git are too many to list whole. */
const ROWS: Readonly<Record<string, OptionGrammar>> = {
  diff: DIFF,
  log: DIFF,
  show: DIFF,
  whatchanged: DIFF,
  reflog: DIFF,
  stash: DIFF,
  'diff-tree': DIFF,
  'diff-index': DIFF,
  'diff-files': DIFF,
  'range-diff': DIFF,
  'format-patch': { ...DIFF, writes: '--output= -o= --output-directory=' },
  blame: { ...DIFF, runs: '--textconv' },
  annotate: { ...DIFF, runs: '--textconv' },
  'rev-list': DIFF,
  shortlog: DIFF,
  'fast-export': { ...DIFF, writes: '--output= --export-marks=' },
  'cherry-pick': { ...DIFF, runs: '--strategy' },
  revert: { ...DIFF, runs: '--strategy' },
  'read-tree': { writes: '--index-output=' },
  'cat-file': { runs: '--textconv --filters' },
  branch: { runs: '--edit-description' },
  grep: {
    harmless: '-e= -A= -B= -C= -f= -m=',
    runs: '-O --open-files-in-pager --textconv --ext-grep',
  },
  archive: { runs: '--remote --exec', writes: '-o= --output=' },
  clone: {
    harmless: '-b= -j= -o=',
    runs: '-u --upload-pack -c --config --template --bundle-uri --separate-git-dir',
  },
  init: { runs: '--template --separate-git-dir' },
  fetch: { runs: '--upload-pack' },
  pull: { runs: '--upload-pack -x --exec' },
  push: { runs: '--receive-pack --exec' },
  'send-pack': { runs: '--receive-pack --exec' },
  'fetch-pack': { runs: `${EXEC.runs} -u` },
  'ls-remote': { runs: `${EXEC.runs} -u` },
  rebase: { runs: '-x --exec -s --strategy' },
  apply: { runs: '--unsafe-paths', writes: '--build-fake-ancestor=' },
};
const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  Object.entries(ROWS).map(([name, rows]) => [name, compileGrammar({ ...rows, open: 'rows' })]),
);

/** A remote that names a helper runs it: `ext::sh -c …`. */
const TRANSPORT = /^[A-Za-z][A-Za-z0-9+.-]*::/;

/**
 * What `git` does beyond the name of its subcommand (CP-338). Aliases and drivers of the repository's own configuration are not
 * seen; its hooks and monitors do not run, since every tool process has git's settings in its environment.
 */
export function gitEffects(words: readonly ShellWord[]): Effects {
  let at = 1;
  let hazard: Hazard | null = null;
  const folders: (string | null)[] = [];
  for (; at < words.length; at++) {
    const { value, text } = words[at]!;
    if (value === null) return onlyHazard(at, `\`${text}\` may be an option or a subcommand of \`git\``);
    if (!value.startsWith('-')) break;
    if (!VALUED.has(value) && !HARMLESS.test(value)) {
      hazard = { at, why: `\`git ${value}\` may set what git runs` };
    }
    if (value === '-C') folders.push(words[at + 1]?.value ?? null);
    if (VALUED.has(value) || SETTING.has(value)) at++;
    if (words[at]?.value === null && !words[at]!.single)
      return onlyHazard(at, `\`${words[at]!.text}\` may be more than one word`);
  }
  const name = words[at]?.value ?? null;
  if (name === null) return { hazard, writes: [], reads: [] };
  const effects = subcommandEffects(name, words.slice(at));
  const inner = effects.hazard === null ? null : { ...effects.hazard, at: effects.hazard.at + at };
  const writes = mapItems(effects.writes, (effect) => ({ ...effect, path: beneath(folders, effect.path) }));
  return { ...effects, writes, hazard: inner === null ? hazard : laterHazard(hazard, inner) };
}

/** The path as git takes it after `-C` has led it elsewhere. */
function beneath(folders: readonly (string | null)[], path: string | null): string | null {
  let at = '';
  for (const part of [...folders, path]) {
    if (part === null) return null;
    at = part.startsWith('/') || at === '' ? part : `${at}/${part}`;
  }
  return at;
}

/** `words` begin with the subcommand, which is 0. */
function subcommandEffects(name: string, words: readonly ShellWord[]): Effects {
  const helper = words.findLastIndex(({ value, text }) => TRANSPORT.test(value ?? text.replaceAll(/["']/g, '')));
  const grammar = GRAMMARS.get(name);
  const effects =
    grammar === undefined
      ? { hazard: null, writes: [], reads: [] }
      : optionEffects(`git ${name}`, grammar, withoutEnd(words));
  let { hazard } = effects;
  const known = grammar !== undefined || PLAIN.has(name);
  if (!known && !isHarmlessStep(name, words.slice(1))) {
    const why = `\`git ${name}\` runs commands, changes what git runs, or is not known`;
    hazard = laterHazard(hazard, { at: Object.hasOwn(HARMLESS_STEPS, name) ? 1 : 0, why });
  }
  if (helper !== -1) {
    hazard = laterHazard(hazard, { at: helper, why: `\`${words[helper]!.text}\` makes git run a helper` });
  }
  return { ...effects, hazard };
}

function isHarmlessStep(name: string, rest: readonly ShellWord[]): boolean {
  const first = rest[0]?.value;
  if (name === 'config') {
    return typeof first === 'string' && READS_CONFIG.test(first) && rest.every(({ value }) => value !== null);
  }
  if (first === undefined) return Object.hasOwn(HARMLESS_STEPS, name);
  return first !== null && HARMLESS_STEPS[name]?.test(first) === true;
}

/** `--end-of-options` ends options as `--` does. */
function withoutEnd(words: readonly ShellWord[]): readonly ShellWord[] {
  const isEnd = ({ value }: ShellWord): boolean => value === '--end-of-options';
  return words.some(isEnd) ? words.map((word) => (isEnd(word) ? { ...word, value: '--' } : word)) : words;
}
