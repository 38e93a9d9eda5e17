import { canonicalJson } from '../digest/canonical-json.js';
import type { CompiledPolicy } from '../policy/compile-policy.js';
import { evaluate } from '../policy/evaluate.js';
import type { PolicyVerdict, ToolCall, VerdictKind } from '../policy/verdict.js';
import type { RecordedCall } from './recorded-call.js';

export type ChangeDirection = 'loosened' | 'tightened';

/** A recorded call under the policy that its run froze and under the draft; verdicts of the evaluator alone (docs/policy-history.md). */
export interface JudgedCall {
  kind: 'judged';
  call: RecordedCall;
  view: ToolCall;
  before: PolicyVerdict;
  after: PolicyVerdict;
}

/** Why a recorded call cannot be judged. */
export const UNKNOWN_CAUSES = ['expired', 'not_kept', 'unreadable', 'policy_unreadable'] as const;
export type UnknownCause = (typeof UNKNOWN_CAUSES)[number];

export interface UnknownCall {
  kind: 'unknown';
  call: RecordedCall;
  cause: UnknownCause;
}

/** Both verdicts in the run's own mode, without session grants, tier and budgets. */
export function judgeTwice(
  call: RecordedCall,
  view: ToolCall,
  frozen: CompiledPolicy,
  draft: CompiledPolicy,
): JudgedCall {
  const { autonomy } = call.run;
  return {
    kind: 'judged',
    call,
    view,
    before: evaluate(frozen, view, autonomy),
    after: evaluate(draft, view, autonomy),
  };
}

const STRICTNESS: Record<VerdictKind, number> = { allow: 0, require_approval: 1, deny: 2 };

/** Null when the verdict stays. */
export function directionOf({ before, after }: Pick<JudgedCall, 'before' | 'after'>): ChangeDirection | null {
  if (before.verdict === after.verdict) return null;
  return STRICTNESS[after.verdict] < STRICTNESS[before.verdict] ? 'loosened' : 'tightened';
}

/** Whether both ask, but with another grant, time limit, suggestion or risk. */
export function asksDifferently({ before, after }: Pick<JudgedCall, 'before' | 'after'>): boolean {
  if (before.approval === null || after.approval === null) return false;
  return canonicalJson({ ...before.approval }) !== canonicalJson({ ...after.approval });
}
