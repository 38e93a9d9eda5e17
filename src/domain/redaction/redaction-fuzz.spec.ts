import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/random/any-character.js';
import { cpuClock } from '../../../test/support/time/cpu-clock.js';
import { SECRET_EXAMPLES } from '../../../test/support/texts/secret-examples.js';
import { redactForApprover } from './redact-for-approver.js';
import { redactJson } from './redact-json.js';
import { REDACTED, redactEnd, redactText } from './redact-text.js';

/** Generated cases per property; the nightly campaign runs 100,000. */
const CASES = Number(process.env['SANDGATE_FUZZ_CASES'] ?? 2000);
const LONG = 3_600_000;

const secret = fc.constantFrom(
  ...SECRET_EXAMPLES.map(([, example, label = '']) => ({ example, value: example.slice(label.length) })),
);
const start = fc.constantFrom(...SECRET_EXAMPLES.map(([, example]) => example.slice(0, 7)));
/** Characters that end a secret: a neighbour that could belong to it would make it another text. */
const edge = fc.constantFrom(
  ' ',
  '\n',
  '"',
  "'",
  '\\',
  ',',
  ';',
  '(',
  ')',
  '<',
  '>',
  '{',
  '}',
  '|',
  '\t',
  '\u00a0',
  '…',
);
const noise = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), start, edge);
const surrounded = fc.array(fc.tuple(noise, edge, secret, edge), { minLength: 1, maxLength: 4 }).map((parts) => ({
  text: parts.map(([noiseBefore, left, { example }, right]) => `${noiseBefore}${left}${example}${right}`).join(''),
  secrets: parts.map((part) => part[2].value),
}));

/** No eight characters in a row of the part of a secret that is not known to everybody. */
function leaks(text: string, secretText: string): boolean {
  const known = 12;
  for (let at = known; at + 8 <= secretText.length; at += 4) {
    const piece = secretText.slice(at, at + 8);
    if (/^[A-Za-z0-9_+/=-]{8}$/.test(piece) && text.includes(piece)) return true;
  }
  return false;
}

describe('redactor under generated text', () => {
  it(
    'CP-286 proof 28: never throws, is idempotent, and shows no part of a secret',
    () => {
      fc.assert(
        fc.property(surrounded, ({ text, secrets }) => {
          const clean = redactText(text);
          expect(redactText(clean)).toBe(clean);
          for (const each of secrets) expect(leaks(clean, each)).toBe(false);
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'CP-286 proof 28: shows no part of a secret in JSON, in JSON within JSON, or in a text made of JSON',
    () => {
      fc.assert(
        fc.property(surrounded, fc.integer({ min: 1, max: 3 }), ({ text, secrets }, depth) => {
          let document = text;
          for (let i = 0; i < depth; i++) document = JSON.stringify({ log: document });
          const clean = redactText(document);
          for (const each of secrets) if (!/["\\\s]/.test(each)) expect(leaks(clean, each)).toBe(false);
          expect(JSON.stringify(redactJson({ a: [text] }))).not.toContain(secrets[0]);
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'CP-286 proof 28: shows no part of a secret where a text is cut',
    () => {
      fc.assert(
        fc.property(surrounded, fc.nat(400), ({ text, secrets }, characters) => {
          const clean = redactEnd(text, characters);
          expect(clean.length).toBeLessThanOrEqual(characters);
          for (const each of secrets) expect(leaks(clean, each)).toBe(false);
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'proof 28: leaves text without a secret as it is, and shows an approver the rest of the input unchanged',
    () => {
      fc.assert(
        fc.property(fc.string({ maxLength: 14 }), (text) => {
          fc.pre(text.isWellFormed() && !text.includes('\0') && !text.includes('://'));
          expect(redactText(text)).toBe(text);
          expect(redactForApprover({ text })).toEqual({ text });
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'proof 28: takes time in proportion to the text, whatever it is made of',
    () => {
      const pieces = [
        ...SECRET_EXAMPLES.map(([, example]) => example),
        'eyJ',
        'eyJ.',
        '-----BEGIN PRIVATE KEY-----',
        'x://',
        '://',
        'a://b:',
        'postgres://a:',
        'SG.',
        'SG.aaaaaaaaaaaaaaaa',
        'api_key=',
        'bearer ',
        '@',
        '-',
        'A',
        '0',
        '‹redacted›',
      ];
      const hostile = fc.array(fc.constantFrom(...pieces, ...pieces.map((piece) => piece.slice(0, -1))), {
        minLength: 1,
        maxLength: 3,
      });
      fc.assert(
        fc.property(hostile, (unit) => {
          const text = unit.join('').repeat(Math.ceil(200_000 / (unit.join('').length + 1)));
          const spentMs = cpuClock();
          redactText(text);
          expect(spentMs()).toBeLessThan(2000);
        }),
        { numRuns: Math.min(CASES / 20, 2000) },
      );
    },
    LONG,
  );

  it('is not fooled by the mark that it leaves', () => {
    const text = `a://b:${REDACTED}@c api_key=${REDACTED}`;
    expect(redactText(text)).toBe(text);
  });
});
