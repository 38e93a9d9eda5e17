import { provideHarness } from '../../../../src/embedded/harness-programs.js';
import { MessagesLab } from './messages-lab.js';

/** Every command waits for a human. */
const ASKS = `name: asks
defaults: { tool_action: allow }
approvals: { default_ttl_secs: 300 }
tools: [{ match: [Bash], action: approve }]
`;

/** A lab with Claude Code in it. */
export async function startClaudeLab(env: NodeJS.ProcessEnv = {}): Promise<MessagesLab> {
  const lab = await MessagesLab.start({ name: 'claude', harness: 'claude-agent-sdk' }, env, async ({ stack }) => {
    await provideHarness(stack.dataDir, 'claude-agent-sdk');
    await stack.json('POST', '/v1/policies', { name: 'asks', yaml: ASKS });
  });
  await lab.createAgent('asker', { policy: 'asks' });
  return lab;
}
