import type { PolicyCase } from './case-file.js';
import type { CompiledPolicy } from './compile-policy.js';
import { evaluate } from './evaluate.js';
import type { PolicyVerdict, VerdictKind } from './verdict.js';

export interface CaseResult {
  name: string;
  tool: string;
  mode: PolicyCase['mode'];
  expected: VerdictKind;
  verdict: VerdictKind;
  reason: string | null;
  rule: number | null;
  key: string | null;
  /** What differs from the expectation, one sentence each; empty when the case holds. */
  mismatches: string[];
}

/** Tries a policy on cases: the same evaluation as the gate's, without grants, tier and budgets. */
export function runCases(policy: CompiledPolicy, cases: readonly PolicyCase[]): CaseResult[] {
  return cases.map((each) => runCase(policy, each));
}

function runCase(policy: CompiledPolicy, { name, tool, input, mode, expect }: PolicyCase): CaseResult {
  const verdict = evaluate(policy, { tool, input }, mode);
  const key = verdict.approval?.scope_key ?? null;
  return {
    name,
    tool,
    mode,
    expected: expect.verdict,
    verdict: verdict.verdict,
    reason: verdict.reason,
    rule: verdict.explanation.rule,
    key,
    mismatches: mismatches(expect, verdict, key),
  };
}

function mismatches(expect: PolicyCase['expect'], verdict: PolicyVerdict, key: string | null): string[] {
  const { rule } = verdict.explanation;
  const found: string[] = [];
  if (verdict.verdict !== expect.verdict) found.push(`expected ${expect.verdict}, got ${verdict.verdict}`);
  if (expect.reason !== null && verdict.reason?.includes(expect.reason) !== true) {
    found.push(`the reason does not hold "${expect.reason}": ${verdict.reason ?? 'there is none'}`);
  }
  if (expect.rule !== undefined && rule !== expect.rule)
    found.push(`expected rule ${shown(expect.rule)}, got ${shown(rule)}`);
  if (expect.key !== undefined && key !== expect.key)
    found.push(`expected key ${shown(expect.key)}, got ${shown(key)}`);
  return found;
}

function shown(value: number | string | null): string {
  return value === null ? 'none' : String(value);
}
