import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closeAgents, startAgent } from '../../../../test/support/runner/builtin-agent.js';
import { loopPromises } from '../../../../test/support/runner/loop-promises.js';
import { byConversation, reply } from '../../../cli/demo/wire/model-script.js';
import type { ScriptedModel } from '../../../cli/demo/scripted-model.js';
import type { JsonObject } from '../../../domain/json.js';

afterEach(closeAgents);

/** Results of tools that the model was given, in order of the calls. */
function toolResults(model: ScriptedModel): JsonObject[] {
  const messages = model.requests.at(-1)?.body['messages'];
  const blocks = Array.isArray(messages) ? messages.flatMap((message) => (message as JsonObject)['content']) : [];
  return blocks.filter((block) => (block as JsonObject | null)?.['type'] === 'tool_result') as JsonObject[];
}

describe('the built-in agent', () => {
  it('CP-026 works on the files through the gate and reports its closing message', async () => {
    const { model, plane, run } = await startAgent([
      reply({ text: 'I look first.' }, { tool: 'Read', input: { file_path: 'sum.txt' }, id: 'toolu_a' }),
      reply({ tool: 'Edit', input: { file_path: 'sum.txt', old_string: '1+1=3', new_string: '1+1=2' }, id: 'toolu_b' }),
      reply({ tool: 'Bash', input: { command: 'cat sum.txt' }, id: 'toolu_c' }),
      reply({ text: 'Fixed.' }),
    ]);
    await writeFile(join(run.workspace, 'sum.txt'), '1+1=3\n');
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([
      { toolCallId: 'toolu_a', tool: 'Read', input: { file_path: 'sum.txt' } },
      {
        toolCallId: 'toolu_b',
        tool: 'Edit',
        input: { file_path: 'sum.txt', old_string: '1+1=3', new_string: '1+1=2' },
      },
      { toolCallId: 'toolu_c', tool: 'Bash', input: { command: 'cat sum.txt' } },
    ]);
    expect(await readFile(join(run.workspace, 'sum.txt'), 'utf8')).toBe('1+1=2\n');
    expect(toolResults(model).at(-1)).toMatchObject({ tool_use_id: 'toolu_c', content: '1+1=2\n' });
    expect(plane.messages().slice(1)).toEqual(['I look first.', 'Fixed.']);
    expect(plane.results).toEqual([{ outcome: 'completed', summary: 'Fixed.' }]);
  });

  it('asks the gateway alone, with the frozen model, its own token and no server-side tools', async () => {
    const { model, plane, run } = await startAgent(
      [reply({ text: 'ok' })],
      {},
      { SERVICE_SYSTEM_PROMPT: 'Answer in French.' },
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.attempts.get('llm')).toBe(1);
    const body = model.requests[0]?.body ?? {};
    expect(body['model']).toBe('claude-haiku-4-5');
    expect(body['stream']).toBe(true);
    expect(body['system']).toMatch(/Answer in French\.$/);
    const tools = body['tools'] as JsonObject[];
    expect(tools.map((tool) => tool['name'])).toEqual(['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep']);
    expect(tools.every((tool) => tool['type'] === undefined || tool['type'] === 'custom')).toBe(true);
  });

  it('CP-149 a denied call is a tool error to the model and leaves no trace', async () => {
    const { model, run } = await startAgent(
      [reply({ tool: 'Bash', input: { command: 'touch trace' } }), reply({ text: 'Understood.' })],
      { decide: () => ({ decision: 'deny', message: 'not approved' }) },
    );
    expect(await run.exitCode).toBe(0);
    expect(toolResults(model)).toMatchObject([{ is_error: true, content: 'The call was denied: not approved' }]);
    await expect(readFile(join(run.workspace, 'trace'))).rejects.toThrow();
  });

  it('CP-147 asks for every call, also where the model gives several one id', async () => {
    const again = { tool: 'Bash', input: { command: 'echo x >> count' }, id: 'toolu_same' };
    const { plane, run } = await startAgent([reply(again, again), reply(again), reply({ text: 'ok' })]);
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions.map(({ input }) => input)).toEqual([again.input, again.input, again.input]);
    const ids = plane.permissions.map(({ toolCallId }) => toolCallId);
    expect(ids[0]).toBe('toolu_same');
    expect(new Set(ids).size).toBe(3);
  });

  it('answers unknown tools and invalid input itself, in at most 2 KiB and without asking the gate', async () => {
    const { model, plane, run } = await startAgent([
      reply(
        { tool: 'Teleport', input: { to: 'x'.repeat(9_000) } },
        { tool: 'Bash', input: { ['c'.repeat(9_000)]: 1 } },
        { tool: 'Read', input: {} },
      ),
      reply({ text: 'ok' }),
    ]);
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([]);
    const results = toolResults(model);
    expect(results).toHaveLength(3);
    for (const result of results) {
      expect(result['is_error']).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(2_048);
    }
  });

  it('performs the calls of one reply one after the other, in order', async () => {
    const { run, model } = await startAgent([
      reply(
        { tool: 'Bash', input: { command: 'sleep 0.2; echo 1 >> order' } },
        { tool: 'Bash', input: { command: 'echo 2 >> order' } },
        { tool: 'Read', input: { file_path: 'order' } },
      ),
      reply({ text: 'ok' }),
    ]);
    expect(await run.exitCode).toBe(0);
    expect(toolResults(model)[2]?.['content']).toBe('     1\t1\n     2\t2');
  });

  it('hands the whole output of a failing command to the model as an error', async () => {
    const { run, model } = await startAgent([
      reply({ tool: 'Bash', input: { command: 'seq 3000; exit 4' } }),
      reply({ text: 'ok' }),
    ]);
    expect(await run.exitCode).toBe(0);
    const [result] = toolResults(model);
    expect(result?.['is_error']).toBe(true);
    expect(result?.['content']).toContain('2999\n3000\n[exit code 4]');
  });
});

