import { Injectable } from '@nestjs/common';
import type { BundlePin } from '../../domain/capabilities/bundle.js';
import { parseBundleRefs, resolvePins } from '../../domain/capabilities/pins.js';
import { SandgateError } from '../../domain/errors.js';
import { assertAskable } from '../../domain/network/request.js';
import { isUuid } from '../../domain/uuid.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { Database } from '../../core/record/database.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { lockName } from '../../core/record/named-lock.js';
import { NetworkPresets } from '../../core/network/network-presets.js';
import type { Principal } from '../auth/principal.js';
import { findBundle } from '../../core/capabilities/capability-queries.js';
import { notFound } from '../../domain/resource-id.js';
import { PolicyEntity } from '../../core/policies/policy.entity.js';
import { AgentEntity, AgentRevisionEntity } from '../../core/agents/agent.entity.js';
import { findAgent, latestDescriptions, latestRevision } from '../../core/agents/agent-lookup.js';
import { RevisionDrafter, type RevisionDraft } from './revision-draft.js';
import {
  toAgentView,
  toRevisionView,
  type AgentRevisionView,
  type AgentView,
  type AgentWithRevisions,
  type CreatedAgent,
} from './agent-answers.dto.js';
import type { AddRevision, CreateAgent } from './agents.dto.js';

const DEFAULT_POLICY = 'default';

/** Registers agents and appends their revisions (docs/design/runs.md). */
@Injectable()
export class AgentsService {
  constructor(
    private readonly database: Database,
    private readonly drafter: RevisionDrafter,
    private readonly presets: NetworkPresets,
  ) {}

  list(organizationId: string, limit: number): Promise<AgentView[]> {
    return this.database.withTenant(organizationId, async (tx) => {
      const agents = await tx.manager.find(AgentEntity, { order: { name: 'ASC' }, take: limit });
      const newest = await latestDescriptions(tx);
      return agents.map((agent) => toAgentView(agent, { description: newest.get(agent.id) ?? null }));
    });
  }

  read(organizationId: string, idOrName: string): Promise<AgentWithRevisions> {
    return this.database.withTenant(organizationId, async (tx) => {
      const agent = await findAgent(tx, idOrName);
      if (agent === null) throw notFound('agent');
      const revisions = await tx.manager.find(AgentRevisionEntity, {
        where: { agent_id: agent.id },
        order: { rev: 'DESC' },
      });
      const policies = await tx.manager.find(PolicyEntity);
      const names = new Map(policies.map((policy) => [policy.id, policy.name]));
      return {
        agent: toAgentView(agent, { description: revisions[0]?.description ?? null }),
        revisions: revisions.map((revision) => toRevisionView(agent, revision, names.get(revision.policy_id) ?? '')),
      };
    });
  }

  /** @throws SandgateError `forbidden` for a folder of the host and anybody but the operator, and what {@link RevisionDrafter.draft} throws */
  async create(principal: Principal, input: CreateAgent): Promise<CreatedAgent> {
    const { organizationId } = principal;
    if (isUuid(input.name)) throw new SandgateError('invalid_request', 'name: must not have the form of an id');
    const draft = this.drafter.draft(input);
    refuseHostFolder(principal, input, draft);
    try {
      return await this.database.withTenant(organizationId, async (tx) => {
        const policy = await requirePolicy(tx, input.policy ?? DEFAULT_POLICY);
        const pins = await pinBundles(tx, input.capability_bundles ?? []);
        if (input.network) await this.assertAskable(tx, draft);
        const agent = tx.manager.create(AgentEntity, {
          id: newRowId(),
          tenant_id: organizationId,
          name: input.name,
          description: input.description ?? null,
        });
        await tx.manager.insert(AgentEntity, agent);
        const revision = await insertRevision(tx, agent, 1, policy, { ...draft, capability_bundles: pins });
        return { agent: toAgentView(agent, revision), revision };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new SandgateError('conflict', `name: an agent named ${input.name} exists; append a revision instead`, {
        cause: error,
      });
    }
  }

  /** @throws SandgateError as {@link create} */
  addRevision(principal: Principal, idOrName: string, input: AddRevision): Promise<AgentRevisionView> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      const agent = await findAgent(tx, idOrName);
      if (agent === null) throw notFound('agent');
      if (input.name !== undefined && input.name !== agent.name) {
        throw new SandgateError('invalid_request', 'name: an agent cannot be renamed');
      }
      // One revision at a time, so that each inherits from the one before it.
      await lockName(tx, `agent:${agent.id}`);
      const previous = await latestRevision(tx, agent);
      const draft = this.drafter.draft(input, previous);
      refuseHostFolder(principal, input, draft);
      // An empty name names nothing; it does not ask for the inherited value.
      const name = input.policy ?? null;
      const policy = name === null ? await policyById(tx, previous.policy_id) : await requirePolicy(tx, name);
      const pins = input.capability_bundles
        ? await pinBundles(tx, input.capability_bundles)
        : previous.capability_bundles;
      if (input.network) await this.assertAskable(tx, draft);
      return insertRevision(tx, agent, previous.rev + 1, policy, { ...draft, capability_bundles: pins });
    });
  }

  /** What is inherited is judged with each run, since the presets may have changed. */
  private async assertAskable(tx: TenantTransaction, { network }: RevisionDraft): Promise<void> {
    if (network !== null) assertAskable(network, await this.presets.of(tx));
  }
}

/**
 * Folders of the host are the operator's to name (docs/design/identity.md). One that is inherited was named by the operator, and opens to no
 * run of a person.
 */
function refuseHostFolder({ kind }: Principal, { default_workspace: named }: AddRevision, draft: RevisionDraft): void {
  if (kind === 'operator' || named == null || draft.default_workspace?.kind !== 'local_copy') return;
  throw new SandgateError(
    'forbidden',
    'default_workspace: a copy of a folder of the host is for the operator; use git_repository',
  );
}

/** Locked, so that it cannot be deleted before the revision that names it is written. */
async function requirePolicy(tx: TenantTransaction, name: string): Promise<PolicyEntity> {
  const policy = await tx.manager.findOne(PolicyEntity, { where: { name }, lock: { mode: 'for_key_share' } });
  if (policy === null) throw new SandgateError('invalid_request', `policy: unknown policy ${name}`);
  return policy;
}

/** A bare name pins the version that is newest now (CP-097). @throws SandgateError `invalid_request` naming the reference */
function pinBundles(tx: TenantTransaction, texts: readonly string[]): Promise<BundlePin[]> {
  return resolvePins(parseBundleRefs(texts), (ref) => findBundle(tx, ref));
}

function policyById(tx: TenantTransaction, id: string): Promise<PolicyEntity> {
  return tx.manager.findOneByOrFail(PolicyEntity, { id });
}

async function insertRevision(
  tx: TenantTransaction,
  agent: AgentEntity,
  rev: number,
  policy: PolicyEntity,
  draft: RevisionDraft & { capability_bundles: BundlePin[] },
): Promise<AgentRevisionView> {
  const revision = tx.manager.create(AgentRevisionEntity, {
    ...draft,
    id: newRowId(),
    tenant_id: agent.tenant_id,
    agent_id: agent.id,
    rev,
    policy_id: policy.id,
  });
  await tx.manager.insert(AgentRevisionEntity, revision);
  return toRevisionView(agent, revision, policy.name);
}
