import type { ExactJson } from '../digest/exact-json.js';
import type { CompiledPolicy } from '../policy/compile-policy.js';
import type { ApprovalTerms, AutonomyMode, Explanation, VerdictKind } from '../policy/verdict.js';
import type { DecisionSource } from './decision-source.js';
import type { ToolSet } from './tool-set.js';
import type { SchemaFinding } from './schema-finding.js';

/** What the gate needs of a frozen RunSpec. Compile the policy once per run and digest. */
export interface GateSpec {
  policy: CompiledPolicy;
  /** The MCP tools of the run; every other `mcp__*` name is refused. */
  tools: ToolSet;
  autonomy: AutonomyMode;
  trustTier: 'trusted' | 'read_only';
}

export interface GateCall {
  tool: string;
  /** As parsed by `parseJsonPreservingNumbers`; absent counts as null. */
  input: ExactJson | undefined;
  /** What the schema of a frozen tool says about the input. A frozen tool whose schema was not checked is refused. */
  schema?: SchemaFinding | undefined;
}

export type GateVerdict =
  | {
      kind: 'allow';
      source: 'policy' | 'autonomy_rewrite';
      /** Set for `autonomy_rewrite`, else null. */
      original_verdict: VerdictKind | null;
      reason: string | null;
      explanation: Explanation;
    }
  | {
      kind: 'deny';
      source: DecisionSource;
      /** Set for `autonomy_rewrite` and `trust_tier`, else null. */
      original_verdict: VerdictKind | null;
      /** Goes into `tool.decision`. */
      reason: string;
      /** Goes to the runner. */
      message: string;
      /** Null when the call was refused before policy. */
      explanation: Explanation | null;
    }
  | { kind: 'require_approval'; reason: string; approval: ApprovalTerms; explanation: Explanation };

/** What a runner is told. `inactive`: the run accepts no work. `gone`: the caller hung up before there was an answer. */
export type GateResult =
  | { kind: 'allow' }
  | { kind: 'deny'; message: string }
  | { kind: 'inactive' }
  | { kind: 'gone' };
