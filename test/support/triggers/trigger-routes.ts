import type { TestApi } from '../api/api.js';
import { createSubscription, type FixtureSubscription } from './subscription-fixture.js';

/** A trigger for walks over all described routes, which lets an invocation override whatever one may. */
export async function triggerOfAgent(api: TestApi, agent: string): Promise<FixtureSubscription> {
  const { body } = await api.get(`/v1/agents/${agent}`);
  const of = { organizationId: api.organizationId, agentId: body.agent.id };
  return createSubscription(api.db, of, { allow_task_override: true, allow_workspace_override: true });
}

/** A described path with the id of the trigger where it names one. */
export function atTrigger(path: string, trigger: FixtureSubscription): string {
  return path.replace('/triggers/{id}', `/triggers/${trigger.id}`);
}
