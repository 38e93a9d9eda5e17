import { effectiveBudgets, type BudgetLayer } from '../budgets/effective-budgets.js';
import type { BundleVersion } from '../capabilities/bundle.js';
import { freezeBundles } from '../capabilities/freeze-bundles.js';
import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import type {
  BrokeredToolSet,
  Budgets,
  FrozenSetup,
  Invocation,
  RunSpec,
  SandboxSizes,
  WorkspaceSpec,
} from '../run/spec.js';
import type { ResultDestination } from '../run/result-destination.js';
import { freezeNetwork, type NetworkSources } from './freeze-network.js';

/** What a run is made from: the agent's revision, the policy's head and the request, all of them read at one moment. */
export interface SpecSources {
  agent: { id: string; name: string };
  revision: {
    id: string;
    harness: string;
    runner_image: string;
    model: string;
    system_prompt: string | null;
    budgets: Budgets | null;
    sandbox: Partial<SandboxSizes> | null;
    env: Record<string, string>;
    setup: FrozenSetup | null;
  };
  policy: { id: string; version: number; content: object };
  request: {
    task: string;
    autonomous: boolean;
    workspace: WorkspaceSpec;
    budgets: BudgetLayer | null;
    allowUnpriced: boolean;
    destinations: readonly ResultDestination[];
  };
  invocation: Invocation;
  /** `read_only` for work on a stranger's code: nothing but reading, and no MCP tools (docs/design/gate.md). */
  trustTier: RunSpec['trust_tier'];
  /** The pinned bundles that are left after narrowing. */
  bundles: readonly BundleVersion[];
  /** The tool sets of the connections that the run was bound to. */
  brokered: readonly BrokeredToolSet[];
  network: NetworkSources;
  sandboxDefaults: SandboxSizes;
  policyEngine: number;
  /** Whether the harness calls a model whose price is not known. */
  unpricedModel: boolean;
}

/**
 * Freezes the RunSpec (docs/design/runs.md). Editing the agent or the policy afterwards changes nothing in it.
 * @throws SandgateError `invalid_request` when the policy forbids autonomous runs, a cost cap could not bind, a server of a bundle
 * and a slot have the same name, or the network that is asked for is refused.
 */
export function freezeSpec(sources: SpecSources): RunSpec {
  const { agent, revision, policy, request } = sources;
  const content = isJsonObject(policy.content) ? policy.content : {};
  refuseForbiddenAutonomy(content, request.autonomous);
  const budgets = effectiveBudgets({
    revision: revision.budgets,
    policy: isJsonObject(content['budgets']) ? content['budgets'] : null,
    run: request.budgets,
  });
  refuseUnboundCost(sources, budgets);
  const capabilities = frozenCapabilities(sources);
  const network = freezeNetwork(sources.network, {
    trustTier: sources.trustTier,
    policy: content,
    hasBrokered: sources.brokered.length > 0,
    wallClockSecs: budgets.max_wall_clock_secs,
  });
  return {
    agent_id: agent.id,
    agent_revision_id: revision.id,
    agent_name: agent.name,
    harness: revision.harness,
    runner_image: revision.runner_image,
    model: revision.model,
    system_prompt: revision.system_prompt,
    task: request.task,
    workspace: request.workspace,
    invocation: sources.invocation,
    autonomy: request.autonomous ? 'autonomous' : 'supervised',
    trust_tier: sources.trustTier,
    budgets,
    ...(request.allowUnpriced ? { allow_unpriced: true } : {}),
    policy_id: policy.id,
    policy_version: policy.version,
    policy_snapshot: policy.content as JsonValue,
    policy_engine: sources.policyEngine,
    sandbox: { ...sources.sandboxDefaults, ...(revision.sandbox ?? {}) },
    ...(Object.keys(revision.env).length === 0 ? {} : { env: revision.env }),
    ...capabilities,
    network,
    ...(request.destinations.length === 0 ? {} : { result_destinations: [...request.destinations] }),
    ...(revision.setup === null || revision.setup.commands.length === 0 ? {} : { setup: revision.setup }),
  };
}

/** The read-only tier freezes neither bundle nor tool set, so the gate refuses every `mcp__*` name (CP-318). */
function frozenCapabilities(sources: SpecSources): Pick<RunSpec, 'capabilities' | 'brokered'> {
  const { trustTier, bundles, brokered } = sources;
  if (trustTier === 'read_only') return {};
  refuseSharedNames(bundles, brokered);
  return {
    ...(bundles.length === 0 ? {} : { capabilities: freezeBundles(bundles) }),
    ...(brokered.length === 0 ? {} : { brokered: [...brokered] }),
  };
}

/** A call must name one server. */
function refuseSharedNames(bundles: readonly BundleVersion[], brokered: readonly BrokeredToolSet[]): void {
  for (const { slot } of brokered) {
    const owner = bundles.find(({ definition }) => definition.servers.some(({ name }) => name === slot));
    if (owner === undefined) continue;
    throw new SandgateError(
      'invalid_request',
      `bindings.${slot}: server ${slot} of bundle ${owner.name}@${owner.version} has the name of this slot; ` +
        'leave the bundle out or rename the slot in a new revision',
    );
  }
}

/** @throws SandgateError `invalid_request` for an autonomous run under a policy that does not permit them */
export function refuseForbiddenAutonomy(policy: JsonObject, autonomous: boolean): void {
  const autonomy = policy['autonomy'];
  if (autonomous && isJsonObject(autonomy) && autonomy['permitted'] === false) {
    throw new SandgateError('invalid_request', 'autonomous: the policy of the agent does not permit autonomous runs');
  }
}

/** A cap in dollars cannot hold for a model without a known price (docs/design/budgets.md). */
function refuseUnboundCost(sources: SpecSources, budgets: Budgets): void {
  if (!sources.unpricedModel || budgets.max_cost_usd === null || sources.request.allowUnpriced) return;
  throw new SandgateError(
    'invalid_request',
    `allow_unpriced: model ${sources.revision.model} has no known price, so max_cost_usd cannot bind; ` +
      'say "allow_unpriced": true to run it under the other caps alone',
  );
}
