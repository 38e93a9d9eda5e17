import { digestOf } from '../../../src/domain/digest/digest.js';
import type { ExactJson } from '../../../src/domain/digest/exact-json.js';
import { writePolicyView } from '../../../src/domain/simulation/policy-view.js';
import { summarize } from '../../../src/domain/tools/summary.js';
import type { Database } from '../../../src/core/record/database.js';
import { decideAutomatic, type AutomaticVerdict } from '../../../src/core/gate/gate.js';
import type { ToolCallPayloads } from '../../../src/core/gate/tool-call-payloads.js';
import { gateCall, type FixtureRun } from './run-fixture.js';

export interface RecordedInput {
  id: string;
  tool: string;
  input: ExactJson;
  verdict?: AutomaticVerdict;
}

const ALLOWED: AutomaticVerdict = { kind: 'allow', source: 'policy', originalVerdict: null, reason: null };

/** Puts calls on the record as the gate does, without their views: what a crash right after it would leave. */
export async function recordCalls(db: Database, run: FixtureRun, calls: readonly RecordedInput[]): Promise<void> {
  for (const { id, tool, input, verdict } of calls) {
    const described = { summary: summarize(tool, input).replaceAll('\0', ''), inputDigest: digestOf(input) };
    const answer = await decideAutomatic(db, gateCall(run, { toolCallId: id, tool, ...described }), verdict ?? ALLOWED);
    if (answer.outcome !== 'allow' && answer.outcome !== 'deny') throw new Error(`the gate answered ${answer.outcome}`);
  }
}

/** Keeps the views of these calls. @returns how many are new */
export function keepViews(
  payloads: ToolCallPayloads,
  run: FixtureRun,
  calls: readonly RecordedInput[],
  keepSecs = 86_400,
): Promise<number> {
  const views = calls.flatMap(({ id, tool, input }) => {
    const text = writePolicyView({ tool, input });
    return text === null ? [] : [{ runId: run.runId, toolCallId: id, text }];
  });
  return payloads.storePolicyViews(run.organizationId, views, keepSecs);
}
