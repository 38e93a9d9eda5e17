import { OFFLINE_CAP, type NetworkCap } from '../network/network-cap.js';
import type { Budgets } from '../run/spec.js';
import type { ApprovalScope, PolicyAction } from './verdict.js';

/** Version of the evaluation rules, frozen into a RunSpec: a run is judged by the rules that it was made under (`docs/policies.md`, Versions). */
export const POLICY_ENGINE = 2;

export const POLICY_ACTIONS = ['allow', 'approve', 'deny'] as const satisfies readonly PolicyAction[];
export const APPROVAL_SCOPES = ['once', 'session'] as const satisfies readonly ApprovalScope[];
export const AUTONOMOUS_ACTIONS = ['allow', 'deny'] as const;
export const EGRESS_MODES = ['none', 'proxy-only', 'allowlist'] as const;

export type AutonomousAction = (typeof AUTONOMOUS_ACTIONS)[number];

export interface PathConstraint {
  allow: string[];
  deny: string[];
}

export interface ShellConstraint {
  allow_prefixes: string[];
  deny_regex: string[];
  on_no_match: PolicyAction;
}

/** One rule; the first rule with a matching tool matcher is the only one used (docs/design/policy.md). */
export interface PolicyRule {
  match: string[];
  action: PolicyAction;
  /** Reason of a denial, context of a question. */
  risk: string | null;
  paths: PathConstraint | null;
  /** With `shell`, `paths` is not looked at. */
  shell: ShellConstraint | null;
  on_autonomous: AutonomousAction | null;
  approval_ttl_secs: number | null;
  approval_scope: ApprovalScope | null;
}

/** A policy document with every default filled in. */
export interface PolicyDocument {
  name: string;
  defaults: { tool_action: PolicyAction };
  /** Stored and shown; nothing reads it. */
  egress: { mode: (typeof EGRESS_MODES)[number] };
  budgets: Budgets;
  approvals: { default_ttl_secs: number; scope: ApprovalScope; timeout_action: 'deny' };
  autonomy: { permitted: boolean; on_approval_rule: AutonomousAction };
  tools: PolicyRule[];
  network: NetworkCap;
}

export const DEFAULT_BUDGETS: Readonly<Budgets> = {
  max_wall_clock_secs: 1800,
  max_tokens: 1_000_000,
  max_cost_usd: 2.5,
  max_tool_calls: 100,
};

/** All defaults and no rules: everything asks. */
export function blankPolicy(name: string): PolicyDocument {
  return {
    name,
    defaults: { tool_action: 'approve' },
    egress: { mode: 'proxy-only' },
    budgets: { ...DEFAULT_BUDGETS },
    approvals: { default_ttl_secs: 600, scope: 'once', timeout_action: 'deny' },
    autonomy: { permitted: true, on_approval_rule: 'deny' },
    tools: [],
    network: { ...OFFLINE_CAP },
  };
}
