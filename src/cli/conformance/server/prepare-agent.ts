import { createHash } from 'node:crypto';
import { CliError, EXIT } from '../../terminal/exit-codes.js';
import type { SandgateClient } from '../../server/sandgate-client.js';

/** Reading is free, writing denied, commands ask; an edit asks for five seconds only. */
const POLICY = `defaults: { tool_action: approve }
autonomy: { permitted: true, on_approval_rule: deny }
approvals: { default_ttl_secs: 120, scope: once, timeout_action: deny }
tools:
  - { match: [Read], action: allow }
  - { match: [Write], action: deny, risk: the conformance kit denies writing }
  - { match: [Edit], action: approve, approval_ttl_secs: 5 }
`;

/**
 * The agent that the kit's runs belong to, and its policy; made on first use and kept, because neither can be deleted while runs
 * name it. The name holds the policy's digest, so that an older kit's agent is never taken for this one's.
 */
export async function prepareAgent(client: SandgateClient): Promise<string> {
  const name = `conformance-${createHash('sha256').update(POLICY).digest('hex').slice(0, 8)}`;
  await unlessTaken(
    client.call((api) => api.POST('/v1/policies', { body: { name, yaml: `name: ${name}\n${POLICY}` } })),
  );
  const description = 'Checks the runner contract (npm run conformance).';
  await unlessTaken(
    client.call((api) => api.POST('/v1/agents', { body: { name, description, harness: 'replay', policy: name } })),
  );
  return name;
}

async function unlessTaken(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.conflict) throw error;
  }
}
