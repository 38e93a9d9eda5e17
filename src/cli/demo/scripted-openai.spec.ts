import OpenAI from 'openai';
import { afterEach, describe, expect, it } from '@jest/globals';
import { byConversation, inOrder, reply } from './wire/model-script.js';
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.js';
import { toolResults } from './wire/wire-format.js';

let model: ScriptedModel;
const open: ScriptedModel[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function client(options: ScriptedModelOptions, maxRetries = 0): Promise<OpenAI> {
  model = await startScriptedModel(options);
  open.push(model);
  return new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'key', maxRetries });
}

const ANSWER = {
  ...reply(
    { text: 'Hello — and "more" 😀' },
    { tool: 'Read', input: { file_path: 'a/b c.txt', nested: { n: [1, 2] } }, id: 'call_1' },
    { tool: 'Bash', input: { command: 'ls' }, id: 'call_2' },
  ),
  usage: { input_tokens: 7, output_tokens: 11, cache_read_input_tokens: 3 },
};
const CHAT = { model: 'gpt-5.4', messages: [{ role: 'user' as const, content: 'hi' }] };
const RESPONSES = { model: 'gpt-5.4', input: 'hi' };

describe('the scripted model in Chat Completions', () => {
  it("speaks the provider's format to the provider's own client, whole and streamed alike", async () => {
    const sdk = await client({ script: () => ANSWER, apiKey: 'key' });
    const whole = await sdk.chat.completions.create(CHAT);
    const streamed = await sdk.chat.completions
      .stream({ ...CHAT, stream_options: { include_usage: true } })
      .finalChatCompletion();
    for (const { choices, usage } of [whole, streamed]) {
      expect(choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: {
          content: 'Hello — and "more" 😀',
          tool_calls: [
            { id: 'call_1', function: { name: 'Read', arguments: '{"file_path":"a/b c.txt","nested":{"n":[1,2]}}' } },
            { id: 'call_2', function: { name: 'Bash', arguments: '{"command":"ls"}' } },
          ],
        },
      });
      expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 11, total_tokens: 21 });
      expect(usage?.prompt_tokens_details?.cached_tokens).toBe(3);
    }
  });

  it('reports usage in a stream only when it is asked for, and refuses a call without its result', async () => {
    const sdk = await client({ script: () => ANSWER });
    expect((await sdk.chat.completions.stream(CHAT).finalChatCompletion()).usage ?? null).toBeNull();
    const call = { id: 'call_x', type: 'function' as const, function: { name: 'Read', arguments: '{}' } };
    const asked = [...CHAT.messages, { role: 'assistant' as const, tool_calls: [call] }];
    await expect(sdk.chat.completions.create({ ...CHAT, messages: asked })).rejects.toMatchObject({ status: 400 });
    const stray = [...CHAT.messages, { role: 'tool' as const, tool_call_id: 'call_x', content: 'x' }];
    await expect(sdk.chat.completions.create({ ...CHAT, messages: stray })).rejects.toMatchObject({ status: 400 });
  });
});

describe('the scripted model in Responses', () => {
  it("speaks the provider's format to the provider's own client, whole and streamed alike", async () => {
    const answer = {
      ...ANSWER,
      content: [...ANSWER.content, { textTool: 'apply_patch', input: '*** Begin', id: 'c3' }],
    };
    const sdk = await client({ script: () => answer });
    const whole = await sdk.responses.create(RESPONSES);
    const streamed = await sdk.responses.stream(RESPONSES).finalResponse();
    for (const response of [whole, streamed]) {
      expect(response.status).toBe('completed');
      expect(response.output_text).toBe('Hello — and "more" 😀');
      expect(response.output.slice(1)).toMatchObject([
        { type: 'function_call', call_id: 'call_1', name: 'Read', arguments: expect.stringContaining('a/b c.txt') },
        { type: 'function_call', call_id: 'call_2', name: 'Bash' },
        { type: 'custom_tool_call', call_id: 'c3', name: 'apply_patch', input: '*** Begin' },
      ]);
      expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 11, total_tokens: 21 });
    }
    const cut = await client({ script: inOrder([{ ...reply({ text: 'half' }), stopReason: 'max_tokens' }]) });
    expect(await cut.responses.create(RESPONSES)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
  });

  it('plays by the conversation, and refuses a call without its output', async () => {
    const sdk = await client({ script: byConversation([ANSWER, reply({ text: 'second' })]) });
    const call = { type: 'function_call' as const, call_id: 'call_1', name: 'Read', arguments: '{}' };
    const input = [
      { role: 'user' as const, content: 'hi' },
      { role: 'assistant' as const, content: 'Hello' },
      call,
      { ...call, call_id: 'call_2' },
    ];
    await expect(sdk.responses.create({ ...RESPONSES, input })).rejects.toMatchObject({ status: 400 });
    const outputs = ['call_1', 'call_2'].map((call_id) => ({
      type: 'function_call_output' as const,
      call_id,
      output: 'x',
    }));
    const { output_text: text } = await sdk.responses.create({ ...RESPONSES, input: [...input, ...outputs] });
    expect(text).toBe('second');
    const [request] = model.requests;
    expect(request === undefined ? [] : toolResults(request.wire, request.body)).toEqual([
      { id: 'call_1', text: 'x', isError: false },
      { id: 'call_2', text: 'x', isError: false },
    ]);
  });

  it('a 400 ends the request and a 429 is retried by the client, in both formats', async () => {
    const refused = { kind: 'error' as const, status: 400, message: 'no' };
    const later = { kind: 'error' as const, status: 429, headers: { 'retry-after-ms': '1' } };
    const sdk = await client({ script: inOrder([refused, later, ANSWER, refused, later, ANSWER]) }, 2);
    await expect(sdk.responses.create(RESPONSES)).rejects.toMatchObject({ status: 400, error: { message: 'no' } });
    expect((await sdk.responses.create(RESPONSES)).status).toBe('completed');
    await expect(sdk.chat.completions.create(CHAT)).rejects.toMatchObject({ status: 400 });
    expect((await sdk.chat.completions.create(CHAT)).choices).toHaveLength(1);
    expect(model.requests).toHaveLength(6);
  });
});
