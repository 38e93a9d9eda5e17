import { describe, expect, it } from '@jest/globals';
import type { ExactJson } from '../../../../domain/digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../../../domain/digest/parse-json.js';
import { screenAnthropicRequest, withOutputLimit } from './anthropic-request.js';

const base = { model: 'm', max_tokens: 100, messages: [] };

describe('screen of a model request', () => {
  it.each([
    ['another model', { ...base, model: 'n' }, 'model'],
    ['no object', [], 'JSON object'],
    [
      'a server tool',
      { ...base, tools: [{ name: 'a' }, { type: 'web_search_20250305', name: 'web_search' }] },
      'tools[1]',
    ],
    ['the provider as MCP client', { ...base, mcp_servers: [{ url: 'https://x' }] }, 'mcp_servers'],
    ['a provider container', { ...base, container: 'c' }, 'container'],
    ['a conversation that the provider keeps', { ...base, thread: { id: 't' } }, 'thread'],
    ['an unpriced speed', { ...base, speed: 'fast' }, 'speed'],
    ['an unpriced region', { ...base, inference_geo: 'us' }, 'inference_geo'],
    ['somebody else’s bill', { ...base, billing_policy: { type: 'billing_policy' } }, 'billing_policy'],
    ['a summary that nobody counts', { ...base, compaction: { type: 'summarize' } }, 'compaction'],
    [
      'a summary among the edits',
      { ...base, context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }] } },
      'compaction',
    ],
    ['a model in a second spelling', { ...base, Model: 'n' }, '"Model"'],
    ['a model in a spelling that Go folds', { ...base, meſſages: [] }, 'lower case'],
    [
      'a server tool in a second spelling',
      { ...base, tools: [{ name: 'a', Type: 'web_search_20250305' }] },
      'tools[0]',
    ],
    ['tools that are no list', { ...base, tools: { 0: { type: 'web_search_20250305' } } }, 'tools'],
    ['a stored prompt of a gateway', { ...base, prompt_id: 'p' }, 'prompt_id'],
    ['an answer of no model', { ...base, mock_tool_calls: [{}] }, 'mock_tool_calls'],
    ...['a\u0000', 'a\ud800', 'a'.repeat(257)].map((id): [string, object, string] => [
      'a result with an id that no row can hold',
      { ...base, messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] }] },
      'id of a tool result',
    ]),
    [
      'a result without an id',
      { ...base, messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
      'tool_use_id',
    ],
  ])('CP-026 refuses %s', (_what, body, named) => {
    expect(() => screenAnthropicRequest(body as never, 'm')).toThrow(named);
  });

  it('CP-026 lets old results be cleared by the provider, and plain settings of it', () => {
    const edits = [{ type: 'clear_tool_uses_20250919' }, { type: 'clear_thinking_20251015', keep: 'all' }];
    const plain = { ...base, context_management: { edits }, inference_geo: 'global', speed: 'standard', tools: null };
    expect(() => screenAnthropicRequest(plain as never, 'm')).not.toThrow();
  });

  it('CP-026 lets custom tools pass and lists the results that are carried', () => {
    const screened = screenAnthropicRequest(
      {
        ...base,
        stream: true,
        tools: [{ name: 'a' }, { type: 'custom', name: 'b' }],
        messages: [
          { role: 'user', content: 'text' },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't2', is_error: true }] },
        ],
      },
      'm',
    );
    expect(screened).toMatchObject({ declaredOutputTokens: 100, cacheWrites: 'none' });
    expect(screened.toolResults).toEqual([
      { toolUseId: 't1', isError: false, bytes: 4 },
      { toolUseId: 't2', isError: true, bytes: 2 },
    ]);
  });

  it('CP-074 knows when the prompt is written to the dearer caches', () => {
    const cached = (control: object) => ({ ...base, system: [{ type: 'text', text: 'x', cache_control: control }] });
    expect(screenAnthropicRequest(cached({ type: 'ephemeral' }), 'm').cacheWrites).toBe('five_minutes');
    expect(screenAnthropicRequest(cached({ type: 'ephemeral', ttl: '1h' }), 'm').cacheWrites).toBe('one_hour');
  });

  it('CP-074 bounds what a request without a limit may produce', () => {
    expect(screenAnthropicRequest({ model: 'm' }, 'm').declaredOutputTokens).toBe(32_768);
    expect(screenAnthropicRequest({ model: 'm', max_tokens: 0 }, 'm').declaredOutputTokens).toBe(32_768);
    expect(screenAnthropicRequest({ model: 'm', max_tokens: 1e9 }, 'm').declaredOutputTokens).toBe(1_000_000);
  });
});

describe('output limit', () => {
  const limit = (body: Record<string, ExactJson>, granted: number): unknown =>
    JSON.parse(withOutputLimit(screenAnthropicRequest({ model: 'm', ...body }, 'm'), granted));

  it('CP-074 is lowered, never raised', () => {
    expect(limit(base, 100)).toEqual(base);
    expect(limit(base, 5000)).toEqual(base);
    expect(limit(base, 60)).toEqual({ ...base, max_tokens: 60 });
    expect(limit({}, 60)).toEqual({ model: 'm', max_tokens: 60 });
  });

  it('CP-074 keeps a thinking budget below it', () => {
    const thinking = { ...base, max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 8000 } };
    expect(limit(thinking, 8500)).toMatchObject({ thinking: { budget_tokens: 8000 } });
    expect(limit(thinking, 4000)).toMatchObject({ max_tokens: 4000, thinking: { budget_tokens: 2976 } });
    expect(limit(thinking, 1500)).toMatchObject({ max_tokens: 1500, thinking: { type: 'disabled' } });
  });

  it('CP-026 forwards what was screened: of duplicate members one, large numbers as they were written', () => {
    const parsed = parseJsonPreservingNumbers(
      '{"model":"x","model":"m","metadata":{"n":9007199254740993},"max_tokens":5}',
    );
    expect(withOutputLimit(screenAnthropicRequest(parsed, 'm'), 5)).toBe(
      '{"model":"m","metadata":{"n":9007199254740993},"max_tokens":5}',
    );
  });
});
