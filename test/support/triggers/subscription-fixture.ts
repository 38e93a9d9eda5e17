import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../src/core/record/database.js';
import { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import { mintTriggerToken } from '../../../src/core/triggers/trigger-tokens.js';
import { insertRows } from '../../../src/platform/postgres/write-rows.js';

/** A subscription as it is stored, and its token. */
export interface FixtureSubscription {
  id: string;
  organizationId: string;
  token: string;
}

/** A subscription of an agent, enabled, with whatever members are given. */
export async function createSubscription(
  db: Database,
  of: { organizationId: string; agentId: string },
  members: Partial<SubscriptionEntity> = {},
): Promise<FixtureSubscription> {
  const { id = uuidv7() } = members;
  const { organizationId, agentId } = of;
  const token = await db.withTenant(organizationId, async (tx) => {
    await insertRows(tx, SubscriptionEntity, [
      {
        id,
        tenant_id: organizationId,
        agent_id: agentId,
        name: `subscription ${id}`,
        trigger_kind: 'api',
        task_template: '[]',
        allow_task_override: false,
        allow_workspace_override: false,
        allow_unpriced: false,
        concurrency_policy: 'allow',
        ...members,
      },
    ]);
    return mintTriggerToken(tx, id);
  });
  return { id, organizationId, token };
}
