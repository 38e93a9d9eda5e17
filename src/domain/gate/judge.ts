import type { ExactJson } from '../digest/exact-json.js';
import { evaluate } from '../policy/evaluate.js';
import type { PolicyVerdict } from '../policy/verdict.js';
import { isMcpName, parseMcpName } from '../tools/mcp-name.js';
import { stringMember } from '../tools/tool-input.js';
import type { DecisionSource } from './decision-source.js';
import type { GateCall, GateSpec, GateVerdict } from './gate-verdict.js';
import { argumentsRejectedMessage, GATE_MESSAGES, trustTierMessage, unusableSchemaReason } from './messages.js';
import { isReadSafe } from './read-only-tier.js';
import type { SchemaFinding } from './schema-finding.js';
import { whyNotShowable } from './showable-input.js';

/**
 * Judges a call against the frozen run spec in the order tool set, schema, trust tier, policy, approvals (CP-317). Of two stages
 * that would refuse, the earlier one answers. What needs the record (replay and budget before these, session grants after them)
 * is left to the caller, and so is the schema check, which takes a thread of its own (docs/design/gate.md). Pure and deterministic.
 */
export function judge(spec: GateSpec, call: GateCall): GateVerdict {
  const { tool } = call;
  const input = call.input ?? null;
  const unfit = isMcpName(tool) ? refuseMcpCall(spec, call) : null;
  if (unfit !== null) return unfit;
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

/** Tool set, then schema: built-in tools skip both. */
function refuseMcpCall(spec: GateSpec, { tool, schema }: GateCall): Refusal | null {
  if (parseMcpName(tool) === null) return refusal('capability', GATE_MESSAGES.malformedMcpName);
  if (spec.tools.find(tool) === undefined) return refusal('capability', GATE_MESSAGES.notInToolSet);
  return refuseBySchema(schema ?? { kind: 'unusable', reason: 'it was not asked' });
}

function refuseBySchema(finding: SchemaFinding): Refusal | null {
  switch (finding.kind) {
    case 'valid':
      return null;
    case 'rejected':
      return refusal('schema', argumentsRejectedMessage(finding.pointers));
    case 'unusable':
      return {
        ...refusal('schema', GATE_MESSAGES.frozenSchemaInvalid),
        reason: unusableSchemaReason(finding.reason),
      };
  }
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
