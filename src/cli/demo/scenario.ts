import { byConversation, reply } from './model-script.js';
import type { ModelScript } from './model-script.js';

/** What the demo asks the agent to do. */
export const TASK =
  'The test of this project fails. Find out why, repair it and run the test again. Then look whether the status page answers, and deploy to staging.';

export const TEST_COMMAND = 'node --test';
export const NETWORK_COMMAND = 'curl -s https://status.example.com';
export const DEPLOY_COMMAND = './deploy.sh staging';

const BROKEN = 'return lines.reduce((sum, line) => sum + line.price, 0);';
export const REPAIRED = 'return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);';

/** Turn in which each command is asked for, counted from 0; its result stands in the request of the next turn. */
export const TURNS = { failingTest: 1, passingTest: 3, deploy: 5 } as const;

/** A wait before every answer, so that a person can follow; a real model thinks longer. */
const THINKING_MS = 250;

/**
 * The model of the demo: a script that speaks the provider's real wire format. Nothing else of the demo is played: the agent loop,
 * gate, sandbox, approval, meter and diff are those of every run.
 */
export function demoModel(): ModelScript {
  const script = byConversation([
    reply({ text: 'I look at the code first.' }, { tool: 'Read', input: { file_path: '/workspace/src/total.js' } }),
    reply({ text: 'Now the test.' }, { tool: 'Bash', input: { command: TEST_COMMAND } }),
    reply(
      { text: 'The total leaves the quantity of a line out. I repair that.' },
      { tool: 'Edit', input: { file_path: '/workspace/src/total.js', old_string: BROKEN, new_string: REPAIRED } },
    ),
    reply({ text: 'The test again.' }, { tool: 'Bash', input: { command: TEST_COMMAND } }),
    reply({ text: 'It passes. I look at the status page.' }, { tool: 'Bash', input: { command: NETWORK_COMMAND } }),
    reply(
      { text: 'The network is closed to me, so I go on to the deployment.' },
      { tool: 'Bash', input: { command: DEPLOY_COMMAND } },
    ),
    reply({
      text: 'The total multiplied prices without quantities. It is repaired, the test passes, and the deployment was handled as you decided.',
    }),
  ]);
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
