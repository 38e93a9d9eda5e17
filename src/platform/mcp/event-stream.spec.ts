import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEvents } from './event-stream.js';

async function eventsOf(text: string, cuts: readonly number[] = []): Promise<string[]> {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    chunks.push(bytes.subarray(from, cut));
    from = Math.max(from, cut);
  }
  chunks.push(bytes.subarray(from));
  const stream = (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  })();
  const events: string[] = [];
  for await (const data of readEvents(stream)) events.push(data);
  return events;
}

describe('an event stream', () => {
  it('joins lines, skips comments and flushes what is not terminated', async () => {
    expect(await eventsOf(': hi\nevent: x\nid: 7\ndata: a\ndata:b\n\ndata\n\n\ndata: ü😀')).toEqual([
      'a\nb',
      '',
      'ü😀',
    ]);
    expect(await eventsOf('')).toEqual([]);
    expect(await eventsOf('\ufeffdata: 1\r')).toEqual(['1']);
  });

  it('reads the same events however lines end and wherever chunks are cut', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', '{', ' ', ':', '"'), maxLength: 8 });
    const event = fc.array(line, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 5 }),
        fc.constantFrom('\n', '\r', '\r\n'),
        fc.array(fc.nat({ max: 200 }), { maxLength: 6 }),
        async (events, ending, cuts) => {
          const text = events.map((lines) => lines.map((one) => `data: ${one}${ending}`).join('') + ending).join('');
          expect(await eventsOf(text, cuts)).toEqual(events.map((lines) => lines.join('\n')));
        },
      ),
    );
  });

  it('bounds events and their number wherever chunks are cut', async () => {
    const most = `data: ${'x'.repeat(256 * 1024)}\n\n`;
    expect(await eventsOf(most, [1000])).toHaveLength(1);
    for (const cuts of [[], [100_000, 200_000]]) {
      await expect(eventsOf(most.replace('x', 'xx'), cuts)).rejects.toThrow('more than 262144 bytes');
      await expect(eventsOf(`data: ${'ü'.repeat(140_000)}`, cuts)).rejects.toThrow('more than 262144 bytes');
      await expect(eventsOf('data: xxxxxxxxx\n'.repeat(30_000), cuts)).rejects.toThrow('more than 262144 bytes');
    }
    expect(await eventsOf('data: 1\n\n'.repeat(4096))).toHaveLength(4096);
    await expect(eventsOf('data: 1\n\n'.repeat(4097))).rejects.toThrow('more than 4096 events');
  });
});
