import { byConversation, reply } from './wire/model-script.js';
import type { ModelScript, ScriptedReply } from './wire/model-script.js';

/** What the demo asks the agent to do. */
export const TASK =
  'The test of this project fails. Find out why, repair it and run the test again. Then look whether the status page answers, and deploy to staging.';

export const TEST_COMMAND = 'node --test';
export const NETWORK_COMMAND = 'curl -s https://status.example.com';
export const DEPLOY_COMMAND = './deploy.sh staging';
/** What the script `deploy.sh` prints. */
export const DEPLOYED = 'deployed to staging';

const BROKEN = 'return lines.reduce((sum, line) => sum + line.price, 0);';
export const REPAIRED = 'return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);';

/** Turn in which each command is asked for, counted from 0; its result stands in the request of the next turn. */
export const TURNS = { failingTest: 1, passingTest: 3, deploy: 5 } as const;

/** A wait before every answer, so that a person can follow; a real model thinks longer. */
const THINKING_MS = 250;

const SAYINGS = {
  look: 'I look at the code first.',
  test: 'Now the test.',
  repair: 'The total leaves the quantity of a line out. I repair that.',
  again: 'The test again.',
  network: 'It passes. I look at the status page.',
  deploy: 'The network is closed to me, so I go on to the deployment.',
  done: 'The total multiplied prices without quantities. It is repaired, the test passes, and the deployment was handled as you decided.',
} as const;

const EDIT = { file_path: '/workspace/src/total.js', old_string: BROKEN, new_string: REPAIRED };

/**
 * The model of the demo: a script that speaks the provider's real wire format. Nothing else of the demo is played: the agent loop,
 * gate, sandbox, approval, meter and diff are those of every run. The tools are those of the built-in agent and of Claude Code.
 */
export function demoModel(): ModelScript {
  return thinking([
    reply({ text: SAYINGS.look }, { tool: 'Read', input: { file_path: EDIT.file_path } }),
    reply({ text: SAYINGS.test }, { tool: 'Bash', input: { command: TEST_COMMAND } }),
    reply({ text: SAYINGS.repair }, { tool: 'Edit', input: EDIT }),
    reply({ text: SAYINGS.again }, { tool: 'Bash', input: { command: TEST_COMMAND } }),
    reply({ text: SAYINGS.network }, { tool: 'Bash', input: { command: NETWORK_COMMAND } }),
    reply({ text: SAYINGS.deploy }, { tool: 'Bash', input: { command: DEPLOY_COMMAND } }),
    reply({ text: SAYINGS.done }),
  ]);
}

/** The same with the tools of Codex. */
export function codexDemoModel(): ModelScript {
  const run = (cmd: string) => ({ tool: 'exec_command', input: { cmd, timeout_ms: 60_000 } });
  const change = [`*** Begin Patch`, '*** Update File: src/total.js', '@@', `-  ${BROKEN}`, `+  ${REPAIRED}`];
  return thinking([
    reply({ text: SAYINGS.look }, run('cat src/total.js')),
    reply({ text: SAYINGS.test }, run(TEST_COMMAND)),
    reply({ text: SAYINGS.repair }, { textTool: 'apply_patch', input: [...change, '*** End Patch', ''].join('\n') }),
    reply({ text: SAYINGS.again }, run(TEST_COMMAND)),
    reply({ text: SAYINGS.network }, run(NETWORK_COMMAND)),
    reply({ text: SAYINGS.deploy }, run(DEPLOY_COMMAND)),
    reply({ text: SAYINGS.done }),
  ]);
}

/** The same as the task of a run without a model. */
export function replayDemoTask(): string {
  return JSON.stringify([
    { say: SAYINGS.look },
    { tool: 'Read', input: { file_path: EDIT.file_path } },
    { say: SAYINGS.test },
    { tool: 'Bash', input: { command: TEST_COMMAND } },
    { say: SAYINGS.repair },
    { tool: 'Edit', input: EDIT },
    { say: SAYINGS.again },
    { tool: 'Bash', input: { command: TEST_COMMAND } },
    { say: SAYINGS.network },
    { tool: 'Bash', input: { command: NETWORK_COMMAND }, on_deny_say: SAYINGS.deploy },
    { tool: 'Bash', input: { command: DEPLOY_COMMAND } },
    { say: SAYINGS.done },
  ]);
}

function thinking(answers: ScriptedReply[]): ModelScript {
  const script = byConversation(answers);
  return (request) => {
    const answer = script(request);
    return answer.kind === 'reply' ? { ...answer, delayMs: THINKING_MS } : answer;
  };
}

/** The sample project of the demo, by path. */
export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'invoice', version: '1.0.0', type: 'module', scripts: { test: TEST_COMMAND } }, null, 2)}\n`,
  'README.md':
    '# invoice\n\nAdds up the lines of an invoice. `npm test` runs the test, `./deploy.sh <environment>` deploys.\n',
  'src/total.js': `/** The sum of an invoice in cents. */\nexport function total(lines) {\n  ${BROKEN}\n}\n`,
  'test/total.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/total.js';

test('the total counts every piece of a line', () => {
  assert.equal(total([{ price: 250, quantity: 2 }, { price: 100, quantity: 3 }]), 800);
});
`,
  'deploy.sh': '#!/bin/sh\nset -eu\necho "deployed to ${1:?name an environment}"\n',
};
