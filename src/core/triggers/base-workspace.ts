import type { RequestedWorkspace } from '../../domain/run/spec.js';
import { AgentEntity } from '../agents/agent.entity.js';
import { chosenRevision } from '../agents/agent-lookup.js';
import type { TenantTransaction } from '../record/database.js';
import type { SubscriptionEntity } from './subscription.entity.js';

/** Where the runs of a subscription work, unless an invocation narrows it; null is an empty folder. */
export async function baseWorkspace(
  tx: TenantTransaction,
  subscription: Pick<SubscriptionEntity, 'agent_id' | 'pinned_revision_id' | 'workspace_override'>,
): Promise<RequestedWorkspace | null> {
  if (subscription.workspace_override !== null) return subscription.workspace_override;
  const agent = await tx.manager.findOneByOrFail(AgentEntity, { id: subscription.agent_id });
  return (await chosenRevision(tx, agent, subscription.pinned_revision_id)).default_workspace;
}
