import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { anthropicDialect } from './anthropic-dialect.js';

function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

const STREAM = [
  frame('message_start', {
    message: {
      usage: {
        input_tokens: 11,
        output_tokens: 1,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 7,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 3 },
      },
    },
  }),
  frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  frame('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: 'says "usage" and tool_use: {"type":"tool_use"}' },
  }),
  frame('content_block_start', {
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
  }),
  frame('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 42 } }),
  frame('message_stop', {}),
].join('');

const EXPECTED = {
  usage: { inputTokens: 11, outputTokens: 42, cacheReadTokens: 5, cacheWriteTokens: 7, cacheWriteOneHourTokens: 3 },
  toolUses: [{ id: 'toolu_1', tool: 'Bash' }],
  digest: `sha256:${createHash('sha256').update(STREAM).digest('hex')}`,
};

describe('meter of a model answer', () => {
  it('CP-023 reads a stream the same however it is cut into chunks', () => {
    const bytes = Buffer.from(STREAM);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), (cuts) => {
        const meter = anthropicDialect.meter(true);
        const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        for (let at = 1; at < edges.length; at += 1) meter.push(bytes.subarray(edges[at - 1], edges[at]));
        expect(meter.end()).toEqual(EXPECTED);
      }),
    );
  });

  it('CP-023 understands CRLF and a last line without an end', () => {
    const meter = anthropicDialect.meter(true);
    meter.push(Buffer.from(STREAM.replaceAll('\n', '\r\n').trimEnd()));
    expect(meter.end()).toMatchObject({ usage: EXPECTED.usage, toolUses: EXPECTED.toolUses });
  });

  it.each([false, true])(
    'CP-023 counts what its totals leave out: summaries that the provider wrote (streamed: %s)',
    (streamed) => {
      const usage = {
      input_tokens: 100,
      output_tokens: 50,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3500, cache_read_input_tokens: 7, cache_creation_input_tokens: 9 },
        { type: 'message', input_tokens: 100, output_tokens: 50 },
      ],
    }; // prettier-ignore
      const meter = anthropicDialect.meter(streamed);
      const text = streamed
        ? frame('message_start', { message: { usage: { input_tokens: 100, output_tokens: 1 } } }) +
          frame('message_delta', { delta: {}, usage })
        : JSON.stringify({ type: 'message', content: [], usage });
      meter.push(Buffer.from(text));
      expect(meter.end().usage).toEqual({
        inputTokens: 180_100,
        outputTokens: 3550,
        cacheReadTokens: 7,
        cacheWriteTokens: 9,
      });
    },
  );

  it('CP-023 takes a report that counts nothing for none', () => {
    const meter = anthropicDialect.meter(false);
    meter.push(Buffer.from('{"type":"message","content":[],"usage":{}}'));
    expect(meter.end().usage).toBeNull();
  });

  it('CP-023 reports no usage when the stream ended before any', () => {
    const meter = anthropicDialect.meter(true);
    meter.push(Buffer.from(frame('ping', {})));
    expect(meter.end().usage).toBeNull();
  });

  it('CP-023 takes the first report of a stream that broke off for no report', () => {
    const meter = anthropicDialect.meter(true);
    meter.push(Buffer.from(STREAM.slice(0, STREAM.indexOf('event: message_delta'))));
    expect(meter.end()).toMatchObject({ usage: null, toolUses: EXPECTED.toolUses });
  });

  it('CP-023 skips an endless line and goes on after it', () => {
    const meter = anthropicDialect.meter(true);
    for (let i = 0; i < 40; i += 1) meter.push(Buffer.alloc(65_536, 'x'));
    meter.push(Buffer.from(`"usage"\n${STREAM}`));
    expect(meter.end()).toMatchObject({ usage: EXPECTED.usage, toolUses: EXPECTED.toolUses });
  });

  it('CP-023 reads a whole answer', () => {
    const meter = anthropicDialect.meter(false);
    const answer = {
      content: [{ type: 'tool_use', id: 'a', name: 'Read' }],
      usage: { input_tokens: 3, output_tokens: 4 },
    };
    for (const byte of Buffer.from(JSON.stringify(answer))) meter.push(Buffer.from([byte]));
    expect(meter.end()).toMatchObject({
      usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0 },
      toolUses: [{ id: 'a', tool: 'Read' }],
    });
  });

  it('CP-023 takes no usage from an answer that is not JSON', () => {
    const meter = anthropicDialect.meter(false);
    meter.push(Buffer.from('<html>'));
    expect(meter.end().usage).toBeNull();
  });
});
