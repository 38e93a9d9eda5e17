import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../digest/digest.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { denied, notSent } from './broker-answer.js';
import { brokeredEvent } from './brokered-event.js';
import { dispatchId } from './claim.js';
import { limitContent, writeAnswer } from './stored-answer.js';

describe('the stored answer', () => {
  it('keeps numbers as the upstream wrote them, and is digested as it is delivered', () => {
    const content = parseJsonPreservingNumbers('[{"type":"text","text":"x","n":9007199254740993,"f":1.0}]') as never[];
    const { text, digest } = writeAnswer({ isError: false, content });
    expect(text).toBe(
      '{"ok":true,"result":{"content":[{"type":"text","text":"x","n":9007199254740993,"f":1.0}],"is_error":false}}',
    );
    expect(digest).toBe(digestOf(content));
    const structured = writeAnswer({ isError: true, content: [], structuredContent: { a: 1 } });
    expect(structured.text).toBe('{"ok":true,"result":{"content":[],"is_error":true,"structured_content":{"a":1}}}');
    expect(structured.digest).toBe(digestOf({ content: [], structuredContent: { a: 1 } }));
  });

  it('above 256 KiB is one text, cut between characters, with a note; structured content is replaced', () => {
    const block = (text: string) => ({ type: 'text', text });
    expect(limitContent([block('é'.repeat(1000))])).toEqual([block('é'.repeat(1000))]);
    const [only, ...others] = limitContent([
      block('😀'.repeat(60_000)),
      { type: 'image', data: 'x' },
      block('b'.repeat(90_000)),
    ]);
    expect(others).toEqual([]);
    const { text } = only as { text: string };
    expect(text.startsWith('😀'.repeat(60_000) + '\n' + 'b'.repeat(5_535) + '\n[truncated')).toBe(true);
    const { text: answer } = writeAnswer({ isError: false, content: [], structuredContent: 'x'.repeat(300_000) });
    expect(JSON.parse(answer)).toMatchObject({ result: { structured_content: { service_truncated: true } } });
    expect(answer.length).toBeLessThan(400);
  });
});

describe('what a caller hears without an answer', () => {
  it('says whether the call may be presented again, in 300 characters', () => {
    expect(notSent('refused', 2)).toEqual({ ok: false, error: 'refused' });
    expect(notSent('refused', 3)).toMatchObject({ error: expect.stringContaining('on 3 attempts') as unknown });
    const { message } = denied('x'.repeat(1000)) as { message: string };
    expect(Array.from(message)).toHaveLength(300);
  });
});

describe('the event of a brokered call', () => {
  it('CP-294 names the last attempt, keeps its error short and leaves out what there is not', () => {
    const call = { toolCallId: 'a', tool: 'mcp__kb__find', latencyMs: 1.6, error: 'e'.repeat(400) };
    const last = brokeredEvent({ ...call, state: 'failed_before_send', attempt: 3 }, 'kb');
    expect(last).toMatchObject({ data: { ok: false, latency_ms: 2, server: 'kb', outcome: 'failed_before_send' } });
    const { error } = last.data as { error: string };
    expect(error).toHaveLength(300);
    expect(error.endsWith(' (attempt 3; not retried)')).toBe(true);
    const good = brokeredEvent({ ...call, state: 'succeeded', attempt: 1, bindingId: 'b', resultDigest: 'd' }, 'kb');
    expect(good.data).toEqual({
      tool_call_id: 'a',
      tool: 'mcp__kb__find',
      server: 'kb',
      ok: true,
      latency_ms: 2,
      outcome: 'succeeded',
      binding_id: 'b',
      result_digest: 'd',
    });
  });
});

describe('the id of a dispatch', () => {
  it('is the same for the same call and attempt, and shows nothing of it', () => {
    const key = { runId: 's', toolCallId: 'secret', inputDigest: 'd' };
    expect(dispatchId(key, 1, 0)).toBe(dispatchId({ ...key }, 1, 0));
    const ids = [dispatchId(key, 1, 0), dispatchId(key, 2, 0), dispatchId(key, 1, 1)];
    ids.push(dispatchId({ ...key, toolCallId: 'other' }, 1, 0), dispatchId({ ...key, inputDigest: 'e' }, 1, 0));
    expect(new Set(ids).size).toBe(5);
    expect(ids[0]).toMatch(/^call-[0-9a-f]{64}$/);
  });
});
