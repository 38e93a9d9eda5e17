import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UsageFilter } from './usage-filter.js';

const chunk = (value: object, end = '\n\n'): string => `data: ${JSON.stringify(value)}${end}`;
const USAGE = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };

function passed(stream: string, cuts: number[]): string {
  const bytes = Buffer.from(stream);
  const filter = new UsageFilter();
  const out: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts.map((part) => part % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)) {
    out.push(filter.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return Buffer.concat([...out, filter.end()]).toString('utf8');
}

describe('the usage chunk of a client that did not ask', () => {
  const before = `${chunk({ choices: [{ delta: { content: 'schön 🦊' } }], usage: null })}: keep-alive\n\n`;
  const long = chunk({ choices: [{ delta: { content: 'x'.repeat(40_000) } }], usage: null });
  const after = 'data: [DONE]\n\n';

  it('CP-023 is taken out and nothing else, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 12 }), fc.constantFrom('\n\n', '\r\n\r\n'), (cuts, end) => {
        const rest = before + long + chunk({ choices: [], note: 1 }, end);
        expect(passed(rest + chunk(USAGE, end) + after, cuts)).toBe(rest + after);
      }),
      { numRuns: 200 },
    );
  });

  it('CP-023 is taken out at the end of a stream that lacks its last line break', () => {
    expect(passed(`${before}data: ${JSON.stringify(USAGE)}`, [])).toBe(before);
    expect(passed(`${before}data: {"choices":[{`, [])).toBe(`${before}data: {"choices":[{`);
  });

  it('CP-023 that comes with a choice is part of the answer', () => {
    const stream = chunk({ choices: [{ delta: {} }], usage: USAGE.usage });
    expect(passed(stream, [10])).toBe(stream);
  });
});
