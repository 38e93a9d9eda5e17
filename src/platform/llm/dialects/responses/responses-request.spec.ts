import { describe, expect, it } from '@jest/globals';
import { screenResponsesRequest, withResponsesLimit } from './responses-request.js';

const RULES = { model: 'gpt-5.4', providerStores: true };
const ask = (more: object = {}): object => ({ model: RULES.model, input: 'hi', ...more });
const screen = (more: object = {}) => screenResponsesRequest(ask(more), RULES);
const sent = (more: object = {}) => JSON.parse(screen(more).text) as Record<string, unknown>;

describe('a Responses request', () => {
  it.each([
    ['model', { model: 'gpt-5.4-mini' }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: { id: 'conv_1' } }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['background', { background: true }],
    [
      'input[1]',
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
    ],
    ['input[0]', { input: [{ id: 'msg_1' }] }],
    ['input', { input: [{ type: 'function_call_output', output: 'x' }] }],
    ['service_tier', { service_tier: 'flex' }],
    ['input[0]', { input: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }],
    ['lower case', { input: [{ role: 'user', content: [], Type: 'item_reference', ID: 'msg_1' }] }],
    ['lower case', { tools: [{ type: 'function', name: 'f', Type: 'web_search' }] }],
    ['"Previous_response_id"', { Previous_response_id: 'resp_1' }],
    ['id of a tool result', { input: [{ type: 'function_call_output', call_id: 'a'.repeat(257), output: 'x' }] }],
    ['base_url', { base_url: 'http://elsewhere' }],
  ])('CP-026 that refers to what nobody has seen is refused by name: %s', (named, more) => {
    expect(() => screenResponsesRequest(ask(more), RULES)).toThrow(named);
  });

  it('CP-026 is kept by no provider', () => {
    expect(sent({ store: true, previous_response_id: null, background: false })).toMatchObject({ store: false });
    expect(sent()).toMatchObject({ store: false });
  });

  it('CP-026 offers the tools that the harness executes and no other, in silence', () => {
    const kept = [
      { type: 'function', name: 'exec' },
      { type: 'custom', name: 'apply_patch' },
      { type: 'tool_search', execution: 'client' },
    ];
    const foreign = [
      { type: 'web_search', external_web_access: true },
      { type: 'tool_search', execution: 'server' },
      { type: 'tool_search' },
      { type: 'mcp', server_url: 'https://x' },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'local_shell' },
      'nonsense',
    ];
    const namespaces = [
      { type: 'namespace', name: 'mcp__kb__', tools: [...foreign, kept[0]] },
      { type: 'namespace', name: 'empty', tools: foreign },
    ];
    const found = { type: 'tool_search_output', call_id: 'c', tools: [...kept, ...foreign] };
    const body = sent({ tools: [...foreign, ...kept, ...namespaces], input: [found] });
    expect(body['tools']).toEqual([...kept, { type: 'namespace', name: 'mcp__kb__', tools: [kept[0]] }]);
    expect(body['input']).toEqual([{ ...found, tools: kept }]);
  });

  it('CP-074 is limited to what is granted, and by nothing of ours where no cap is at stake', () => {
    const limited = (more: object, granted: number, capped: boolean) =>
      JSON.parse(withResponsesLimit(screen(more), granted, capped)) as Record<string, unknown>;
    expect(limited({ max_output_tokens: 9000 }, 2000, false)['max_output_tokens']).toBe(2000);
    expect(limited({ max_output_tokens: 900 }, 2000, true)['max_output_tokens']).toBe(900);
    expect(limited({}, 2000, true)['max_output_tokens']).toBe(2000);
    expect(limited({}, 2000, false)).not.toHaveProperty('max_output_tokens');
  });

  it.each(['function_call_output', 'custom_tool_call_output', 'local_shell_call_output', 'shell_call_output', 'apply_patch_call_output', 'computer_call_output'])(
    'CP-026 carries a result: %s',
    (type) => {
      const id = type === 'local_shell_call_output' ? { id: 'call_1' } : { call_id: 'call_1' };
      expect(screen({ input: [{ type, ...id, output: 'ok' }] }).toolResults).toEqual([
        { toolUseId: 'call_1', isError: false, bytes: 4 },
      ]);
    },
  ); // prettier-ignore

  it.each([
    ['unsupported call: shell_command', true],
    ['unsupported custom tool call: apply_patch', true],
    ['failed to parse function arguments: expected value', true],
    ['apply_patch verification failed: no such line', true],
    ['exec_command handler received unsupported payload', true],
    ['Plan updated', false],
    ['Exit code: 1\nOutput:\nunsupported call: x', false],
  ])('CP-026 knows what Codex says when it refuses a use itself: %j %s', (output, isError) => {
    expect(screen({ input: [{ type: 'function_call_output', call_id: 'c', output }] }).toolResults).toMatchObject([
      { isError },
    ]);
    const listed = [{ type: 'input_text', text: output }];
    expect(
      screen({ input: [{ type: 'function_call_output', call_id: 'c', output: listed }] }).toolResults,
    ).toMatchObject([{ isError }]);
  });
});
