import type { CompiledPolicy } from './compile-policy.js';
import type { PolicyRule } from './document.js';
import type { PolicyAction } from './verdict.js';

/** What a conditional rule asks of a call. A rule with `shell` never looks at its paths, so they are not shown (docs/design/policy.md). */
export interface ToolConstraints {
  paths_allow: string[];
  paths_deny: string[];
  /** What a path outside the allow list gets; null when there is no such list. A rule that denies goes on denying. */
  paths_on_no_match: PolicyAction | null;
  shell_allow_prefixes: string[];
  shell_deny_regex: string[];
  shell_on_no_match: PolicyAction | null;
}

/** What a policy says of a tool before any call is known; the `action` of a conditional one applies when its constraints are met. */
export type ToolStatus =
  | { status: 'unconditional'; action: PolicyAction; rule: number }
  | { status: 'conditional'; action: PolicyAction; rule: number; constraints: ToolConstraints }
  | { status: 'default'; action: PolicyAction };

/** Found with the matcher of the gate, so that a screen and the gate cannot disagree. */
export function toolStatus({ document, index }: CompiledPolicy, tool: string): ToolStatus {
  const found = index.firstRule(tool);
  if (found === null) return { status: 'default', action: document.defaults.tool_action };
  const rule = document.tools[found.rule]!;
  const { action } = rule;
  if (rule.shell === null && rule.paths === null) return { status: 'unconditional', action, rule: found.rule };
  return { status: 'conditional', action, rule: found.rule, constraints: constraintsOf(rule) };
}

function constraintsOf({ action, paths, shell }: PolicyRule): ToolConstraints {
  const live = shell === null ? paths : null;
  const restricts = live !== null && live.allow.length > 0;
  return {
    paths_allow: live?.allow ?? [],
    paths_deny: live?.deny ?? [],
    paths_on_no_match: restricts ? (action === 'deny' ? 'deny' : 'approve') : null,
    shell_allow_prefixes: shell?.allow_prefixes ?? [],
    shell_deny_regex: shell?.deny_regex ?? [],
    shell_on_no_match: shell?.on_no_match ?? null,
  };
}