describe('model requests that go wrong', () => {
  it('a 400 ends the run at once with the reason', async () => {
    const { model, plane, run } = await startAgent([{ kind: 'error', status: 400, message: 'cost budget exhausted' }]);
    expect(await run.exitCode).toBe(1);
    expect(model.requests).toHaveLength(1);
    expect(plane.results[0]).toMatchObject({
      outcome: 'failed',
      summary: expect.stringContaining('cost budget exhausted'),
    });
    expect(plane.events.at(-1)?.type).toBe('run.error');
  });

  it('a 429 and a 529 are retried by the model client', async () => {
    const retrySoon = { 'retry-after-ms': '5' };
    const { model, run } = await startAgent([
      { kind: 'error', status: 429, headers: retrySoon },
      { kind: 'error', status: 529, headers: retrySoon },
      reply({ text: 'ok' }),
    ]);
    expect(await run.exitCode).toBe(0);
    expect(model.requests).toHaveLength(3);
  });

  it('a 429 that says that a retry cannot help is not retried', async () => {
    const { model, run } = await startAgent([{ kind: 'error', status: 429, headers: { 'x-should-retry': 'false' } }]);
    expect(await run.exitCode).toBe(1);
    expect(model.requests).toHaveLength(1);
  });

  loopPromises(startAgent, { callId: 'toolu_once', cutAfterEvents: { call: 6, text: 3 } });

  it.each([
    ['refusal', 'refused'],
    ['max_tokens', 'token limit'],
  ] as const)('a reply that ends with %s fails the run', async (stopReason, words) => {
    const { plane, run } = await startAgent([{ ...reply({ text: 'half' }), stopReason }]);
    expect(await run.exitCode).toBe(1);
    expect(plane.results[0]?.['summary']).toContain(words);
  });

  it('a quiesce ends a model stream that goes on for ever', async () => {
    const { plane, run } = await startAgent(
      byConversation([{ ...reply({ text: 'word '.repeat(5_000) }), eventDelayMs: 50 }]),
      { heartbeatAction: (beat) => (beat > 3 ? 'quiesce' : null) },
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.results).toEqual([]);
  });
});
