import { describeFrozen, narrowPins } from '../../domain/capabilities/freeze-bundles.js';
import type { BudgetLayer } from '../../domain/budgets/effective-budgets.js';
import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import { awaitsAuthorization } from '../../domain/creation/freeze-network.js';
import { freezeSpec, type SpecSources } from '../../domain/creation/freeze-spec.js';
import { digestOf, digestOfText } from '../../domain/digest/digest.js';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { JsonObject } from '../../domain/json.js';
import { questionSecs } from '../../domain/network/grant-question.js';
import type { NetworkInput } from '../../domain/network/request.js';
import { POLICY_ENGINE } from '../../domain/policy/document.js';
import { parsePolicyLenient } from '../../domain/policy/parse-policy.js';
import type { PriceList } from '../../domain/prices/price-list.js';
import { buildRunnerEnvironment } from '../../domain/run/runner-environment.js';
import type { Invocation, RunSpec } from '../../domain/run/spec.js';
import { resolveWorkspace } from '../../domain/run/workspace-input.js';
import { cloneBaseOf } from '../../platform/config/codehost.config.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import type { Tracing } from '../../platform/telemetry/tracing.js';
import { chosenRevision, findAgent } from '../agents/agent-lookup.js';
import { insertBindings } from '../bindings/resource-bindings.js';
import { readPinned } from '../capabilities/capability-queries.js';
import type { HarnessAvailability } from '../harnesses/harness-availability.js';
import type { Harness, HarnessCatalog } from '../harnesses/harness-catalog.js';
import { frozenGrantEvent, insertActiveGrant, parkRun } from '../network/network-grants.js';
import { requireActiveOrganization } from '../organizations/require-active.js';
import { validContentOf } from '../policies/policy-content.js';
import { readAtHead } from '../policies/policy-versions.js';
import type { TenantTransaction } from '../record/database.js';
import type { ResultDestination } from '../../domain/run/result-destination.js';
import { requireQueueRoom } from '../runs/queue-room.js';
import { SessionEntity, SessionHeadEntity } from '../runs/session.entity.js';
import { assertFetchable } from './fetchable-workspace.js';
import { resolveBindings } from './run-bindings.js';
import type { RunNetwork } from './run-network.js';
import type { RunStarter } from './run-starter.js';
import { takeUpload } from './take-upload.js';

/** What a run is created from, before anything is looked up. */
export interface RunRequest {
  runId: string;
  starter: RunStarter;
  invocation: Invocation;
  /** `read_only` for work on a stranger's code. */
  trustTier: RunSpec['trust_tier'];
  /** Id or name; the latest revision runs. */
  agent: string;
  task: string;
  /** As a client writes it; the revision's default where neither is given. */
  workspace?: unknown;
  /** Older name of `workspace`. */
  repo?: unknown;
  budgets: BudgetLayer | null;
  autonomous: boolean;
  allowUnpriced: boolean;
  /** Keep-list of bundle names; null keeps all. */
  capabilities: string[] | null;
  /** Slot name to connection id. */
  bindings: JsonObject;
  network: NetworkInput | null;
  labels: Record<string, string>;
  /** The subscription that starts it; null for a run that somebody asks for. */
  subscription: RunSubscription | null;
  /** Where its result goes; under the authority of the subscription or of its connection. */
  destinations: ResultDestination[];
}

/** What a run takes from its subscription beside the request. */
export interface RunSubscription {
  id: string;
  /** Of its callback. */
  authorityGeneration: number;
  /** Runs in place of the agent's latest one. */
  pinnedRevisionId: string | null;
}

interface RunCreationParts {
  config: Pick<SandgateConfig, 'capacity' | 'codehost' | 'sandbox'>;
  catalog: HarnessCatalog;
  availability: HarnessAvailability;
  prices: PriceList;
  tracing: Tracing;
  egress: GuardedClient;
  network: RunNetwork;
}

/** A run that is about to be written. */
interface FrozenRun {
  spec: RunSpec;
  bindings: ResourceBinding[];
}

/** Creates runs, whatever starts them: everything is resolved and frozen, then row, first events and wake-up are written (docs/design/runs.md). */
export class RunCreation {
  constructor(private readonly on: RunCreationParts) {}

  /** @throws SandgateError naming what cannot be accepted; the caller's transaction must not commit then */
  async create(tx: TenantTransaction, request: RunRequest): Promise<void> {
    await requireActiveOrganization(tx);
    const frozen = await this.freeze(tx, request);
    buildRunnerEnvironment(request.runId, frozen.spec);
    // A run that waits for a person takes no place in the queue.
    if (!awaitsAuthorization(frozen.spec)) await requireQueueRoom(tx, this.on.config.capacity);
    await this.insert(tx, request, frozen);
  }

