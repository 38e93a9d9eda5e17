import { describe, expect, it } from '@jest/globals';
import type { ModelUsage } from '../../../domain/prices/price-list.js';
import { MODEL_DIALECTS } from '../dialects/dialects.js';
import type { MeteredAnswer } from './answer-meter.js';

type OpenAi = 'openai-chat' | 'openai-responses';

function metered(dialect: OpenAi, stream: (object | string)[], end = '\n\n'): MeteredAnswer {
  const meter = MODEL_DIALECTS[dialect].meter(true);
  for (const data of stream)
    meter.push(Buffer.from(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}${end}`));
  return meter.end();
}
const whole = (dialect: OpenAi, answer: object): MeteredAnswer => {
  const meter = MODEL_DIALECTS[dialect].meter(false);
  meter.push(Buffer.from(JSON.stringify(answer)));
  return meter.end();
};
const usage = (input: number, output: number, read = 0, write = 0): ModelUsage => ({
  inputTokens: input, outputTokens: output, cacheReadTokens: read, cacheWriteTokens: write,
}); // prettier-ignore
const delta = (more: object): object => ({ choices: [{ index: 0, delta: more, finish_reason: null }], usage: null });

describe('the meter of Chat Completions', () => {
  const report = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 40 } };

  it('CP-023 takes cached tokens out of the input, and the last report for the true one', () => {
    expect(metered('openai-chat', [{ choices: [], usage: { ...report, completion_tokens: 3 } }, { choices: [], usage: report }]).usage).toEqual(usage(60, 7, 40)); // prettier-ignore
    expect(whole('openai-chat', { choices: [], usage: report }).usage).toEqual(usage(60, 7, 40));
    expect(whole('openai-chat', { usage: { input_tokens: 5, output_tokens: 6, input_tokens_details: { cached_tokens: 9, cache_write_tokens: 2 } } }).usage).toEqual(usage(0, 6, 9, 2)); // prettier-ignore
  });

  it('CP-023 believes reports on the way only once the answer is over', () => {
    const onTheWay = { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }], usage: report };
    expect(metered('openai-chat', [onTheWay]).usage).toBeNull();
    expect(metered('openai-chat', [onTheWay, '[DONE]']).usage).toEqual(usage(60, 7, 40));
    expect(metered('openai-chat', [{ choices: [{ delta: {}, finish_reason: 'stop' }], usage: report }]).usage).toEqual(
      usage(60, 7, 40),
    );
    expect(metered('openai-chat', [delta({ content: 'x' }), '[DONE]']).usage).toBeNull();
  });

  it('CP-026 knows calls by their first pieces, in one or several, with an index or none', () => {
    expect(
      metered('openai-chat', [
        delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'Bash', arguments: '' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"id":"z"}' } }] }),
        delta({ tool_calls: [{ index: 1, id: 'b' }] }),
        delta({ tool_calls: [{ index: 1, function: { name: 'Read' } }] }),
        delta({ tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch' } }, { id: 'd', function: { name: 'LS' } }] }),
      ]).toolUses,
    ).toEqual([
      { id: 'a', tool: 'Bash' },
      { id: 'b', tool: 'Read' },
      { id: 'c', tool: 'patch' },
      { id: 'd', tool: 'LS' },
    ]); // prettier-ignore
  });
});

describe('the meter of Responses', () => {
  const report = { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 9 };

  it.each(['response.completed', 'response.incomplete', 'response.failed'])('CP-023 reads the usage of %s', (type) => {
    expect(metered('openai-responses', [{ type, response: { usage: report } }]).usage).toEqual(usage(60, 9, 40));
  });

  it('CP-023 reads a last event of a megabyte, and none of a stream without one', () => {
    const response = { instructions: 'x'.repeat(1_000_000), usage: report };
    expect(metered('openai-responses', [{ type: 'response.completed', response }]).usage).toEqual(usage(60, 9, 40));
    expect(metered('openai-responses', [{ type: 'response.in_progress', response: { usage: report } }]).usage).toBeNull();
  }); // prettier-ignore

  it('CP-026 names the calls once, those of a namespace as the gate names them', () => {
    const items = [
      { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'exec_command', arguments: '{}' },
      { type: 'function_call', call_id: 'b', namespace: 'mcp__kb__', name: 'find' },
      { type: 'function_call', call_id: 'c', namespace: 'mcp__kb', name: 'find' },
      { type: 'custom_tool_call', call_id: 'd', name: 'apply_patch', input: 'x' },
      { type: 'local_shell_call', call_id: 'e', action: {} },
      { type: 'message', id: 'f' },
    ];
    const done = items.map((item) => ({ type: 'response.output_item.done', item }));
    const expected = [
      { id: 'a', tool: 'exec_command' },
      { id: 'b', tool: 'mcp__kb__find' },
      { id: 'c', tool: 'mcp__kb__find' },
      { id: 'd', tool: 'apply_patch' },
      { id: 'e', tool: 'local_shell' },
    ];
    expect(metered('openai-responses', [...done, { type: 'response.completed', response: { output: items } }]).toolUses).toEqual(expected); // prettier-ignore
    expect(whole('openai-responses', { output: items, usage: report })).toMatchObject({ toolUses: expected, usage: usage(60, 9, 40) }); // prettier-ignore
  });
});

describe('the line decoder', () => {
  it('CP-023 drops an endless line, keeps little, and reads on behind it', () => {
    const meter = MODEL_DIALECTS['openai-chat'].meter(true);
    for (let n = 0; n < 100; n += 1) meter.push(Buffer.alloc(10_000, 'x'));
    meter.push(Buffer.from('"usage":{"prompt_tokens":9}\ndata: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}'));
    expect(meter.end().usage).toEqual(usage(1, 2));
  }); // prettier-ignore

  it('CP-023 reads lines that end with carriage returns, byte by byte', () => {
    const meter = MODEL_DIALECTS['openai-chat'].meter(true);
    const text = `: ping\r\n\r\nevent: x\r\ndata: {"choices":[{"delta":{"content":"🦊"}}]}\r\n\r\ndata: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\r\n\r\n`;
    for (const byte of Buffer.from(text)) meter.push(Buffer.from([byte]));
    expect(meter.end().usage).toEqual(usage(1, 2));
  });
});
