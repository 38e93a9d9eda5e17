import { mapItems } from '../map-items.js';
import { redactText } from '../redaction/redact-text.js';
import { commandOf, pathsOf, stringMember } from '../tools/tool-input.js';
import type { CompiledPolicy } from './compile-policy.js';
import type { AutonomousAction } from './document.js';
import { judgePaths } from './judge-paths.js';
import { judgeShell } from './judge-shell.js';
import type { Outcome } from './outcome.js';
import { explain, firstCharacters, isStricter, reasonOf, SHOWN_PART } from './outcome.js';
import { resolvePath, WORKSPACE_ROOT } from './paths/path.js';
import type {
  ApprovalTerms,
  AutonomyMode,
  PolicyAction,
  PolicyVerdict,
  ShellPartView,
  ToolCall,
  VerdictKind,
} from './verdict.js';

const VERDICTS: Record<PolicyAction, VerdictKind> = { allow: 'allow', approve: 'require_approval', deny: 'deny' };

export const AUTONOMOUS_REASON = 'the call needs the approval of a human and the run is autonomous';

/**
 * What a policy says of a call (docs/design/policy.md, docs/design/gate.md). Deterministic, without I/O, never throws on any call.
 * In autonomous mode a question is replaced by the rule's or the policy's answer, so the verdict is never `require_approval`.
 */
export function evaluate(policy: CompiledPolicy, call: ToolCall, mode: AutonomyMode): PolicyVerdict {
  const { outcomes, parts } = outcomesOf(policy, call);
  const original = strictestOf(outcomes);
  if (mode === 'supervised' || original.action !== 'approve')
    return verdictOf(policy, original, original, outcomes, parts);
  const rewritten = mapItems(outcomes, (outcome): Outcome => {
    return outcome.action === 'approve' ? { ...outcome, action: autonomousAction(policy, outcome) } : outcome;
  });
  return verdictOf(policy, original, strictestOf(rewritten), outcomes, parts);
}

function outcomesOf(
  policy: CompiledPolicy,
  { tool, input }: ToolCall,
): { outcomes: Outcome[]; parts: ShellPartView[] } {
  const [defect] = policy.defects;
  if (defect !== undefined) return { outcomes: [invalidPolicy(defect)], parts: [] };
  const found = policy.index.firstRule(tool);
  const rule = found === null ? null : policy.rules[found.rule]!;
  const base = { rule, matcher: found?.matcher ?? null, pattern: null, subject: null, keys: [tool] };
  if (rule === null) {
    return {
      outcomes: [{ ...base, action: policy.document.defaults.tool_action, decidedBy: 'default_action' }],
      parts: [],
    };
  }
  const directory = directoryOf(stringMember(input, 'cwd'));
  if (rule.shell !== null) return judgeShell(policy, rule, base.matcher ?? '', commandOf(input), directory);
  if (rule.paths !== null) {
    const candidates = mapItems(pathsOf(input), (path) => resolvePath(path, directory));
    return { outcomes: [{ ...base, ...judgePaths(rule, tool, candidates) }], parts: [] };
  }
  return { outcomes: [{ ...base, action: rule.rule.action, decidedBy: 'rule_action' }], parts: [] };
}

/** A deny pattern that does not compile was meant to stop something unknown, so every call is denied. */
function invalidPolicy(defect: string): Outcome {
  const nothing = { rule: null, matcher: null, pattern: null, keys: null };
  return { ...nothing, action: 'deny', decidedBy: 'invalid_policy', subject: defect };
}

/** A harness may say in which directory the call runs; null when it says something that cannot be resolved. */
function directoryOf(cwd: string | null): string | null {
  return cwd === null || cwd === '' ? WORKSPACE_ROOT : resolvePath(cwd).path;
}

function strictestOf(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((worst, outcome) => (isStricter(outcome.action, worst.action) ? outcome : worst));
}

function autonomousAction(policy: CompiledPolicy, { rule }: Outcome): AutonomousAction {
  return rule?.rule.on_autonomous ?? policy.document.autonomy.on_approval_rule;
}

function verdictOf(
  policy: CompiledPolicy,
  original: Outcome,
  effective: Outcome,
  outcomes: readonly Outcome[],
  parts: ShellPartView[],
): PolicyVerdict {
  const rewritten = effective.action !== original.action;
  const asks = effective.action === 'approve';
  return {
    verdict: VERDICTS[effective.action],
    original_verdict: VERDICTS[original.action],
    rewritten,
    reason: reasonFor(effective, rewritten),
    approval: asks ? approvalTerms(policy, original, outcomes) : null,
    explanation: explain(original, parts),
  };
}

function reasonFor(effective: Outcome, rewritten: boolean): string | null {
  if (effective.action === 'allow') return null;
  return rewritten ? AUTONOMOUS_REASON : reasonOf(effective);
}

/** A call has keys only when everything in it that asks has one; a grant must hold them all (CP-148). */
function approvalTerms(policy: CompiledPolicy, decisive: Outcome, outcomes: readonly Outcome[]): ApprovalTerms {
  const { approvals } = policy.document;
  const rule = decisive.rule?.rule ?? null;
  const { keys, once } = grantable(outcomes);
  return {
    risk: rule?.risk ?? null,
    ttl_secs: rule?.approval_ttl_secs ?? approvals.default_ttl_secs,
    scope: rule?.approval_scope ?? approvals.scope,
    scope_keys: keys,
    scope_key: keys?.join(', ') ?? null,
    once_because: once,
  };
}

function grantable(outcomes: readonly Outcome[]): { keys: string[]; once: null } | { keys: null; once: string } {
  const named = new Set<string>();
  for (const outcome of outcomes) {
    if (outcome.action !== 'approve') continue;
    if (outcome.keys === null)
      return { keys: null, once: firstCharacters(outcome.once ?? NOTHING_TO_GRANT, SHOWN_PART) };
    for (const key of outcome.keys) named.add(key);
  }
  const keys = [...named];
  if (keys.length > 1) keys.sort();
  if (keys.length === 0) return { keys: null, once: NOTHING_TO_GRANT };
  // A key rests in clear with the approval and is shown to whoever may read the run.
  return keys.some((key) => redactText(key) !== key) ? { keys: null, once: HOLDS_A_SECRET } : { keys, once: null };
}

const NOTHING_TO_GRANT = 'the call names nothing that could be granted';
const HOLDS_A_SECRET = 'a word that would be named looks like a secret';
