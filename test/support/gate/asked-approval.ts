import { v7 as uuidv7 } from 'uuid';
import { digestOf } from '../../../src/domain/digest/digest.js';
import type { ExactJson } from '../../../src/domain/digest/exact-json.js';
import { writeShownCall, type CallFindings } from '../../../src/domain/gate/shown-call.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { requestApproval } from '../../../src/core/gate/gate.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { ToolCallPayloads } from '../../../src/core/gate/tool-call-payloads.js';
import type { TestApi } from '../api/api.js';
import { createRun, gateCall, type FixtureRun } from '../runs/run-fixture.js';

export interface AskOptions {
  tool?: string;
  input?: object;
  keys?: string[];
  ttlSecs?: number;
  findings?: Partial<CallFindings>;
  explanation?: JsonObject;
}

const NOTHING_FOUND: CallFindings = {
  subject: null,
  cwd: null,
  parts: [],
  parts_omitted: 0,
  not_known_beforehand: [],
  once_because: null,
};

/** A run of the seeded agent, in the organization of the API. */
export async function newRun(api: TestApi): Promise<FixtureRun> {
  const { rows } = await api.database.owner.query<{ agent: string; revision: string; policy: string }>(
    `select a.id as agent, r.id as revision, r.policy_id as policy from agents a join agent_revisions r on r.agent_id = a.id where a.name = 'fixer'`,
  );
  const found = rows[0];
  if (found === undefined) throw new Error('the seeded agent is missing');
  return createRun(api.db, {
    in: {
      organizationId: api.organizationId,
      agentId: found.agent,
      revisionId: found.revision,
      policyId: found.policy,
    },
  });
}

/** What the gate does for a call that needs a human; answers the id of the approval. */
export async function ask(api: TestApi, of: FixtureRun, options: AskOptions = {}): Promise<string> {
  const input = (options.input ?? { command: 'git push' }) as ExactJson;
  const call = gateCall(of, {
    toolCallId: `call-${uuidv7()}`,
    inputDigest: digestOf(input),
    tool: options.tool ?? 'Bash',
  });
  const payloads = new ToolCallPayloads(api.db, createSealer(api.db, api.config.seal));
  const place = { organizationId: of.organizationId, runId: of.runId, toolCallId: call.toolCallId };
  const shown = writeShownCall({ input, findings: { ...NOTHING_FOUND, ...options.findings } });
  const answer = await requestApproval(api.db, call, {
    source: 'policy',
    risk: 'pushes',
    reason: 'needs a human',
    scope: 'once',
    scopeKey: (options.keys ?? ['git push']).join(', '),
    scopeKeys: options.keys ?? ['git push'],
    explanation: options.explanation ?? { decided_by: 'no_prefix', rule: 1, reason: 'needs a human', files: [] },
    ttlSecs: options.ttlSecs ?? 600,
    maxPending: 16,
    payload: await payloads.protect({ ...place, kind: 'input' }, shown),
  });
  if (answer.approvalId === null) throw new Error(`nothing was asked: ${answer.outcome}`);
  return answer.approvalId;
}
