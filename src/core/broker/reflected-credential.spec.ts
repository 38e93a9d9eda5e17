import { describe, expect, it } from '@jest/globals';
import type { McpOutcome } from '../../platform/mcp/mcp-outcome.js';
import { withoutCredential } from './reflected-credential.js';

const TOKEN = 'tok_0123456789"quoted';

const answer = (...texts: string[]): McpOutcome => ({
  state: 'succeeded',
  isError: false,
  content: texts.map((text) => ({ type: 'text', text })),
});

const textsOf = (outcome: McpOutcome): unknown =>
  outcome.state === 'succeeded' ? outcome.content.map((block) => (block as { text: string }).text) : outcome;

describe('a server that answers with the credential of its caller', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['a bearer', { authorization: `Bearer ${TOKEN}` }, `you sent Bearer ${TOKEN}, ${TOKEN}`, 'you sent Bearer M, M'],
    ['a bare token', { 'x-api-key': TOKEN }, `<${TOKEN}>`, '<M>'],
    ['a token with blanks', { 'x-api-key': 'Token abc def ghi' }, 'Token abc def ghi', 'M'],
    [
      'Basic, as sent and decoded',
      { authorization: `Basic ${Buffer.from('user:pa55word').toString('base64')}` },
      `${Buffer.from('user:pa55word').toString('base64')} user:pa55word pa55word user`,
      'M M M user',
    ],
  ])('CP-289 has its answer masked: %s', (_what, headers, said, heard) => {
    expect(textsOf(withoutCredential(answer(said), headers))).toEqual([heard.replaceAll('M', '‹redacted›')]);
  });

  it('CP-289 also in keys, in structured content and in errors of a tool', () => {
    const outcome: McpOutcome = {
      state: 'failed_upstream',
      isError: true,
      content: [{ type: 'resource', resource: { uri: `x:${TOKEN}` } }],
      structuredContent: { [TOKEN]: { deep: [TOKEN, 1] } },
    };
    const masked = withoutCredential(outcome, { authorization: `Bearer ${TOKEN}` });
    expect(JSON.stringify(masked)).not.toContain('tok_');
    expect(masked).toMatchObject({ structuredContent: { '‹redacted›': { deep: ['‹redacted›', 1] } } });
  });

  it('leaves every other answer untouched, numbers by their source text included', () => {
    const exact = (JSON as unknown as { rawJSON(text: string): never }).rawJSON('9007199254740993');
    const outcome: McpOutcome = { state: 'succeeded', isError: false, content: [{ type: 'text', n: exact }] };
    expect(withoutCredential(outcome, { authorization: `Bearer ${TOKEN}` })).toBe(outcome);
    const short = answer('a short word');
    expect(withoutCredential(short, { authorization: 'Bearer short' })).toBe(short);
    expect(withoutCredential(short, {})).toBe(short);
    const ambiguous: McpOutcome = { state: 'ambiguous', error: TOKEN };
    expect(withoutCredential(ambiguous, { authorization: TOKEN })).toBe(ambiguous);
  });
});
