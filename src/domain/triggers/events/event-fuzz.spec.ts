import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/random/any-character.js';
import { giteaPullRequest, githubPullRequest } from '../../../../test/support/webhooks/payloads.js';
import { isStorableText } from '../../storage/storable-text.js';
import { parseJsonPreservingNumbers } from '../../digest/parse-json.js';
import { SandgateError } from '../../errors.js';
import { mapEvent, type MappedEvent } from './map-event.js';
import { attributesOf, templateKeysOf, trustTierOf, workspaceOf } from './pull-request-event.js';

/** Generated webhooks; the nightly campaign runs 100,000. */
const CASES = Number(process.env['SANDGATE_FUZZ_CASES'] ?? 2000);
const LONG = 7_200_000;
const AT = { connectionId: '019b0000-0000-7000-8000-000000000001', cloneBase: 'https://code.test' };
const SEEDS = [
  githubPullRequest(),
  githubPullRequest({ fork: true }),
  giteaPullRequest(),
  giteaPullRequest({ agit: true }),
].map((one) => JSON.stringify(one));

/** What a hostile or broken host could put into any place. */
const anything = fc.oneof(
  fc.constantFrom(
    null,
    true,
    '',
    '../..',
    'https://evil.test/x',
    'a/b',
    'refs/heads/x',
    0,
    -1,
    1e308,
    186853002,
    '\u0000',
    '\ud800',
    [],
    {},
  ),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer(),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 5, maxLength: 42 }),
);

const seldom = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 19, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: of });

/** A payload in which a few values, wherever they are, are something else or gone; sometimes cut off or with an odd number. */
const webhook = fc
  .record({
    seed: fc.constantFrom(...SEEDS),
    changes: fc.array(fc.record({ at: fc.nat(), to: anything, remove: fc.boolean() }), { maxLength: 4 }),
    cut: seldom(fc.nat()),
    number: seldom(fc.constantFrom('1e999', '-0', '9007199254740993', '1.0000000000000000001', '01', '0x1')),
    action: fc.constantFrom('opened', 'reopened', 'synchronize', 'synchronized', 'closed', '__proto__', 'opened'),
  })
  .map(({ seed, changes, cut, number, action }) => {
    const payload: unknown = JSON.parse(seed);
    if (typeof payload === 'object' && payload !== null) Object.assign(payload, { action });
    for (const { at, to, remove } of changes) change(payload, at, to, remove);
    let text = JSON.stringify(payload);
    if (number !== null) text = text.replace(/:\d+/, `:${number}`);
    return cut === null ? text : text.slice(0, cut % (text.length + 1));
  });

function change(root: unknown, at: number, to: unknown, remove: boolean): void {
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const pending: unknown[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, value] of Object.entries(next)) {
      places.push({ holder: next as Record<string, unknown>, name });
      pending.push(value);
    }
  }
  const place = places[at % Math.max(places.length, 1)];
  if (place === undefined) return;
  if (remove) Reflect.deleteProperty(place.holder, place.name);
  else place.holder[place.name] = to;
}

/** Null for a payload that was refused. Anything but our refusal is a failure. */
function mapped(header: string, text: string): MappedEvent | null {
  try {
    return mapEvent(header, parseJsonPreservingNumbers(text));
  } catch (cause) {
    expect(cause).toBeInstanceOf(SandgateError);
    expect((cause as SandgateError).code).toBe('invalid_request');
    return null;
  }
}

describe('proof 28: generated webhooks', () => {
  it(
    'are mapped, ignored or refused, never trusted further than they prove, and hold only what the record can store',
    () => {
      let events = 0;
      fc.assert(
        fc.property(webhook, (text) => {
          const result = mapped('pull_request', text);
          if (result === null || 'ignored' in result) return;
          events += 1;
          const workspace = workspaceOf(result.event, AT);
          if (workspace.kind !== 'git_repository') throw new Error('not a repository');
          expect(workspace.clone_url).toBe(`https://code.test/${result.event.repository}`);
          expect(new URL(workspace.clone_url).pathname).toBe(`/${result.event.repository}`);
          expect(workspace.commit_sha).toMatch(/^[0-9a-f]{7,40}$/);
          expect(workspace.base_sha ?? '0'.repeat(40)).toMatch(/^[0-9a-f]{40}$/);
          const { head, base } = (JSON.parse(text) as { pull_request: { head?: Branch; base?: Branch } }).pull_request;
          const proven = Number.isInteger(head?.repo?.id) && head?.repo?.id === base?.repo?.id;
          if (!proven) expect([trustTierOf(result.event), workspace.checkout_mode]).toEqual(['read_only', 'read_only']);
          for (const value of [
            ...Object.values(templateKeysOf(result.event)),
            ...Object.values(attributesOf(result.event)),
          ])
            if (typeof value === 'string') expect(isStorableText(value) && value.length <= 1024).toBe(true);
        }),
        { numRuns: CASES, seed: process.env['SANDGATE_FUZZ_CASES'] === undefined ? 27 : Date.now() },
      );
      expect(events).toBeGreaterThan(CASES / 5);
    },
    LONG,
  );

  it(
    'of any shape and under any name are ignored or refused',
    () => {
      const text = fc.oneof(
        fc.json({ maxDepth: 4 }),
        fc.string(),
        fc.nat(1_000_000).map((depth) => '['.repeat(depth)),
      );
      const header = fc.oneof(
        fc.constantFrom('pull_request', 'ping', 'push', 'installation', '__proto__'),
        fc.string(),
      );
      fc.assert(
        fc.property(header, text, (name, body) => {
          const result = mapped(name, body);
          expect(result === null || 'ignored' in result).toBe(true);
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );
});

type Branch = { repo?: { id?: unknown } | null } | null;
