import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { byConversation, reply, type ScriptedBlock } from '../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { toolResults } from '../../../src/cli/demo/wire/wire-format.js';
import { LiveStack } from '../../support/installation/live-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { eventsOf } from '../../support/installation/timeline.js';

jest.setTimeout(240_000);

const MARK = 'zqxmarkjv';
const REASON = 'the input holds characters that cannot be stored (a NUL or half a surrogate pair)';

/** A call with its arguments as the model wrote them. */
const bash = (id: string, written: string): ScriptedBlock => ({
  tool: 'Bash',
  input: `{"command":"echo ${MARK}${written} > ${id}.txt"}`,
  id,
});

describe('a model that writes what cannot be stored', () => {
  let model: ScriptedModel;
  let stack: LiveStack;
  beforeAll(async () => {
    model = await startScriptedModel({
      apiKey: 'local-key',
      script: byConversation([
        reply({ text: `I begin \ud800 ${MARK}.` }, bash('call_half', '\\ud800'), bash('call_nul', '\\u0000')),
        reply(bash('call_plain', '')),
        reply({ text: 'Done \udc00\u0000.' }),
      ]),
    });
    stack = await LiveStack.start({
      SERVICE_LLM_ANTHROPIC_URL: model.url,
      ANTHROPIC_API_KEY: 'local-key',
      SERVICE_LLM_OPENAI_URL: `${model.url}/v1`,
      OPENAI_API_KEY: 'local-key',
      SERVICE_MODELS_BUILTIN: 'claude-haiku-4-5,qwen3-coder',
      SERVICE_LOG_LEVEL: 'debug',
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await model?.close();
  });

  it.each(['claude-haiku-4-5', 'qwen3-coder'])(
    'CP-292 CP-149 is told of the denials and goes on to the end (%s)',
    async (name) => {
      const budgets = { max_tokens: 100_000 };
      await stack.json('POST', '/v1/agents', {
        name,
        harness: 'builtin',
        model: name,
        policy: 'unrestricted',
        budgets,
      });
      const id = await stack.startRun(name, [], { task: 'Write files.', allow_unpriced: true });
      expect(await stack.untilTerminal(id)).toMatchObject({
        status: 'completed',
        result_summary: 'Done \ufffd\ufffd.',
      });
      const timeline = await stack.timeline(id);
      const decisions = eventsOf(timeline, 'tool.decision');
      expect(decisions.map((data) => [data['tool_call_id'], data['verdict'], data['reason']])).toEqual([
        ['call_half', 'deny', REASON],
        ['call_nul', 'deny', REASON],
        ['call_plain', 'allow', null],
      ]);
      const said = eventsOf(timeline, 'agent.message').map((data) => data['text']);
      expect(said).toContain(`I begin \ufffd ${MARK}.`);
      const last = model.requests.at(-1);
      const told = last === undefined ? [] : toolResults(last.wire, last.body).map(({ text }) => text);
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
});
