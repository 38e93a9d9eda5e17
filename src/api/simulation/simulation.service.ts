import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { digestOf } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import { canonicalPolicy } from '../../domain/policy/canonical-form.js';
import { POLICY_ENGINE } from '../../domain/policy/document.js';
import { ChangeReport, type ChangeSummary } from '../../domain/simulation/change-report.js';
import { Database } from '../../core/record/database.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { ToolCallPayloads } from '../../core/gate/tool-call-payloads.js';
import { findAgent } from '../../core/agents/agent-lookup.js';
import type { Principal } from '../auth/principal.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { requirePolicy } from '../../core/policies/policy-versions.js';
import { JudgedCalls } from './judged-calls.js';
import { readEventSeqs, readRevisions, type CallFilter } from '../../core/simulation/recorded-calls.js';
import { readDraft, readLimit, readTime } from './simulation-request.js';
import { SimulationQueue } from './simulation-queue.js';
import { toSimulationView, type SimulatePolicy, type SimulationView } from './simulation.dto.js';

/** After this long the answer covers only what was examined so far. */
const MAX_MS = 20_000;

/** Tries a draft of a policy against recorded calls (docs/policy-history.md). Nothing is stored, and nothing of a run changes. */
@Injectable()
export class SimulationService {
  constructor(
    private readonly database: Database,
    private readonly payloads: ToolCallPayloads,
    private readonly config: ApiConfig,
    private readonly logger: PinoLogger,
    private readonly queue: SimulationQueue,
  ) {}

  async simulate(
    { organizationId, name: caller }: Principal,
    name: string,
    body: SimulatePolicy,
    signal: AbortSignal,
  ): Promise<SimulationView> {
    const draft = readDraft(body);
    const limit = readLimit(body.limit);
    const { policyId, filter } = await this.database.withTenant(organizationId, (tx) => readFilter(tx, name, body));
    const historyDays = this.payloads.keepsPolicyViews ? this.config.ledger.policyHistoryDays : 0;
    const simulation = { organizationId, draft, filter, limit, maxMs: MAX_MS, historyDays, signal };
    const calls = new JudgedCalls(this.database, this.payloads, simulation);
    const summary = await this.queue.run(() => summarize(calls));
    if (calls.unreadable > 0) this.logger.warn({ views: calls.unreadable }, 'policy views could not be opened');
    this.logger.info({ caller, policyId, ...summary.totals }, 'a draft of a policy was tried against recorded calls');
    return toSimulationView({
      policy: { id: policyId, name },
      draft: { name: draft.name, digest: digestOf(canonicalPolicy(draft)), policy_engine: POLICY_ENGINE },
      summary,
      seqs: await this.locate(organizationId, summary),
      limits: { calls: limit, stopped: calls.stopped, not_examined: calls.notExamined },
      historyDays,
    });
  }

  private locate(organizationId: string, { changes }: ChangeSummary): Promise<Map<string, number>> {
    const examples = changes.flatMap((group) => group.examples);
    const calls = examples.map((one) => ({ runId: one.session_id, toolCallId: one.tool_call_id }));
    return this.database.withTenant(organizationId, (tx) => readEventSeqs(tx, calls));
  }
}

async function summarize(calls: JudgedCalls): Promise<ChangeSummary> {
  const report = new ChangeReport();
  for await (const seen of calls) report.add(seen);
  return report.finish();
}

async function readFilter(
  tx: TenantTransaction,
  name: string,
  body: SimulatePolicy,
): Promise<{ policyId: string; filter: CallFilter }> {
  const policy = await requirePolicy(tx, name);
  const agent = body.agent === undefined ? null : await findAgent(tx, body.agent);
  if (agent === null && body.agent !== undefined) {
    throw new SandgateError('invalid_request', `agent: unknown agent ${body.agent}`);
  }
  const filter: CallFilter = {
    revisionIds: body.all_policies === true ? null : await readRevisions(tx, policy.id),
    agentId: agent?.id ?? null,
    runIds: body.session_ids?.map((id) => id.toLowerCase()) ?? null,
    since: readTime(body.since, 'since'),
    until: readTime(body.until, 'until'),
    tools: body.tools ?? null,
  };
  return { policyId: policy.id, filter };
}
