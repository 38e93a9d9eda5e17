import { afterEach, describe, expect, it } from '@jest/globals';
import { startRun, type TestRun } from '../../../test/support/runner/runner-run.js';
import {
  ScriptedPlane,
  type ContractCall,
  type ScriptedPlaneOptions,
} from '../../../test/support/plane/scripted-plane.js';
import { inOrder, reply, type ScriptedAnswer } from '../../cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../cli/demo/scripted-model.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const TOOL = 'mcp__crm__find';
const MANIFEST = {
  servers: [
    {
      class: 'brokered',
      name: 'crm',
      tools: [{ name: 'find', description: 'frozen words', input_schema: { properties: { q: { type: 'string' } } } }],
    },
  ],
};
const found = (text: string, more: JsonObject = {}): JsonObject => ({
  ok: true,
  result: { content: [{ type: 'text', text }], is_error: false, ...more },
});

async function start(
  script: ScriptedAnswer[],
  options: ScriptedPlaneOptions,
  model = 'claude-haiku-4-5',
): Promise<{ model: ScriptedModel; plane: ScriptedPlane; run: TestRun }> {
  const provider = await startScriptedModel({ script: inOrder(script), apiKey: 'upstream-key' });
  open.push(provider);
  const plane = await ScriptedPlane.start({ modelUrl: provider.url, ...options });
  open.push({ close: () => plane.stop() });
  const run = await startRun(plane, {
    SERVICE_HARNESS: 'builtin',
    SERVICE_TASK: 'Look it up.',
    SERVICE_MODEL: model,
    SERVICE_CAPABILITIES: JSON.stringify(MANIFEST),
  });
  open.push({ close: run.cleanUp });
  return { model: provider, plane, run };
}

function resultsOf(model: ScriptedModel): unknown[] {
  const messages = model.requests.at(-1)?.body['messages'];
  const blocks = Array.isArray(messages) ? messages.flatMap((message) => (message as JsonObject)['content']) : [];
  return blocks
    .filter((block) => isJsonObject(block) && block['type'] === 'tool_result')
    .map((block) => (block as JsonObject)['content']);
}

const ask = (id: string, input: JsonObject = { q: 'x' }) => reply({ tool: TOOL, input, id });
const ID = /^bkr_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('tools of connected services in the builtin harness', () => {
  it('CP-041 are called by the control plane, each call of the model under a fresh id, and never asked about twice', async () => {
    const answer = (): JsonObject => found('Ada');
    const { model, plane, run } = await start([ask('toolu_a'), ask('toolu_b'), reply({ text: 'Done.' })], {
      callTool: answer,
    });
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([]);
    expect(plane.brokered).toMatchObject([
      { tool: TOOL, input: { q: 'x' }, toolCallId: expect.stringMatching(ID) },
      { tool: TOOL, input: { q: 'x' }, toolCallId: expect.stringMatching(ID) },
    ]);
    expect(new Set(plane.brokered.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    expect(resultsOf(model)).toEqual(['Ada', 'Ada']);
    const offered = (model.requests[0]!.body['tools'] as JsonObject[]).find(({ name }) => name === TOOL);
    expect(offered).toMatchObject({
      description: 'frozen words',
      input_schema: { type: 'object', properties: { q: { type: 'string' } } },
    });
    expect(plane.events.filter(({ type }) => type === 'tool.completed')).toEqual([]);
  });

  it('keep their id over attempts that got no answer, and then hear the answer of the first', async () => {
    const { model, plane, run } = await start([ask('toolu_a'), reply({ text: 'Done.' })], {
      callTool: () => found('Ada'),
      fault: (route, attempt) =>
        route === 'tools/call' && attempt < 3 ? (attempt === 1 ? 'cut' : { status: 503 }) : null,
    });
    expect(await run.exitCode).toBe(0);
    const ids = plane.of('tools/call').map(({ body }) => body['tool_call_id']);
    expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
    expect(resultsOf(model)).toEqual(['Ada']);
  });

  it.each<[string, Partial<ScriptedPlaneOptions>, number, RegExp]>([
    ['is denied', { callTool: () => ({ ok: false, denied: true, message: 'by policy' }) }, 1, /denied: by policy$/],
    ['failed before it was sent', { callTool: () => ({ ok: false, error: 'refused TCP' }) }, 1, /^refused TCP$/],
    [
      'is still under way',
      { callTool: () => ({ ok: false, error: 'execution in flight; retry later' }) },
      3,
      /may have executed/,
    ],
    ['got no answer', { fault: (route) => (route === 'tools/call' ? { status: 500 } : null) }, 3, /may have executed/],
    ['was refused', { fault: (route) => (route === 'tools/call' ? { status: 400 } : null) }, 1, /^injected$/],
    ['came too often', { fault: (route) => (route === 'tools/call' ? { status: 429 } : null) }, 1, /^injected$/],
  ])('the model is told of a call that %s', async (_what, options, attempts, words) => {
    const { model, plane, run } = await start([ask('toolu_a'), reply({ text: 'Done.' })], options);
    expect(await run.exitCode).toBe(0);
    expect(plane.of('tools/call')).toHaveLength(attempts);
    expect(resultsOf(model)).toEqual([expect.stringMatching(words)]);
  });

  it('are shown to models of the other format too', async () => {
    const { plane, run } = await start(
      [ask('call_a'), reply({ text: 'Done.' })],
      { callTool: () => found('x') },
      'gpt-5-mini',
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.brokered.map((call: ContractCall) => call.tool)).toEqual([TOOL]);
  });
});
