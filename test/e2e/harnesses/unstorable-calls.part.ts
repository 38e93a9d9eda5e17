import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { reply, type ScriptedBlock } from '../../../src/cli/demo/wire/model-script.js';
import { toolResults } from '../../../src/cli/demo/wire/wire-format.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { LOCAL_MODEL } from './support/builtin-lab.js';
import type { MessagesLab } from './support/messages-lab.js';
import type { EnterLab } from './support/share-lab.js';

const MARK = 'zqxmarkjv';
const REASON = 'the input holds characters that cannot be stored (a NUL or half a surrogate pair)';

/** A call with its arguments as the model wrote them. */
const bash = (id: string, written: string): ScriptedBlock => ({
  tool: 'Bash',
  input: `{"command":"echo ${MARK}${written} > ${id}.txt"}`,
  id,
});

const SCRIPT = [
  reply({ text: `I begin \ud800 ${MARK}.` }, bash('call_half', '\\ud800'), bash('call_nul', '\\u0000')),
  reply(bash('call_plain', '')),
  reply({ text: 'Done \udc00\u0000.' }),
];

/** A model that writes what cannot be stored. */
export function writesUnstorable(enter: EnterLab<MessagesLab>): void {
  let lab: MessagesLab;
  let stack: LiveStack;
  beforeAll(async () => {
    ({ lab } = await enter());
    ({ stack } = lab);
  });

  it.each([
    ['messages', 'claude-haiku-4-5'],
    ['chat', LOCAL_MODEL],
  ] as const)(
    'CP-292 CP-149 is told of the denials in the format %s and goes on to the end (%s)',
    async (wire, model) => {
      const agent = `unstorable-${wire}`;
      await lab.createAgent(agent, { model, policy: 'unrestricted', budgets: { max_tokens: 100_000 } });
      const { session, timeline, requests } = await lab.perform(agent, SCRIPT, { agent, allow_unpriced: true });
      expect(session).toMatchObject({ status: 'completed', result_summary: 'Done \ufffd\ufffd.' });
      const decisions = eventsOf(timeline, 'tool.decision');
      expect(decisions.map((data) => [data['tool_call_id'], data['verdict'], data['reason']])).toEqual([
        ['call_half', 'deny', REASON],
        ['call_nul', 'deny', REASON],
        ['call_plain', 'allow', null],
      ]);
      const said = eventsOf(timeline, 'agent.message').map((data) => data['text']);
      expect(said).toContain(`I begin \ufffd ${MARK}.`);
      const told = toolResults(wire, requests.at(-1) ?? {}).map(({ text }) => text);
      expect(told.slice(0, 2)).toEqual([`The call was denied: ${REASON}`, `The call was denied: ${REASON}`]);
    },
  );

  it('leaves nothing of it in any log, nor does PostgreSQL say of a failed statement what it was given', async () => {
    const planted = StackDatabase.of(stack).query('select $1::text::jsonb', [`{"a": ${MARK}-planted}`]);
    await expect(planted).rejects.toMatchObject({ where: expect.stringContaining(MARK) });
    const log = (name: string): string => readFileSync(join(stack.dataDir, 'logs', `${name}.log`), 'utf8');
    expect(log('postgres')).toContain('invalid input syntax for type json');
    for (const name of ['postgres', 'api', 'worker', 'temporal']) expect(log(name)).not.toContain(MARK);
  });
}