  private async freeze(tx: TenantTransaction, request: RunRequest): Promise<FrozenRun> {
    const { runId, starter, trustTier } = request;
    const { config, network, prices } = this.on;
    const cloneBase = cloneBaseOf(config.codehost);
    resolveWorkspace(request, null, cloneBase);
    const agent = await findAgent(tx, request.agent);
    if (agent === null) throw new SandgateError('invalid_request', `agent: unknown agent ${request.agent}`);
    const pinned = request.subscription?.pinnedRevisionId ?? null;
    const revision = await chosenRevision(tx, agent, pinned);
    const harness = await this.requireHarness(tx, revision);
    const policyAt = await readAtHead(tx, revision.policy_id);
    const requested = resolveWorkspace(request, revision.default_workspace, cloneBase);
    const workspace = await takeUpload(tx, requested, { starter, runId });
    if (workspace.kind === 'local_copy') refuseHostPaths(starter, request);
    assertFetchable(workspace, { codehost: config.codehost, egress: this.on.egress });
    const bundles = await readPinned(tx, narrowPins(revision.capability_bundles, request.capabilities));
    const bound = await resolveBindings(tx, {
      ...{ runId, starter, trustTier, workspace, destinations: request.destinations },
      subscription: request.subscription,
      requirements: revision.connection_requirements,
      pins: request.bindings,
    });
    const sources: SpecSources = {
      ...{ agent, revision, trustTier, bundles },
      policy: { id: revision.policy_id, version: policyAt.version.version, content: validContentOf(policyAt) },
      request: { ...request, workspace: bound.workspace, destinations: bound.destinations },
      invocation: request.invocation,
      brokered: bound.toolSets,
      network: await network.sources(tx, revision.network, request.network),
      sandboxDefaults: config.sandbox.defaults,
      policyEngine: POLICY_ENGINE,
      unpricedModel: harness.callsModel && prices.priceOf(revision.model) === null,
    };
    return { spec: network.countRefusal(() => freezeSpec(sources)), bindings: bound.rows };
  }

  private async requireHarness(
    tx: TenantTransaction,
    { harness: id, model }: { harness: string; model: string },
  ): Promise<Harness> {
    const harness = this.on.catalog.find(id);
    if (harness === undefined)
      throw new SandgateError('invalid_request', `agent: its harness ${id} is unknown to this version`);
    const reason = await this.on.availability.whyNot(harness, model, (sql, values) => tx.query(sql, values));
    if (reason === null) return harness;
    throw new SandgateError('invalid_request', `agent: harness ${id} is not available: ${reason}`);
  }

  private async insert(tx: TenantTransaction, request: RunRequest, { spec, bindings }: FrozenRun): Promise<void> {
    const { runId: id, starter } = request;
    const session = tx.manager.create(SessionEntity, {
      id,
      tenant_id: tx.organizationId,
      agent_id: spec.agent_id,
      agent_revision_id: spec.agent_revision_id,
      autonomy: spec.autonomy,
      trust_tier: spec.trust_tier,
      task: spec.task,
      labels: request.labels,
      traceparent: this.on.tracing.currentTraceparent(),
      repo_source: spec.workspace,
      run_spec: spec,
      run_spec_digest: digestOf(spec as unknown as ExactJson),
      trigger: spec.invocation,
      budgets: spec.budgets,
      invoked_by_kind: starter.kind,
      invoked_by_user_id: starter.viewer.userId,
      subscription_id: request.subscription?.id ?? null,
    });
    await tx.manager.insert(SessionEntity, session);
    await tx.manager.insert(SessionHeadEntity, { session_id: id, tenant_id: tx.organizationId });
    await insertBindings(tx, bindings);
    await tx.append(id, firstEvents(spec));
    await storeGrant(tx, id, spec);
    await tx.enqueue(id, 'created');
  }
}

/**
 * Paths of the host are the operator's: whoever names one reads files that no role in an organization is about (docs/design/identity.md).
 * What a subscription starts takes the one that the subscription itself names, which the operator stored. The agent's may be anybody's.
 */
function refuseHostPaths({ kind }: RunStarter, { workspace }: Pick<RunRequest, 'workspace'>): void {
  if (kind === 'operator' || (kind !== 'user' && workspace != null)) return;
  throw new SandgateError(
    'forbidden',
    'workspace: a copy of a folder of the host is for the operator; use git_repository',
  );
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
