import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from '@jest/globals';
import { byConversation, inOrder, reply } from './wire/model-script.js';
import { startScriptedModel } from './scripted-model.js';
import type { ScriptedModel, ScriptedModelOptions } from './scripted-model.js';

let model: ScriptedModel;

afterEach(() => model.close());

async function client(options: ScriptedModelOptions, maxRetries = 0): Promise<Anthropic> {
  model = await startScriptedModel(options);
  return new Anthropic({ baseURL: model.url, apiKey: 'key', maxRetries });
}

const REQUEST = { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };

describe('the scripted model', () => {
  it("speaks the provider's format to the provider's own client, whole and streamed alike", async () => {
    const answer = {
      ...reply(
        { text: 'Hello — and "more" 😀' },
        { tool: 'Read', input: { file_path: 'a/b c.txt', nested: { n: [1, 2] } }, id: 'toolu_1' },
      ),
      usage: { input_tokens: 7, output_tokens: 11, cache_read_input_tokens: 3 },
    };
    const sdk = await client({ script: inOrder([answer, answer]) });
    const whole = await sdk.messages.create(REQUEST);
    const streamed = await sdk.messages.stream(REQUEST).finalMessage();
    for (const message of [whole, streamed]) {
      expect(message.content).toMatchObject([
        { type: 'text', text: 'Hello — and "more" 😀' },
        { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a/b c.txt', nested: { n: [1, 2] } } },
      ]);
      expect(message.stop_reason).toBe('tool_use');
      expect(message.usage).toMatchObject({ input_tokens: 7, output_tokens: 11, cache_read_input_tokens: 3 });
    }
  });

  it('counts tokens and keeps every request', async () => {
    const sdk = await client({ script: inOrder([reply({ text: 'ok' })]), apiKey: 'key' });
    const { input_tokens: counted } = await sdk.messages.countTokens({
      model: REQUEST.model,
      messages: REQUEST.messages,
    });
    expect(counted).toBeGreaterThan(0);
    await sdk.messages.create(REQUEST);
    expect(model.countRequests).toHaveLength(1);
    expect(model.requests).toMatchObject([{ index: 0, path: '/v1/messages', body: { max_tokens: 100 } }]);
  });

  it('a 400 ends the request and a 429 is retried by the client', async () => {
    const sdk = await client(
      {
        script: inOrder([
          { kind: 'error', status: 400, message: 'no' },
          { kind: 'error', status: 429, headers: { 'retry-after-ms': '1' } },
          reply({ text: 'ok' }),
        ]),
      },
      2,
    );
    await expect(sdk.messages.create(REQUEST)).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { message: 'no' } },
    });
    expect(model.requests).toHaveLength(1);
    expect((await sdk.messages.create(REQUEST)).content).toMatchObject([{ text: 'ok' }]);
    expect(model.requests).toHaveLength(3);
  });

  it('refuses a conversation that leaves a tool use without its result, as the provider does', async () => {
    const sdk = await client({ script: () => reply({ text: 'ok' }) });
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_x', name: 'Read', input: {} }] },
      { role: 'user', content: 'and now?' },
    ];
    await expect(sdk.messages.create({ ...REQUEST, messages })).rejects.toMatchObject({ status: 400 });
    expect(model.requests).toHaveLength(0);
  });

  it('plays by the conversation, so that repeated requests get the same answer', async () => {
    const sdk = await client({ script: byConversation([reply({ text: 'first' }), reply({ text: 'second' })]) });
    const later: Anthropic.MessageParam[] = [
      ...REQUEST.messages,
      { role: 'assistant', content: 'first' },
      { role: 'user', content: 'go on' },
    ];
    for (const text of ['first', 'first'])
      expect((await sdk.messages.create(REQUEST)).content).toMatchObject([{ text }]);
    expect((await sdk.messages.create({ ...REQUEST, messages: later })).content).toMatchObject([{ text: 'second' }]);
  });

  it('keeps what a hook finds wrong, and breaks streams off where it was told to', async () => {
    const sdk = await client({
      script: () => ({ ...reply({ text: 'a long enough answer to be cut in the middle of it' }), cutAfterEvents: 4 }),
      onRequest: ({ index }) => {
        if (index === 0) throw new Error('unexpected request');
      },
    });
    await expect(sdk.messages.create(REQUEST)).rejects.toMatchObject({ status: 500 });
    expect(model.violations).toEqual(['unexpected request']);
    await expect(sdk.messages.stream(REQUEST).finalMessage()).rejects.toThrow();
  });
});
