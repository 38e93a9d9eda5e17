import type { ShellWord } from '../shell-word.js';
import type { Effects } from './effects.js';
import { NO_EFFECTS, onlyHazard } from './effects.js';
import { optionEffects } from './option-effects.js';
import type { OptionTable } from './option-table.js';

/** Options before the subcommand that set nothing; `-c`, `--exec-path=`, `--git-dir` and their kin make git run what they name. */
const HARMLESS =
  /^(?:-v|-h|-p|-P|--version|--help|--paginate|--no-pager|--no-replace-objects|--bare|--(?:no)?(?:literal|glob|icase)-pathspecs|--no-optional-locks|--no-lazy-fetch|--no-advice|--exec-path|--html-path|--man-path|--info-path|--namespace=.*)$/;
const VALUED = new Set(['-C', '--namespace']);

/** Subcommands that run commands, tools or servers, or change what git runs later. */
const RUNS = new Set(
  'bisect submodule filter-branch difftool mergetool for-each-repo config send-email svn p4 daemon instaweb shell hook remote-ext remote-fd upload-pack receive-pack upload-archive http-backend fast-import credential web--browse gui citool cvsserver'.split(
    ' ',
  ),
);
const READS_CONFIG = /^(?:get|list|--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|--show-origin|--show-scope)$/;
const HARMLESS_STEPS: Readonly<Record<string, RegExp>> = {
  bisect: /^(?:start|good|bad|new|old|skip|log|reset|terms|next|view|visualize)$/,
  submodule: /^(?:status|summary|init|sync)$/,
};

const DIFF = { runs: ['--ext-diff', '--textconv'], writes: ['--output'] };
const REMOTE = { runs: ['--upload-pack', '--exec', '-u'] };
const TABLES: Readonly<Record<string, OptionTable>> = {
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
  'format-patch': { ...DIFF, writes: ['--output', '-o', '--output-directory'] },
  blame: { runs: ['--textconv'] },
  annotate: { runs: ['--textconv'] },
  'cat-file': { runs: ['--textconv', '--filters'] },
  branch: { runs: ['--edit-description'] },
  grep: { runs: ['-O', '--open-files-in-pager', '--textconv', '--ext-grep'], valued: 'eABCfm' },
  archive: { runs: ['--remote', '--exec'], writes: ['-o', '--output'] },
  clone: { runs: ['-u', '--upload-pack', '-c', '--config', '--template', '--bundle-uri'], valued: 'bjo' },
  init: { runs: ['--template'] },
  fetch: { runs: ['--upload-pack'] },
  pull: { runs: ['--upload-pack', '-x', '--exec'] },
  push: { runs: ['--receive-pack', '--exec'] },
  'send-pack': { runs: ['--receive-pack', '--exec'] },
  'fetch-pack': REMOTE,
  'ls-remote': REMOTE,
  rebase: { runs: ['-x', '--exec'] },
  apply: { runs: ['--unsafe-paths'] },
};

/** A remote that names a helper runs it: `ext::sh -c …`. */
const TRANSPORT = /^[A-Za-z][A-Za-z0-9+.-]*::/;

/** What `git` does beyond the name of its subcommand (06-gate §1). Hooks, aliases and drivers of the repository's own configuration are not seen. */
export function gitEffects(words: readonly ShellWord[]): Effects {
  let at = 1;
  for (; at < words.length; at++) {
    const { value, text } = words[at]!;
    if (value === null) return onlyHazard(at, `\`${text}\` may be an option or a subcommand of \`git\``);
    if (!value.startsWith('-')) break;
    if (VALUED.has(value)) at++;
    else if (!HARMLESS.test(value)) return onlyHazard(at, `\`git ${value}\` may set what git runs`);
  }
  const name = words[at]?.value;
  if (name === undefined || name === null) return NO_EFFECTS;
  const rest = words.slice(at + 1);
  const helper = rest.findIndex(({ value }) => value !== null && TRANSPORT.test(value));
  if (helper !== -1) return onlyHazard(at + 1 + helper, `\`${rest[helper]!.value ?? ''}\` makes git run a helper`);
  if (RUNS.has(name) && !isHarmlessStep(name, rest)) {
    const step = Object.hasOwn(HARMLESS_STEPS, name) ? at + 1 : at;
    return onlyHazard(step, `\`git ${name}\` runs commands or changes what git runs`);
  }
  const table = Object.hasOwn(TABLES, name) ? TABLES[name]! : null;
  return table === null ? NO_EFFECTS : shifted(optionEffects(`git ${name}`, table, withoutEnd(words.slice(at))), at);
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
  return words.map((word) => (word.value === '--end-of-options' ? { ...word, value: '--' } : word));
}

function shifted(effects: Effects, by: number): Effects {
  const { hazard } = effects;
  return hazard === null ? effects : { ...effects, hazard: { ...hazard, at: hazard.at + by } };
}
