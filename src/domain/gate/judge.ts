import type { ExactJson } from '../digest/exact-json.js';
import { evaluate } from '../policy/evaluate.js';
import type { PolicyVerdict } from '../policy/verdict.js';
import { isMcpName, parseMcpName } from '../tools/mcp-name.js';
import { stringMember } from '../tools/tool-input.js';
import type { DecisionSource } from './decision-source.js';
import type { GateCall, GateSpec, GateVerdict } from './gate-verdict.js';
import { GATE_MESSAGES, trustTierMessage } from './messages.js';
import { isReadSafe } from './read-only-tier.js';
import { whyNotShowable } from './showable-input.js';

/**
 * Judges a call against the frozen run spec in the order budget, frozen set, schema, trust tier, policy, approvals
 * (chapter 30 §7.1, CP-317). Of two stages that would refuse, the earlier one answers. What needs the record — replay, the exact
 * count of calls, session grants — is the caller's. Pure and deterministic.
 *
 * A run has no MCP tools as long as nothing is frozen into its spec, so every `mcp__*` name is refused and no schema applies.
 */
export function judge(spec: GateSpec, call: GateCall): GateVerdict {
  const { tool } = call;
  const input = call.input ?? null;
  if (spec.maxToolCalls !== null && call.toolCalls !== undefined && call.toolCalls > spec.maxToolCalls) {
    return refusal('budget', GATE_MESSAGES.budgetExceeded);
  }
  if (isMcpName(tool)) {
    return refusal(
      'capability',
      parseMcpName(tool) === null ? GATE_MESSAGES.malformedMcpName : GATE_MESSAGES.notInFrozenSet,
    );
  }
  const policyVerdict = evaluate(spec.policy, { tool, input }, spec.autonomy);
  if (spec.trustTier === 'read_only' && !isReadSafe({ tool, input })) {
    const message = trustTierMessage(tool, stringMember(input, 'command'));
    return {
      ...refusal('trust_tier', message),
      original_verdict: policyVerdict.original_verdict,
      explanation: policyVerdict.explanation,
    };
  }
  return policyStage(policyVerdict, input);
}

type Refusal = Extract<GateVerdict, { kind: 'deny' }>;

function refusal(source: DecisionSource, message: string): Refusal {
  return { kind: 'deny', source, original_verdict: null, reason: message, message, explanation: null };
}

function policyStage(verdict: PolicyVerdict, input: ExactJson): GateVerdict {
  const { explanation, reason } = verdict;
  const source = verdict.rewritten ? 'autonomy_rewrite' : 'policy';
  const original = verdict.rewritten ? verdict.original_verdict : null;
  if (verdict.verdict === 'allow') return { kind: 'allow', source, original_verdict: original, reason, explanation };
  const message = reason ?? GATE_MESSAGES.deniedByPolicy;
  if (verdict.approval === null) return { ...refusal(source, message), original_verdict: original, explanation };
  const unshowable = whyNotShowable(input);
  if (unshowable !== null) return { ...refusal('policy', unshowable), explanation };
  return { kind: 'require_approval', reason: message, approval: verdict.approval, explanation };
}
