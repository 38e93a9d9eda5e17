import { describe, expect, it } from '@jest/globals';
import { screenChatRequest, withChatLimit } from './chat-request.js';

const RULES = { model: 'gpt-5.4-mini', providerStores: true };
const ask = (more: object = {}): object => ({
  model: RULES.model,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});
const screen = (more: object = {}, rules = RULES) => screenChatRequest(ask({ model: rules.model, ...more }), rules);
const sent = (more: object = {}, rules = RULES) => JSON.parse(screen(more, rules).text) as Record<string, unknown>;

describe('a Chat Completions request', () => {
  it.each([
    ['model', { model: 'gpt-5.4' }],
    ['n', { n: 2 }],
    ['best_of', { best_of: 3 }],
    ['web_search_options', { web_search_options: {} }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['function_call', { function_call: 'auto' }],
    ['audio', { audio: { voice: 'alloy', format: 'wav' } }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['service_tier', { service_tier: 'priority' }],
    ['fallbacks', { fallbacks: ['gpt-5.4'] }],
    ['models', { models: ['gpt-5.4'] }],
    ['api_base', { api_base: 'http://elsewhere' }],
    ['provider', { provider: { order: ['dearest'] } }],
    ['max_completion_tokens', { max_tokens: 50, max_completion_tokens: '100000' }],
    ['max_tokens', { max_tokens: -1 }],
    ['n_predict', { n_predict: 100_000 }],
    ['"N"', { N: 5 }],
    ['tools[0]', { tools: [{ type: 'function', Type: 'mcp' }] }],
    ['id of a tool result', { messages: [{ role: 'tool', tool_call_id: 'a\u0000', content: 'x' }] }],
    ['tools[0].type', { tools: [{ type: 'mcp', server_url: 'https://x' }] }],
    ['tools[0].type', { tools: [{ function: { name: 'f' } }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }],
    ['messages[0].role', { messages: [{ role: 'function', name: 'f', content: 'x' }] }],
    ['messages[0]: a tool message', { messages: [{ role: 'tool', content: 'x' }] }],
  ])('CP-026 with what nobody gates or counts is refused by name: %s', (named, more) => {
    expect(() => screenChatRequest(ask(more), RULES)).toThrow(named);
  });

  it('CP-026 is kept by no provider, and a server that keeps nothing is not told so', () => {
    expect(sent({ store: true })['store']).toBe(false);
    expect(sent()['store']).toBe(false);
    const local = { model: 'qwen3', providerStores: false };
    expect(sent({}, local)).not.toHaveProperty('store');
    expect(sent({ store: true }, local)['store']).toBe(false);
  });

  it('CP-023 reports its usage in a stream, and the client that did not ask is not given it', () => {
    expect(sent({ stream: true, stream_options: { include_obfuscation: false } })['stream_options']).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
    expect(screen({ stream: true }).filter).toBeDefined();
    expect(screen({ stream: true, stream_options: { include_usage: true } }).filter).toBeUndefined();
    expect(screen().filter).toBeUndefined();
    expect(sent()).not.toHaveProperty('stream_options');
  });

  it('CP-074 is limited in the words of its client, or else in those of the model’s server', () => {
    const limited = (more: object, granted: number, capped: boolean, rules = RULES) =>
      JSON.parse(withChatLimit(screen(more, rules), granted, capped)) as Record<string, unknown>;
    expect(limited({ max_tokens: 9000 }, 2000, true)).toMatchObject({ max_tokens: 2000 });
    expect(limited({ max_completion_tokens: 900 }, 2000, true)).toMatchObject({ max_completion_tokens: 900 });
    expect(limited({ max_tokens: 9000, max_completion_tokens: 900 }, 500, true)).toMatchObject({
      max_tokens: 500,
      max_completion_tokens: 500,
    });
    expect(limited({}, 2000, true)).toMatchObject({ max_completion_tokens: 2000 });
    expect(limited({}, 2000, true, { model: 'qwen3', providerStores: false })).toMatchObject({ max_tokens: 2000 });
    expect(limited({}, 2000, false)).not.toHaveProperty('max_completion_tokens');
    expect(screen().declaredOutputTokens).toBe(32_768);
    expect(screen({ max_tokens: 50, max_completion_tokens: 70 }).declaredOutputTokens).toBe(50);
  });

  it('CP-026 names the results that it carries', () => {
    const messages = [
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'Error: no such tool' }] },
    ];
    expect(screen({ messages }).toolResults).toEqual([
      { toolUseId: 'call_1', isError: false, bytes: 6 },
      { toolUseId: 'call_2', isError: true, bytes: expect.any(Number) },
    ]);
  });
});
