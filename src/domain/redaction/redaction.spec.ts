import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ExactJson } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { NEAR_MISSES, SECRET_EXAMPLES } from '../../../test/support/texts/secret-examples.js';
import { redactForApprover, redactTextForApprover } from './redact-for-approver.js';
import { redactJson } from './redact-json.js';
import { REDACTED, redactText } from './redact-text.js';

const letters = (count: number): string => 'aB3dEfGh1j'.repeat(10).slice(0, count);

describe('ledger redactor', () => {
  it.each(SECRET_EXAMPLES)('CP-286 replaces %s', (_name, secret, label = '') => {
    const close = secret.endsWith('"') ? '"' : '';
    expect(redactText(`before ${secret}‖after`)).toBe(`before ${label}${REDACTED}${close}‖after`);
  });

  it.each(NEAR_MISSES)('leaves %j alone', (text) => {
    expect(redactText(`before ${text} after`)).toBe(`before ${text} after`);
  });

  it('CP-286 redacts values at any depth and no keys', () => {
    const secret = `svc_sess_${'0a'.repeat(32)}`;
    const value = { [secret]: [{ a: { b: `x ${secret}` } }], n: 1, t: true, z: null };
    expect(redactJson(value)).toEqual({ [secret]: [{ a: { b: `x ${REDACTED}` } }], n: 1, t: true, z: null });
  });

  it('walks a document of any depth', () => {
    let deep: ExactJson = `sk-ant-${letters(8)}`;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    let result: ExactJson = redactJson(deep);
    while (Array.isArray(result)) result = result[0]!;
    expect(result).toBe(REDACTED);
  });

  it('replaces NUL and lone surrogates in values and keys, so that nothing hides behind them', () => {
    expect(redactJson({ 'k\0': 'a\0b\ud800' })).toEqual({ 'k\ufffd': 'a\ufffdb\ufffd' });
  });

  it('keeps numbers as they were written and prototype names as data', () => {
    const text = '{"__proto__":{"x":1.0},"n":9007199254740993}';
    expect(JSON.stringify(redactJson(parseJsonPreservingNumbers(text)))).toBe(text);
  });
});

describe('what an approver is shown', () => {
  it('replaces a secret by its length and the start of its digest', () => {
    const secret = `ghp_${letters(20)}`;
    const digest = createHash('sha256').update(secret).digest('hex').slice(0, 8);
    expect(redactTextForApprover(`git push https://${secret}@host`)).toBe(
      `git push https://‹redacted:24:${digest}›@host`,
    );
  });

  it('never replaces a span with shell syntax, quotes or white space', () => {
    const hidden = 'psql postgres://u:$(id)@host';
    expect(redactTextForApprover(hidden)).toBe(hidden);
    expect(redactTextForApprover(`Bearer ${letters(20)}`)).toMatch(/^Bearer ‹redacted:20:[0-9a-f]{8}›$/);
    fc.assert(
      fc.property(fc.string(), (password) => {
        fc.pre(/[\s'"`$;&|<>()]/.test(password));
        const text = `postgres://user:${password}@h`;
        const shown = redactTextForApprover(text);
        for (const char of password) if (/[\s'"`$;&|<>()]/.test(char)) expect(shown).toContain(char);
      }),
    );
  });

  it('shows everything else as it is, keys included', () => {
    const input = { command: 'rm -rf "a b"', 'k\0': ['x'] };
    expect(redactForApprover(input)).toEqual(input);
  });
});
