import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ExactJson, ExactObject } from '../../domain/digest/exact-json.js';
import { isExactObject } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';
import type { CompiledPolicy } from '../../domain/policy/compile-policy.js';
import { compileDocument } from '../../domain/policy/compile-policy.js';
import { evaluate } from '../../domain/policy/evaluate.js';
import { parsePolicyStrict } from '../../domain/policy/parse-policy.js';
import { validatePolicyYaml } from '../../domain/policy/policy-yaml.js';
import { Database } from '../../core/record/database.js';
import type { PolicyValidity } from './policies.dto.js';
import { mcpToolsUnder } from '../../core/policies/policy-users.js';
import { findPolicy } from '../../core/policies/policy-versions.js';
import { governedView } from './policy-views.js';
import type { ExplainedCall, PolicyPreview } from './preview.dto.js';

/** How long judging the calls of one preview may block the process, in milliseconds. */
const TURN_MS = 20;
/** Parts of commands that one preview lists; nested ones repeat each other's text. */
const MAX_PARTS = 10_000;

export interface PreviewCommand {
  /** The draft and the calls as they were sent, numbers as they were written. */
  content: ExactJson;
  /** Policy whose agents' MCP tools join the matrix. */
  name: string | null;
  calls: ExactObject[] | null;
}

/** Judges documents that are not stored (docs/design/policy.md). */
@Injectable()
export class PolicyDraftsService {
  constructor(private readonly database: Database) {}

  validate(yaml: string): PolicyValidity {
    const { document, errors } = validatePolicyYaml(yaml);
    return document === null ? { valid: false, errors } : { valid: true, errors: [], name: document.name };
  }

  /** @throws SandgateError `invalid_request` naming every fault of the draft; an unknown `name` is no error */
  async preview(organizationId: string, { content, name, calls }: PreviewCommand): Promise<PolicyPreview> {
    const document = parsePolicyStrict(content);
    const mcpTools = name === null ? [] : await this.mcpTools(organizationId, name);
    const view = governedView(document, mcpTools);
    return calls === null ? view : { ...view, explain: await explainCalls(compileDocument(document), calls) };
  }

  private mcpTools(organizationId: string, name: string): Promise<string[]> {
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await findPolicy(tx, name);
      return policy === null ? [] : mcpToolsUnder(tx, policy.id);
    });
  }
}

async function explainCalls(policy: CompiledPolicy, calls: readonly ExactObject[]): Promise<ExplainedCall[]> {
  const explained: ExplainedCall[] = [];
  let turn = performance.now();
  let room = MAX_PARTS;
  for (const call of calls) {
    const answer = explainCall(policy, call, room);
    room -= answer.explanation.parts.length;
    explained.push(answer);
    if (performance.now() - turn < TURN_MS) continue;
    await nextTurn();
    turn = performance.now();
  }
  return explained;
}

function explainCall(policy: CompiledPolicy, sent: ExactObject, room: number): ExplainedCall {
  const tool = sent['tool'] as string;
  const call = { tool, input: sent['input'] ?? null };
  const { verdict, reason, approval, explanation } = evaluate(policy, call, 'supervised');
  const autonomous = evaluate(policy, call, 'autonomous').verdict;
  const parts = explanation.parts.slice(0, room);
  const omitted = explanation.parts_omitted + explanation.parts.length - parts.length;
  return {
    tool,
    verdict,
    autonomous_verdict: autonomous,
    reason,
    approval,
    explanation: { ...explanation, parts, parts_omitted: omitted },
  };
}

/**
 * The `calls` of a body as they were sent.
 *
 * @throws SandgateError `invalid_request` for one that is no object with a tool
 */
export function callsOf({ calls }: ExactObject): ExactObject[] | null {
  if (!Array.isArray(calls)) return null;
  return calls.map((call, i) => {
    if (isExactObject(call) && typeof call['tool'] === 'string') return call;
    throw new SandgateError('invalid_request', `calls.${i}: must be an object with the name of a tool`);
  });
}
