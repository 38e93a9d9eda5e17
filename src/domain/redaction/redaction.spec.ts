import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ExactJson } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { redactForApprover, redactTextForApprover } from './redact-for-approver.js';
import { redactJson } from './redact-json.js';
import { REDACTED, redactText } from './redact-text.js';

const letters = (count: number): string => 'aB3dEfGh1j'.repeat(10).slice(0, count);

const SHAPES: readonly (readonly [string, string])[] = [
  ['an Anthropic key', `sk-ant-${letters(8)}`],
  ['a project key', `sk-proj-${letters(16)}`],
  ['a provider key', `sk-${letters(20)}`],
  ['a session token', `svc_sess_${'0a'.repeat(32)}`],
  ['a trigger token', `svc_trig_${letters(8)}`],
  ['a browser token', `svc_web_${letters(8)}`],
  ['a personal token', `svc_pat_${letters(8)}`],
  ['a webhook secret', `svc_whsec_${letters(8)}`],
  ['a classic token', `ghp_${letters(20)}`],
  ['an OAuth token', `gho_${letters(20)}`],
  ['a fine-grained token', `github_pat_${letters(20)}`],
  ['an access key', `AKIA${'ABCDEFGH12345678'}`],
  ['a chat token', `xoxb-${letters(10)}`],
  ['a package token', `npg_${letters(8)}`],
  ['a bearer header', `BEARER ${letters(16)}`],
  ['a database URL', 'postgres://user:pa/ss@'],
  ['a database URL by its other name', 'postgresql://user:pa@ss@'],
];

describe('ledger redactor', () => {
  it.each(SHAPES)('CP-286 replaces %s', (_name, secret) => {
    expect(redactText(`before ${secret} after`)).toBe(`before ${REDACTED} after`);
  });

  it('leaves shorter runs and ordinary text alone', () => {
    const text =
      'sk-ant-short sk-notlongenough svc_sess_short ghp_short bearer short postgres://host/db AKIA1234 risk-free';
    expect(redactText(text)).toBe(text);
  });

  it('CP-286 redacts values at any depth and no keys', () => {
    const secret = SHAPES[3]![1];
    const value = { [secret]: [{ a: { b: `x ${secret}` } }], n: 1, t: true, z: null };
    expect(redactJson(value)).toEqual({ [secret]: [{ a: { b: `x ${REDACTED}` } }], n: 1, t: true, z: null });
  });

  it('walks a document of any depth', () => {
    let deep: ExactJson = SHAPES[0]![1];
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

  it('is linear in hostile text', () => {
    const hostile = ['postgres://', 'postgres://a:', 'bearer ', 'sk-', 'sk-ant-', 'svc_sess_', 'xoxb-', 'github_pat_'];
    const started = performance.now();
    for (const piece of hostile) redactText(piece.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('leaves no shape behind and is idempotent', () => {
    const text = fc.array(fc.oneof(fc.constantFrom(...SHAPES.map(([, secret]) => secret)), fc.string()), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(text, (pieces) => {
        const once = redactText(pieces.join(' '));
        expect(redactText(once)).toBe(once);
        for (const [, secret] of SHAPES.filter(([, shape]) => pieces.includes(shape)))
          expect(once).not.toContain(secret);
      }),
    );
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
