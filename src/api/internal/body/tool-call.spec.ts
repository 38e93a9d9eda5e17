import { describe, expect, it } from '@jest/globals';
import { parseJsonPreservingNumbers } from '../../../domain/digest/parse-json.js';
import { SandgateError } from '../../../domain/errors.js';
import type { RunnerBody } from './runner-body.js';
import { readToolCall } from './tool-call.js';

const json = (text: string): RunnerBody => ({
  kind: 'json',
  value: parseJsonPreservingNumbers(text),
  bytes: text.length,
});

describe('tool call of a runner', () => {
  it('CP-293 is read with an absent input as null', () => {
    expect(readToolCall(json('{"tool_call_id":"a","tool":"Bash"}'))).toEqual({
      kind: 'call',
      call: { toolCallId: 'a', tool: 'Bash', input: null },
    });
  });

  it.each([
    ['no object', '[]', 'JSON object'],
    ['no id', '{"tool":"Bash"}', 'tool_call_id'],
    ['an id of another type', '{"tool_call_id":7,"tool":"Bash"}', 'tool_call_id'],
    ['an id with NUL', '{"tool_call_id":"a\\u0000","tool":"Bash"}', 'tool_call_id'],
    ['an endless id', `{"tool_call_id":"${'a'.repeat(257)}","tool":"Bash"}`, 'tool_call_id'],
    ['no tool', '{"tool_call_id":"a"}', 'tool'],
    ['a prototype', '{"tool_call_id":"a","tool":"Bash","input":{"x":[{"__proto__":{}}]}}', 'prototype'],
    ['an escaped prototype', '{"tool_call_id":"a","tool":"Bash","input":{"\\u005f_proto__":1}}', 'prototype'],
    ['a prototype path', '{"tool_call_id":"a","tool":"Bash","input":{"constructor":{"prototype":{}}}}', 'prototype'],
  ])('CP-292 with %s is denied with its reason', (_what, text, reason) => {
    const read = readToolCall(json(text));
    expect(read.kind).toBe('unreadable');
    expect(read.call).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(read.call.toolCallId).toMatch(/^(a|unreadable_([0-9a-f]{32}|[0-9a-f-]{36}))$/);
  });

  it('CP-292 that cannot be parsed gets an id of its own each time', () => {
    const body: RunnerBody = {
      kind: 'unreadable',
      failure: new SandgateError('payload_too_large', 'too large'),
      text: null,
    };
    expect(readToolCall(body).call).toMatchObject({ tool: null, reason: 'too large', isCall: false });
    expect(readToolCall(body).call.toolCallId).not.toBe(readToolCall(body).call.toolCallId);
  });

  it('CP-293 keeps an ordinary member named constructor', () => {
    expect(readToolCall(json('{"tool_call_id":"a","tool":"Write","input":{"constructor":"x"}}')).kind).toBe('call');
  });
});
