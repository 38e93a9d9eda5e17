import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closeAgents, startAgent as start } from '../../../../test/support/runner/builtin-agent.js';
import { loopPromises } from '../../../../test/support/runner/loop-promises.js';
import { byConversation, reply } from '../../../cli/demo/wire/model-script.js';
import type { ScriptedModel } from '../../../cli/demo/scripted-model.js';
import { toolResults } from '../../../cli/demo/wire/wire-format.js';
import type { JsonObject } from '../../../domain/json.js';

afterEach(closeAgents);

/** A model of no known provider, as local servers have them. */
const startAgent: typeof start = (script, options, variables) =>
  start(script, options, { SERVICE_MODEL: 'qwen3-coder', ...variables });

/** What the model was told of its calls, in order. */
function resultsOf(model: ScriptedModel): string[] {
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolResults(last.wire, last.body).map(({ text }) => text);
}

describe('the built-in agent on Chat Completions', () => {
  it('CP-026 works on the files through the gate and reports its closing message', async () => {
    const edit = { file_path: 'sum.txt', old_string: '1+1=3', new_string: '1+1=2' };
    const { model, plane, run } = await startAgent([
      reply({ text: 'I look first.' }, { tool: 'Read', input: { file_path: 'sum.txt' }, id: 'call_a' }),
      reply({ tool: 'Edit', input: edit, id: 'call_b' }),
      reply({ tool: 'Bash', input: { command: 'cat sum.txt' }, id: 'call_c' }),
      reply({ text: 'Fixed.' }),
    ]);
    await writeFile(join(run.workspace, 'sum.txt'), '1+1=3\n');
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([
      { toolCallId: 'call_a', tool: 'Read', input: { file_path: 'sum.txt' } },
      { toolCallId: 'call_b', tool: 'Edit', input: edit },
      { toolCallId: 'call_c', tool: 'Bash', input: { command: 'cat sum.txt' } },
    ]);
    expect(await readFile(join(run.workspace, 'sum.txt'), 'utf8')).toBe('1+1=2\n');
    expect(resultsOf(model).at(-1)).toBe('1+1=2\n');
    expect(plane.messages().slice(1)).toEqual(['I look first.', 'Fixed.']);
    expect(plane.results).toEqual([{ outcome: 'completed', summary: 'Fixed.' }]);
  });

  it('asks the gateway alone, with the frozen model, its own token, and no output limit that a small model would refuse', async () => {
    const { model, plane, run } = await startAgent(
      [reply({ text: 'ok' })],
      {},
      { SERVICE_SYSTEM_PROMPT: 'Answer in French.' },
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.attempts.get('llm')).toBe(1);
    const [request] = model.requests;
    const body = request?.body ?? {};
    expect(request?.path).toBe('/v1/chat/completions');
    expect(body).toMatchObject({ model: 'qwen3-coder', stream: true });
    expect(Object.keys(body).filter((name) => /max.*tokens|store|n$|functions/.test(name))).toEqual([]);
    const [system, user] = body['messages'] as JsonObject[];
    expect(system).toMatchObject({ role: 'system', content: expect.stringMatching(/Answer in French\.$/) });
    expect(user).toEqual({ role: 'user', content: 'Fix the sum.' });
    const tools = body['tools'] as { type: string; function: JsonObject }[];
    expect(tools.map((tool) => [tool.type, tool.function['name']])).toEqual(
      ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep'].map((name) => ['function', name]),
    );
  });

  it('speaks Messages to Anthropic’s models and Chat Completions to OpenAI’s', async () => {
    for (const [name, path] of [
      ['claude-haiku-4-5', '/v1/messages'],
      ['gpt-5.4-mini', '/v1/chat/completions'],
    ] as const) {
      const { model, run } = await startAgent([reply({ text: 'ok' })], {}, { SERVICE_MODEL: name });
      expect(await run.exitCode).toBe(0);
      expect(model.requests[0]?.path).toBe(path);
    }
  });

  it('CP-149 a denied call is told to the model and leaves no trace', async () => {
    const { model, run } = await startAgent(
      [reply({ tool: 'Bash', input: { command: 'touch trace' } }), reply({ text: 'Understood.' })],
      { decide: () => ({ decision: 'deny', message: 'not approved' }) },
    );
    expect(await run.exitCode).toBe(0);
    expect(resultsOf(model)).toEqual(['The call was denied: not approved']);
    await expect(readFile(join(run.workspace, 'trace'))).rejects.toThrow();
  });

  it('answers unknown tools, broken JSON and invalid input itself, in at most 2 KiB, marked by its first word', async () => {
    const { model, plane, run } = await startAgent([
      reply(
        { tool: 'Teleport', input: { to: 'x'.repeat(9_000) } },
        { tool: 'Bash', input: '{"command": "ls' },
        { tool: 'Bash', input: '"ls"' },
        { tool: 'Bash', input: { ['c'.repeat(9_000)]: 1 } },
        { tool: 'Read', input: '' },
      ),
      reply({ text: 'ok' }),
    ]);
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([]);
    const results = resultsOf(model);
    expect(results).toEqual([
      expect.stringContaining('there is no tool Teleport; there are Bash, Read'),
      expect.stringContaining('the arguments of Bash are not valid JSON'),
      expect.stringContaining('must be a JSON object'),
      expect.stringContaining('unknown member'),
      expect.stringContaining('member file_path is missing'),
    ]);
    for (const result of results) {
      expect(result).toMatch(/^Error: /);
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(2_048);
    }
  });

  it('asks for a tool of a server that the run does not have, so that the denial is on record', async () => {
    const { model, plane, run } = await startAgent(
      [reply({ tool: 'mcp__kb__search', input: { q: 'x' }, id: 'call_m' }), reply({ text: 'ok' })],
      { decide: () => ({ decision: 'deny', message: 'not frozen into this run' }) },
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([{ toolCallId: 'call_m', tool: 'mcp__kb__search', input: { q: 'x' } }]);
    expect(resultsOf(model)).toEqual(['The call was denied: not frozen into this run']);
  });

  it('performs the calls of one reply one after the other, in order, each answered under its id', async () => {
    const { run, model } = await startAgent([
      reply(
        { tool: 'Bash', input: { command: 'sleep 0.2; echo 1 >> order' }, id: 'call_1' },
        { tool: 'Bash', input: { command: 'echo 2 >> order' }, id: 'call_2' },
        { tool: 'Read', input: { file_path: 'order' }, id: 'call_3' },
      ),
      reply({ text: 'ok' }),
    ]);
    expect(await run.exitCode).toBe(0);
    expect(resultsOf(model)[2]).toBe('     1\t1\n     2\t2');
  });

  it('gives calls that a server numbers anew in each reply ids of their own', async () => {
    const call = (command: string) => reply({ tool: 'Bash', input: { command }, id: 'call_0' });
    const { plane, run } = await startAgent([call('echo 1'), call('echo 2'), reply({ text: 'ok' })]);
    expect(await run.exitCode).toBe(0);
    const ids = plane.permissions.map(({ toolCallId }) => toolCallId);
    expect(ids[0]).toBe('call_0');
    expect(new Set(ids).size).toBe(2);
  });
});

describe('Chat Completions that go wrong', () => {
  it('a 400 ends the run at once with the reason', async () => {
    const { model, plane, run } = await startAgent([{ kind: 'error', status: 400, message: 'cost budget exhausted' }]);
    expect(await run.exitCode).toBe(1);
    expect(model.requests).toHaveLength(1);
    expect(plane.results[0]).toMatchObject({
      outcome: 'failed',
      summary: expect.stringMatching(/status 400.*cost budget exhausted/),
    });
  });

  it('a 429 and a 503 are retried by the model client, and a 429 that says that it cannot help is not', async () => {
    const retrySoon = { 'retry-after-ms': '5' };
    const { model, run } = await startAgent([
      { kind: 'error', status: 429, headers: retrySoon },
      { kind: 'error', status: 503, headers: retrySoon },
      reply({ text: 'ok' }),
    ]);
    expect(await run.exitCode).toBe(0);
    expect(model.requests).toHaveLength(3);
    const final = await startAgent([{ kind: 'error', status: 429, headers: { 'x-should-retry': 'false' } }]);
    expect(await final.run.exitCode).toBe(1);
    expect(final.model.requests).toHaveLength(1);
  });

  loopPromises(startAgent, { callId: 'call_once', cutAfterEvents: { call: 4, text: 2 } });

  it.each([
    ['refusal', 'refused'],
    ['max_tokens', 'token limit'],
  ] as const)('a reply that ends with %s fails the run, and a call in it is not made', async (stopReason, words) => {
    const half = reply({ text: 'half' }, { tool: 'Bash', input: { command: 'touch trace' } });
    const { plane, run } = await startAgent([{ ...half, stopReason }]);
    expect(await run.exitCode).toBe(1);
    expect(plane.results[0]?.['summary']).toContain(words);
    expect(plane.permissions).toEqual([]);
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
