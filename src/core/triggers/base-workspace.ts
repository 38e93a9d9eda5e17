import type { RequestedWorkspace } from '../../domain/run/spec.js';
import { AgentEntity } from '../agents/agent.entity.js';
import { latestRevision, requireRevision } from '../agents/agent-lookup.js';
import type { AgentRevisionEntity } from '../agents/agent.entity.js';
import type { TenantTransaction } from '../record/database.js';
import type { SubscriptionEntity } from './subscription.entity.js';

type OfAgent = Pick<SubscriptionEntity, 'agent_id' | 'pinned_revision_id'>;

/** The revision that the runs of a subscription get: the pinned one, else the agent's latest. */
export async function revisionOf(tx: TenantTransaction, subscription: OfAgent): Promise<AgentRevisionEntity> {
  const agent = await tx.manager.findOneByOrFail(AgentEntity, { id: subscription.agent_id });
  const { pinned_revision_id: pinned } = subscription;
  return pinned === null ? latestRevision(tx, agent) : requireRevision(tx, agent, pinned);
}

/** Where the runs of a subscription work, unless an invocation narrows it; null is an empty folder. */
export async function baseWorkspace(
  tx: TenantTransaction,
  subscription: OfAgent & Pick<SubscriptionEntity, 'workspace_override'>,
): Promise<RequestedWorkspace | null> {
  return subscription.workspace_override ?? (await revisionOf(tx, subscription)).default_workspace;
}
