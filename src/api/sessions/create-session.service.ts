import { Injectable } from '@nestjs/common';
import { describeFrozen, narrowPins } from '../../domain/capabilities/freeze-bundles.js';
import { digestOf, digestOfText } from '../../domain/digest/digest.js';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { POLICY_ENGINE } from '../../domain/policy/document.js';
import { parsePolicyLenient } from '../../domain/policy/parse-policy.js';
import { PriceList } from '../../domain/prices/price-list.js';
import { awaitsAuthorization } from '../../domain/creation/freeze-network.js';
import { questionSecs } from '../../domain/network/grant-question.js';
import { freezeSpec, type SpecSources } from '../../domain/creation/freeze-spec.js';
import { buildRunnerEnvironment } from '../../domain/run/runner-environment.js';
import type { RunSpec, WorkspaceSpec } from '../../domain/run/spec.js';
import { assertWithinCloneBase, resolveWorkspace } from '../../domain/run/workspace-input.js';
import { insertBindings } from '../../core/bindings/resource-bindings.js';
import { frozenGrantEvent, insertActiveGrant, parkRun } from '../../core/network/network-grants.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { cloneBaseOf, isConfiguredHost } from '../../platform/config/codehost.config.js';
import { Database } from '../../core/record/database.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { Tracing } from '../../platform/telemetry/tracing.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { findAgent, latestRevision } from '../../core/agents/agent-lookup.js';
import { userIdOf, type Principal } from '../auth/principal.js';
import { readPinned } from '../../core/capabilities/capability-queries.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { HarnessAvailability } from '../harnesses/harness-availability.js';
import { HarnessCatalog, type Harness } from '../harnesses/harness-catalog.js';
import { PolicyEntity } from '../../core/policies/policy.entity.js';
import { readHeadVersion } from '../../core/policies/policy-versions.js';
import { validContentOf } from '../policies/policy-views.js';
import type { CreateSession } from './create-session.dto.js';
import { claimKey } from '../../core/runs/idempotency-keys.js';
import { requireQueueRoom } from '../../core/runs/queue-room.js';
import { resolveBindings } from './run-bindings.js';
import { RunNetwork } from './run-network.js';
import { takeUpload } from './take-upload.js';
import { requireSession, viewSession } from './session-lookup.js';
import { SessionEntity, SessionHeadEntity } from '../../core/runs/session.entity.js';
import type { SessionView } from './sessions.dto.js';

export interface CreateSessionCommand {
  principal: Principal;
  body: CreateSession;
  /** The body as it was sent, unknown members included: what an `Idempotency-Key` is compared by. */
  sent: unknown;
  idempotencyKey: string | undefined;
}

/** Work on a stranger's code is started by events of a code host alone. */
const TRUST_TIER: RunSpec['trust_tier'] = 'trusted';

/** Creates runs: everything is resolved and frozen, then one transaction writes row, first event and wake-up (docs/design/runs.md). */
@Injectable()
export class CreateSessionService {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly catalog: HarnessCatalog,
    private readonly availability: HarnessAvailability,
    private readonly prices: PriceList,
    private readonly tracing: Tracing,
    private readonly egress: GuardedClient,
    private readonly network: RunNetwork,
  ) {}

  create(command: CreateSessionCommand): Promise<SessionView> {
    const runId = newRowId();
    return this.database.withTenant(command.principal.organizationId, async (tx) => {
      const earlier = await this.findEarlier(tx, command, runId);
      if (earlier !== null) return viewSession(tx, await requireSession(tx, earlier));
      const { spec, bindings } = await this.freeze(tx, command, runId);
      buildRunnerEnvironment(runId, spec);
      // A run that waits for a person takes no place in the queue.
      if (!awaitsAuthorization(spec)) await requireQueueRoom(tx, this.config.capacity);
      await insertSession(tx, runId, spec, {
        bindings,
        principal: command.principal,
        labels: command.body.labels ?? {},
        traceparent: this.tracing.currentTraceparent(),
      });
      return viewSession(tx, await requireSession(tx, runId));
    });
  }

  private async findEarlier(
    tx: TenantTransaction,
    command: CreateSessionCommand,
    runId: string,
  ): Promise<string | null> {
    if (command.idempotencyKey === undefined) return null;
    const digest = digestOf(command.sent as ExactJson);
    const claim = { scope: 'sessions', key: command.idempotencyKey, of: 'body', digest, runId } as const;
    return (await claimKey(tx, claim))?.runId ?? null;
  }

  private async freeze(
    tx: TenantTransaction,
    { principal, body }: CreateSessionCommand,
    runId: string,
  ): Promise<{ spec: RunSpec; bindings: ResourceBinding[] }> {
    const cloneBase = cloneBaseOf(this.config.codehost);
    resolveWorkspace(body, null, cloneBase);
    const agent = await findAgent(tx, body.agent);
    if (agent === null) throw new SandgateError('invalid_request', `agent: unknown agent ${body.agent}`);
    const revision = await latestRevision(tx, agent);
    const harness = await this.requireHarness(tx, revision);
    const policy = await tx.manager.findOneByOrFail(PolicyEntity, { id: revision.policy_id });
    const head = await readHeadVersion(tx, policy);
    const workspace = await takeUpload(tx, resolveWorkspace(body, revision.default_workspace, cloneBase), {
      principal,
      runId,
    });
    if (workspace.kind === 'local_copy') refuseHostPaths(principal);
    this.assertFetchable(workspace);
    const kept = narrowPins(revision.capability_bundles, body.capabilities ?? null);
    const bundles = await readPinned(tx, kept);
    const bound = await resolveBindings(tx, {
      runId,
      principal,
      requirements: revision.connection_requirements,
      pins: body.bindings ?? {},
      trustTier: TRUST_TIER,
      workspace,
    });
    const sources: SpecSources = {
      agent,
      revision,
      policy: { id: policy.id, version: head.version, content: validContentOf({ policy, version: head }) },
      request: {
        task: body.task,
        autonomous: body.autonomous === true,
        workspace: bound.workspace,
        budgets: body.budgets ?? null,
        allowUnpriced: body.allow_unpriced === true,
      },
      invocation: { kind: 'manual', actor: principal.name },
      trustTier: TRUST_TIER,
      bundles,
      brokered: bound.toolSets,
      network: await this.network.sources(tx, revision.network, body.network),
      sandboxDefaults: this.config.sandbox.defaults,
      policyEngine: POLICY_ENGINE,
      unpricedModel: harness.callsModel && this.prices.priceOf(revision.model) === null,
    };
    return { spec: this.network.counting(() => freezeSpec(sources)), bindings: bound.rows };
  }

  /** Why the host of a clone URL is refused without any look-up; its name is resolved at the fetch. */
  private assertFetchable(workspace: WorkspaceSpec): void {
    const { codehost } = this.config;
    assertWithinCloneBase(workspace, cloneBaseOf(codehost));
    if (workspace.kind !== 'git_repository' || workspace.clone_url.startsWith('file://')) return;
    if (isConfiguredHost(codehost, new URL(workspace.clone_url))) return;
    const refused = this.egress.admitUrl(workspace.clone_url);
    if (refused !== null) throw new SandgateError('invalid_request', `workspace.clone_url rejected: ${refused}`);
  }

  private async requireHarness(
    tx: TenantTransaction,
    { harness: id, model }: { harness: string; model: string },
  ): Promise<Harness> {
    const harness = this.catalog.find(id);
    if (harness === undefined)
      throw new SandgateError('invalid_request', `agent: its harness ${id} is unknown to this version`);
    const reason = await this.availability.whyNot(harness, model, (sql, values) => tx.query(sql, values));
    if (reason === null) return harness;
    throw new SandgateError('invalid_request', `agent: harness ${id} is not available: ${reason}`);
  }
}

