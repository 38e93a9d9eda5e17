import { v7 as uuidv7 } from 'uuid';
import { defaultModelOf } from '../../domain/harness/harness-models.js';
import type { Budgets } from '../../domain/run/spec.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import type { TenantTransaction } from '../record/database.js';

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
  const [agent] = await tx.query<{ id: string }>(
    `insert into agents (id, tenant_id, name, description) values ($1, $2, $3, $4)
     on conflict (tenant_id, name) do nothing returning id`,
    [uuidv7(), tx.organizationId, NAME, DESCRIPTION],
  );
  if (agent === undefined) return;
  await tx.query(
    `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, system_prompt, policy_id, budgets)
     select $1, $2, $3, 1, $4, $5, $6, id, $7 from policies where name = 'default'`,
    [uuidv7(), tx.organizationId, agent.id, on.harness, on.model, SYSTEM_PROMPT, JSON.stringify(NO_CAPS)],
  );
}
