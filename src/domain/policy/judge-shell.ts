import { mapItems } from '../map-items.js';
import type { CompiledPolicy, CompiledRule } from './compile-policy.js';
import { judgePaths } from './judge-paths.js';
import type { Outcome } from './outcome.js';
import { firstCharacters, isStricter, SHOWN_PART, strictest } from './outcome.js';
import { analyseLine } from './shell/analyse-line.js';
import { coveringPrefix, resembledPrefix } from './shell/coverage.js';
import type { ShellCommand, ShellLine, ShellRedirect } from './shell/effects/shell-line.js';
import type { PolicyAction, ShellPartView } from './verdict.js';

export interface ShellJudgement {
  /** The command first, then each redirect. */
  outcomes: Outcome[];
  parts: ShellPartView[];
}

/** Keys of a grant, or why there are none. */
type Grantable = Pick<Outcome, 'keys' | 'once'>;

const REDIRECT = 'a file that the line opens is judged by a rule of commands';

interface ShellRule {
  rule: CompiledRule;
  shell: NonNullable<CompiledRule['shell']>;
  onNoMatch: PolicyAction;
  matcher: string;
}

/** Judges a command under a rule with `shell` (docs/design/policy.md). Its redirects are judged as Write and Read. */
export function judgeShell(
  policy: CompiledPolicy,
  rule: CompiledRule,
  matcher: string,
  command: string,
  directory: string | null,
): ShellJudgement {
  const shell = rule.shell;
  if (shell === null || rule.rule.shell === null) return { outcomes: [], parts: [] };
  const context: ShellRule = { rule, shell, onNoMatch: rule.rule.shell.on_no_match, matcher };
  const line = analyseLine(command, directory);
  const covering = mapItems(line.commands, (part) => coveringPrefix(shell.prefixes, part));
  const outcomes = [deniedBy(context, line) ?? judgeCommands(context, line, covering)];
  for (const redirect of line.redirects) outcomes.push(judgeRedirect(policy, redirect));
  return { outcomes, parts: partViews(line, covering) };
}

function deniedBy({ rule, shell, matcher }: ShellRule, line: ShellLine): Outcome | null {
  for (const { source, regex } of shell.deny) {
    const subject = line.denyTexts.find((text) => regex.test(text));
    if (subject !== undefined) {
      return { action: 'deny', rule, matcher, decidedBy: 'deny_regex', pattern: source, subject, keys: null };
    }
  }
  return null;
}

function judgeCommands(context: ShellRule, line: ShellLine, covering: readonly (string | null)[]): Outcome {
  const { rule, matcher, onNoMatch, shell } = context;
  const base = { rule, matcher, pattern: null };
  if (line.problem !== null) {
    // Prefixes of a rule that asks or denies might stand for what the line hides.
    const hidden = shell.prefixes.count > 0 ? rule.rule.action : 'allow';
    const action = strictest([onNoMatch, hidden]);
    return { ...base, action, decidedBy: 'not_analysable', subject: line.problem, keys: null, once: line.problem };
  }
  if (line.commands.length === 0) {
    return {
      ...base,
      action: onNoMatch,
      decidedBy: 'no_command',
      subject: null,
      keys: null,
      once: 'the call holds no command',
    };
  }
  const uncovered = line.commands.findIndex((_, i) => covering[i] === null);
  const covered = covering.findIndex((prefix) => prefix !== null);
  const resembles = uncovered !== -1 && rule.rule.action !== 'allow' && resemblesPrefix(context, line.commands);
  const action = strictest([
    uncovered === -1 ? 'allow' : onNoMatch,
    covered === -1 && !resembles ? 'allow' : rule.rule.action,
  ]);
  const grantable =
    resembles && onNoMatch !== 'approve'
      ? { keys: null, once: 'an assignment or an option changes what the rule asks about' }
      : keysOf(context, line.commands, covering);
  if (uncovered !== -1 && (covered === -1 || !isStricter(rule.rule.action, onNoMatch))) {
    const { text, hazard } = line.commands[uncovered]!;
    return { ...base, action, decidedBy: 'no_prefix', subject: text, detail: hazard?.why ?? null, ...grantable };
  }
  return {
    ...base,
    action,
    decidedBy: 'allow_prefix',
    pattern: covering[covered]!,
    subject: line.commands[covered]!.text,
    ...grantable,
  };
}

/** An assignment or an option that lifts a command from a prefix must not free it from a rule that asks or denies. */
function resemblesPrefix({ shell }: ShellRule, commands: readonly ShellCommand[]): boolean {
  return commands.some((command) => {
    return (command.unsafeAssignment || command.hazard !== null) && resembledPrefix(shell.prefixes, command) !== null;
  });
}

/** What a grant would cover: each command that asks by its key, which no prefix of the rule widens. */
function keysOf(
  { rule, onNoMatch }: ShellRule,
  commands: readonly ShellCommand[],
  covering: readonly (string | null)[],
): Grantable {
  const keys: string[] = [];
  for (const [i, command] of commands.entries()) {
    const prefix = covering[i] ?? null;
    if ((prefix === null ? onNoMatch : rule.rule.action) !== 'approve') continue;
    const grant = command.grant();
    if ('once' in grant) return { keys: null, once: grant.once };
    keys.push(prefix?.startsWith(`${grant.key} `) === true ? prefix : grant.key);
  }
  return { keys, once: null };
}

function judgeRedirect(policy: CompiledPolicy, redirect: ShellRedirect): Outcome {
  const tool = redirect.access === 'write' ? 'Write' : 'Read';
  const found = policy.index.firstRule(tool);
  const rule = found === null ? null : policy.rules[found.rule]!;
  const base = { rule, matcher: found?.matcher ?? null, pattern: null, subject: redirect.text };
  if (rule === null) {
    return { ...base, action: policy.document.defaults.tool_action, decidedBy: 'default_action', keys: [tool] };
  }
  if (rule.rule.shell !== null) {
    return { ...base, action: rule.rule.shell.on_no_match, decidedBy: 'redirect', keys: null, once: REDIRECT };
  }
  if (rule.paths === null) return { ...base, action: rule.rule.action, decidedBy: 'redirect', keys: [tool] };
  return { ...base, ...judgePaths(rule, tool, redirect.candidates), keys: [tool] };
}

function partViews(line: ShellLine, covering: readonly (string | null)[]): ShellPartView[] {
  const parts = mapItems(line.commands, (command, i): ShellPartView => {
    const text = firstCharacters(command.text, SHOWN_PART);
    return { kind: 'command', text, subject: command.words[0] ?? null, covered_by: covering[i] ?? null };
  });
  for (const { access, text, candidates } of line.redirects) {
    const subject = candidates.length === 1 ? (candidates[0]?.path ?? null) : null;
    parts.push({ kind: access, text: firstCharacters(text, SHOWN_PART), subject, covered_by: null });
  }
  return parts;
}
