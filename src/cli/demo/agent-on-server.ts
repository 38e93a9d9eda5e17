import type { HarnessId } from '../../domain/harness/harness-models.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

/** The agent that every organization has from its beginning. */
export const SEEDED_AGENT = 'fixer';

/**
 * An agent of the server that runs on this harness: the seeded one where it does, else one for demos, which is made the first time and
 * stays, since no agent is ever deleted. @returns its name
 * @throws CliError when the one for demos has been given another harness
 */
export async function agentOnServer(client: SandgateClient, harness: HarnessId): Promise<string> {
  const own = `demo-${harness}`;
  const { agents } = await client.call((api) => api.GET('/v1/agents'));
  for (const name of [SEEDED_AGENT, own]) {
    if (agents.every((agent) => agent.name !== name)) continue;
    const runsOn = await harnessOf(client, name);
    if (runsOn === harness) return name;
    if (name === own)
      throw new CliError(`the agent ${own} of this server runs on ${inline(runsOn ?? '')}; revise it`, EXIT.conflict);
  }
  const description = `Plays the demo with the harness ${harness}.`;
  await client.call((api) => api.POST('/v1/agents', { body: { name: own, description, harness, policy: 'default' } }));
  return own;
}

async function harnessOf(client: SandgateClient, name: string): Promise<string | undefined> {
  const { revisions } = await client.call((api) => api.GET('/v1/agents/{id}', { params: { path: { id: name } } }));
  return revisions[0]?.harness;
}