/** Paths of the host are the operator's: whoever names one reads files that no role in an organization is about (docs/design/identity.md). */
function refuseHostPaths({ kind }: Principal): void {
  if (kind === 'operator') return;
  throw new SandgateError(
    'forbidden',
    'workspace: a copy of a folder of the host is for the operator; use git_repository',
  );
}

async function insertSession(
  tx: TenantTransaction,
  id: string,
  spec: RunSpec,
  {
    principal,
    bindings,
    ...of
  }: {
    principal: Principal;
    bindings: ResourceBinding[];
    labels: Record<string, string>;
    traceparent: string | null;
  },
): Promise<void> {
  const session = tx.manager.create(SessionEntity, {
    id,
    tenant_id: tx.organizationId,
    agent_id: spec.agent_id,
    agent_revision_id: spec.agent_revision_id,
    autonomy: spec.autonomy,
    trust_tier: spec.trust_tier,
    task: spec.task,
    ...of,
    repo_source: spec.workspace,
    run_spec: spec,
    run_spec_digest: digestOf(spec as unknown as ExactJson),
    trigger: spec.invocation,
    budgets: spec.budgets,
    invoked_by_kind: principal.kind,
    invoked_by_user_id: userIdOf(principal),
  });
  await tx.manager.insert(SessionEntity, session);
  await tx.manager.insert(SessionHeadEntity, { session_id: id, tenant_id: tx.organizationId });
  await insertBindings(tx, bindings);
  await tx.append(id, firstEvents(spec));
  await storeGrant(tx, id, spec);
  await tx.enqueue(id, 'created');
}

/** A grant that a person has to authorize parks its run; any other is in force at once. */
async function storeGrant(tx: TenantTransaction, id: string, spec: RunSpec): Promise<void> {
  if (spec.network.mode !== 'approved') return;
  if (!awaitsAuthorization(spec)) return insertActiveGrant(tx, id, spec.network);
  const { default_ttl_secs: ttlSecs } = parsePolicyLenient(spec.policy_snapshot).approvals;
  const wallClockSecs = spec.budgets.max_wall_clock_secs ?? 0;
  await parkRun(tx, id, spec.network, questionSecs(ttlSecs, spec.network, { wallClockSecs, now: new Date() }));
}

function firstEvents(spec: RunSpec): NewEvent[] {
  const created: NewEvent = {
    actor: 'system',
    type: 'session.created',
    data: { agent: spec.agent_name, autonomy: spec.autonomy, task_digest: digestOfText(spec.task) },
  };
  const events: NewEvent[] = [created];
  if (spec.capabilities !== undefined)
    events.push({ actor: 'system', type: 'capability.frozen', data: describeFrozen(spec.capabilities) });
  if (spec.network.mode === 'approved') events.push(frozenGrantEvent(spec.network, awaitsAuthorization(spec)));
  return events;
}
