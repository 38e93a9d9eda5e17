import type { AutonomousAction, PolicyDocument, PolicyRule } from './document.js';

/** What a policy means for autonomous runs (docs/design/policy.md). */
export interface AutonomySummary {
  permitted: boolean;
  /** What a question becomes when its rule does not say. */
  default_fallback: AutonomousAction;
  /** Rules that would ask and are let through instead. */
  allow_overrides: number;
  deny_overrides: number;
}

export function autonomySummary({ autonomy, tools }: PolicyDocument): AutonomySummary {
  const overrides = tools.filter(canAsk).map((rule) => rule.on_autonomous);
  return {
    permitted: autonomy.permitted,
    default_fallback: autonomy.on_approval_rule,
    allow_overrides: overrides.filter((action) => action === 'allow').length,
    deny_overrides: overrides.filter((action) => action === 'deny').length,
  };
}

/**
 * Whether any call can reach a question through the rule: else its `on_autonomous` never fires. A path whose place is unknown asks
 * where a deny glob might have hit it, so deny globs count too; a rule that denies never asks about a path.
 */
export function canAsk({ action, paths, shell }: PolicyRule): boolean {
  if (shell !== null) return action === 'approve' || shell.on_no_match === 'approve';
  if (action === 'approve') return true;
  return action === 'allow' && paths !== null && paths.allow.length + paths.deny.length > 0;
}
