import { defaultModelOf } from '../../domain/harness/harness-models.js';
import type { Budgets } from '../../domain/run/spec.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import { AgentEntity, AgentRevisionEntity } from '../agents/agent.entity.js';
import { PolicyEntity } from '../policies/policy.entity.js';
import type { TenantTransaction } from '../record/database.js';
import { insertRows, insertUnlessThere } from '../../platform/postgres/write-rows.js';

export interface FixerHarness {
  harness: string;
  model: string;
}

/** What the seeded agent runs on: the deployment's default harness and that harness's default model. */
export function fixerHarness(config: SandgateConfig['harness']): FixerHarness {
  return { harness: config.default, model: defaultModelOf(config.default, config) };
}

/** The policy's budgets apply. */
const NO_CAPS: Budgets = { max_wall_clock_secs: null, max_tokens: null, max_cost_usd: null, max_tool_calls: null };
const NAME = 'fixer';
const DESCRIPTION = 'Finds out why something fails, repairs it and shows the difference.';
const SYSTEM_PROMPT = `You repair software in the checkout at /workspace.
Find the cause before you change anything, make the smallest change that removes it, run the tests that show it is gone,
and say in a few sentences what was wrong and what you changed.`;

/** Adds the agent `fixer` with its first revision under the policy `default`, unless the organization has an agent of that name. */
export async function seedFixer(tx: TenantTransaction, on: FixerHarness): Promise<void> {
  const seeded = { id: newRowId(), tenant_id: tx.organizationId, name: NAME, description: DESCRIPTION };
  const agent = await insertUnlessThere(tx, AgentEntity, seeded);
  const policy = agent && (await tx.manager.findOneBy(PolicyEntity, { name: 'default' }));
  if (agent === null || policy === null) return;
  const revision = {
    id: newRowId(),
    tenant_id: tx.organizationId,
    agent_id: agent.id,
    rev: 1,
    harness: on.harness,
    model: on.model,
    system_prompt: SYSTEM_PROMPT,
    policy_id: policy.id,
    budgets: NO_CAPS,
  };
  await insertRows(tx, AgentRevisionEntity, [revision]);
}
