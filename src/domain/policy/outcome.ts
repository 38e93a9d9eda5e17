import type { CompiledRule } from './compile-policy.js';
import type { DecidedBy, Explanation, PolicyAction, ShellPartView } from './verdict.js';

/** What one rule says of one thing, before it becomes a verdict. */
export interface Outcome {
  action: PolicyAction;
  rule: CompiledRule | null;
  matcher: string | null;
  decidedBy: DecidedBy;
  /** Deny pattern, prefix or glob. */
  pattern: string | null;
  /** Part of the command, or path. */
  subject: string | null;
  /** Why no prefix covers a command that begins like one. */
  detail?: string | null;
  /** What a session grant would cover; null when nothing can be granted. */
  keys: readonly string[] | null;
  /** Why nothing can be granted; only without keys. */
  once?: string | null;
}

/** Reason of a denial whose rule says nothing. */
export const DENIED_BY_POLICY = 'denied by policy';

const STRICTNESS: Record<PolicyAction, number> = { allow: 0, approve: 1, deny: 2 };

export function isStricter(a: PolicyAction, b: PolicyAction): boolean {
  return STRICTNESS[a] > STRICTNESS[b];
}

export function strictest(actions: readonly PolicyAction[]): PolicyAction {
  return actions.reduce<PolicyAction>((worst, action) => (isStricter(action, worst) ? action : worst), 'allow');
}

const LISTED_PARTS = 200;

export function explain(outcome: Outcome, parts: ShellPartView[]): Explanation {
  return {
    decided_by: outcome.decidedBy,
    rule: outcome.rule?.index ?? null,
    matcher: outcome.matcher,
    pattern: outcome.pattern,
    subject: outcome.subject === null ? null : firstCharacters(outcome.subject, SHOWN_PART),
    parts: parts.slice(0, LISTED_PARTS),
    parts_omitted: Math.max(0, parts.length - LISTED_PARTS),
  };
}

/** The sentence for a person; a plain denial says the rule's risk, else a fixed text (docs/design/policy.md). */
export function reasonOf(outcome: Outcome): string {
  const { decidedBy, pattern, subject, rule } = outcome;
  switch (decidedBy) {
    case 'deny_regex':
      return `the command matches the deny pattern \`${pattern ?? ''}\`: ${shorten(subject)}`;
    case 'path_deny':
      return `the path ${shorten(subject)} matches the deny glob \`${pattern ?? ''}\``;
    case 'invalid_policy':
      return `the policy is not valid and denies every call: ${firstCharacters(subject ?? '', SHOWN_PART)}`;
    default:
      break;
  }
  if (outcome.action === 'deny') return rule?.rule.risk ?? DENIED_BY_POLICY;
  return rule?.rule.risk ?? questionOf(outcome);
}

function questionOf({ decidedBy, subject, detail }: Outcome): string {
  switch (decidedBy) {
    case 'no_prefix':
      return `no allow prefix covers ${shorten(subject)}${detail == null ? '' : `: ${firstCharacters(detail, SHOWN)}`}`;
    case 'no_command':
      return 'the call holds no command';
    case 'not_analysable':
      return `the command cannot be judged by its parts: ${subject ?? 'it does not parse'}`;
    case 'path_outside':
      return `the path ${shorten(subject)} is outside the allowed paths`;
    case 'no_path':
      return 'the call names no path';
    case 'default_action':
      return 'no rule matches the tool';
    case 'allow_prefix':
    case 'rule_action':
    case 'redirect':
    case 'path_allow':
    case 'deny_regex':
    case 'path_deny':
    case 'invalid_policy':
      return 'the rule asks for approval';
  }
}

const SHOWN = 200;
/** Characters of one part of a command that are shown. */
export const SHOWN_PART = 500;

function shorten(text: string | null): string {
  return `\`${firstCharacters(text ?? '', SHOWN)}\``;
}

/** Cuts without leaving half a character, which PostgreSQL would refuse. */
export function firstCharacters(text: string, count: number): string {
  return text.length > count ? `${text.slice(0, count).toWellFormed()}…` : text;
}
