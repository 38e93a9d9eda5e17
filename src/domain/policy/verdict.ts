import type { ExactJson } from '../digest/exact-json.js';

export type PolicyAction = 'allow' | 'approve' | 'deny';
export type VerdictKind = 'allow' | 'deny' | 'require_approval';
export type ApprovalScope = 'once' | 'session';
export type AutonomyMode = 'supervised' | 'autonomous';

/** A tool call as a rule sees it; an absent input is null. */
export interface ToolCall {
  tool: string;
  input: ExactJson;
}

/** What decided. Closed set, shown to approvers and kept with the approval. */
export type DecidedBy =
  | 'default_action'
  | 'rule_action'
  | 'deny_regex'
  | 'allow_prefix'
  | 'no_prefix'
  | 'no_command'
  | 'not_analysable'
  | 'redirect'
  | 'path_deny'
  | 'path_allow'
  | 'path_outside'
  | 'no_path'
  | 'invalid_policy';

/** One part of a shell line as the parser found it. */
export interface ShellPartView {
  /** Source text of the part, at most 500 characters. */
  text: string;
  kind: 'command' | 'write' | 'read';
  /** Program of a command, path of a redirect; null when it is not a literal. */
  subject: string | null;
  /** The allow prefix that covers it, as authored. */
  covered_by: string | null;
}

/** Why the verdict is what it is; plain data, safe to store as JSON after redaction. */
export interface Explanation {
  decided_by: DecidedBy;
  /** Index in `tools`; null when no rule matched. */
  rule: number | null;
  /** The matcher of that rule that hit. */
  matcher: string | null;
  /** Deny pattern, allow prefix or glob that decided. */
  pattern: string | null;
  /** The part of the command or the path that decided. */
  subject: string | null;
  /** Parts of the command, in the order of the text; empty for rules without `shell`. */
  parts: ShellPartView[];
  /** Parts beyond the first 200, which are not listed. */
  parts_omitted: number;
}

/** Terms of the question put to a person. */
export interface ApprovalTerms {
  risk: string | null;
  ttl_secs: number;
  scope: ApprovalScope;
  /** What a session grant would cover; null when nothing can be granted (`docs/policies.md`). Sorted, without repeats. */
  scope_keys: string[] | null;
  /** The keys as they stand on the wire, joined by `, `. */
  scope_key: string | null;
  /** Why a yes counts for this call alone; null when there are keys. May hold words of the call. */
  once_because: string | null;
}

export interface PolicyVerdict {
  /** The effective verdict, after the autonomy rewrite. */
  verdict: VerdictKind;
  /** What a supervised run would have got. */
  original_verdict: VerdictKind;
  /** Whether autonomous mode replaced a question. */
  rewritten: boolean;
  /** Why, for a person; null on a plain allow. */
  reason: string | null;
  /** Only with `require_approval`. */
  approval: ApprovalTerms | null;
  explanation: Explanation;
}
