import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../json.js';
import { OFFLINE_CAP, type NetworkCap } from './network-cap.js';
import { overlaps } from './policy-target.js';
import { NetworkRefused, REFUSAL_CODES, type RefusalCode } from './refusal.js';
import { needsAuthorization, resolveGrant, type GrantSources } from './resolve-grant.js';
import { describeTarget, reaches, type NameTarget } from './target.js';

const ports = [{ from: 443, to: 443 }];
const exact = (name: string): JsonObject => ({ kind: 'dns', pattern: { kind: 'exact', name }, ports, protocol: 'tcp' });
const wildcard = (suffix: string): JsonObject => ({
  kind: 'dns',
  pattern: { kind: 'wildcard', suffix },
  ports,
  protocol: 'tcp',
});
const cidr: JsonObject = { kind: 'cidr', cidr: '198.51.100.0/24', ports, protocol: 'tcp' };

const cap = (change: Partial<NetworkCap> = {}): NetworkCap => ({ ...OFFLINE_CAP, max_mode: 'approved', ...change });

function sources(change: Partial<GrantSources> = {}): GrantSources {
  return {
    request: { mode: 'approved', targets: ['a.example.com:443'] },
    presets: {},
    cap: cap(),
    policyDigest: 'sha256:0',
    whyBlocked: (name) => (name.endsWith('localhost') ? 'private/loopback/link-local address (loopback)' : null),
    hasBrokered: false,
    enforceable: true,
    wallClockSecs: 1800,
    questionTtlSecs: 900,
    now: new Date('2026-01-01T00:00:00Z'),
    ...change,
  };
}

function refusal(change: Partial<GrantSources>): NetworkRefused | null {
  try {
    resolveGrant(sources(change));
    return null;
  } catch (error) {
    if (error instanceof NetworkRefused) return error;
    throw error;
  }
}

const targets = (...texts: string[]): Pick<GrantSources, 'request'> => ({
  request: { mode: 'approved', targets: texts },
});

describe('a grant', () => {
  it('CP-009 is frozen whole: targets, what stays denied, end, policy', () => {
    const presets = {
      npm: {
        targets: [
          { kind: 'dns', pattern: { kind: 'exact', name: 'npm.example.com' }, ports, protocol: 'tcp' } as const,
        ],
        variables: { npm_config_registry: 'https://npm.example.com/' },
      },
    };
    const deny = [cidr, exact('bad.example.org'), exact('elsewhere.example')];
    const request = {
      mode: 'approved',
      targets: ['b.example.com:443', '*.example.org:443'],
      presets: ['npm'],
    } as const;
    expect(resolveGrant(sources({ request: request as never, presets, cap: cap({ deny }) }))).toEqual({
      schema_version: 1,
      mode: 'approved',
      targets: [
        { kind: 'dns', pattern: { kind: 'wildcard', suffix: 'example.org' }, ports, protocol: 'tcp' },
        { kind: 'dns', pattern: { kind: 'exact', name: 'b.example.com' }, ports, protocol: 'tcp' },
        presets.npm.targets[0],
      ],
      denied: [cidr, exact('bad.example.org')],
      variables: presets.npm.variables,
      expires_at: '2026-01-01T01:00:00.000Z',
      policy_digest: 'sha256:0',
    });
  });

  it('ends when the request says, or the policy before that', () => {
    const end = (duration_secs: number, max_grant_secs: number | null): string | undefined => {
      const network = resolveGrant(
        sources({
          request: { mode: 'approved', targets: ['a.example.com:443'], duration_secs },
          cap: cap({ max_grant_secs }),
        }),
      );
      return network.mode === 'approved' ? network.expires_at : undefined;
    };
    expect(end(1800, null)).toBe('2026-01-01T00:30:00.000Z');
    expect(end(7200, null)).toBe('2026-01-01T01:00:00.000Z');
    expect(end(7200, 9000)).toBe('2026-01-01T02:00:00.000Z');
  });

  it('may end with its run, but leaves time for the answer where a person is asked', () => {
    const asking = cap({ require_approval: true });
    const mode = (wallClockSecs: number, questionTtlSecs: number, section = asking): string =>
      refusal({ wallClockSecs, questionTtlSecs, cap: section })?.reason ?? 'granted';
    expect(mode(3600, 900, cap())).toBe('granted');
    expect([mode(2940, 900), mode(2941, 900)]).toEqual(['granted', 'expiry_too_short']);
    expect([mode(3510, 30), mode(3511, 30)]).toEqual(['granted', 'expiry_too_short']);
    expect(mode(2940, 604_800)).toBe('granted');
  });

  it('is none for an offline request, whatever else is wrong', () => {
    const everything = {
      request: { mode: 'offline' as const },
      enforceable: false,
      wallClockSecs: null,
      cap: OFFLINE_CAP,
    };
    expect(resolveGrant(sources(everything))).toEqual({ schema_version: 1, mode: 'offline' });
  });

  it('waits for a person where the policy says so, and only when there is something to grant', () => {
    const asking = cap({ require_approval: true });
    expect(needsAuthorization(resolveGrant(sources({ cap: asking })), asking)).toBe(true);
    expect(needsAuthorization(resolveGrant(sources()), cap())).toBe(false);
    expect(needsAuthorization({ schema_version: 1, mode: 'offline' }, asking)).toBe(false);
  });
});

/** What stands in the way, one reason each; together they are every reason at once. */
const OBSTACLES: Record<RefusalCode, { public?: true; change: Partial<GrantSources>; cap?: Partial<NetworkCap> }> = {
  unenforceable: { change: { enforceable: false } },
  invalid_target: { change: targets('10.0.0.0/8') },
  blocked_range: { change: targets('localhost:443') },
  policy_deny: { change: {}, cap: { deny: [exact('a.example.com')] } },
  mode_ceiling: { change: {}, cap: { max_mode: 'offline' } },
  public_with_brokered: { public: true, change: { hasBrokered: true } },
  unenforceable_deny: { public: true, change: {}, cap: { deny: [exact('other.example')] } },
  not_in_catalog: { change: {}, cap: { allow: [exact('b.example.com')] } },
  expiry_too_short: { change: { wallClockSecs: 9000 } },
};

/** Requests differ: an invalid target stands before a blocked one, which stands before a good one. */
function together(codes: readonly RefusalCode[]): Partial<GrantSources> {
  const parts = codes.map((code) => OBSTACLES[code]);
  const named = parts.flatMap(({ change }) => change.request?.targets ?? []);
  const isPublic = parts.some((part) => part.public === true);
  const deny = parts.flatMap(({ cap: section }) => section?.deny ?? []);
  const section = Object.assign({}, isPublic ? { max_mode: 'public' } : {}, ...parts.map((part) => part.cap ?? {}));
  return {
    ...(Object.assign({}, ...parts.map(({ change }) => change)) as Partial<GrantSources>),
    request: { mode: isPublic ? 'public' : 'approved', targets: [...named, 'a.example.com:443'] },
    cap: cap({ ...(section as Partial<NetworkCap>), deny }),
  };
}

describe('a refused grant', () => {
  it.each(REFUSAL_CODES)('%s is told', (code) => {
    const refused = refusal(together([code]));
    expect(refused?.reason).toBe(code);
    expect(refused?.message).toMatch(new RegExp(`^network.*${code}`));
  });

  it.each(REFUSAL_CODES.slice(1).map((code, index) => [REFUSAL_CODES[index]!, code] as const))(
    '%s is told before %s',
    (first, second) => {
      // A public request has no catalog and no end to compare.
      const both = OBSTACLES[first].public === true && OBSTACLES[second].public !== true ? [first] : [first, second];
      expect(refusal(together(both))?.reason).toBe(first);
    },
  );

  it.each([
    [{ enforceable: false }, 'network: unenforceable: this deployment cannot enforce network grants'],
    [
      targets('b.example.com:1', 'localhost:443'),
      'network.targets[1]: localhost:443 is a private/loopback/link-local address (loopback) (blocked_range)',
    ],
    [{ cap: cap({ deny: [wildcard('example.com')] }) }, 'network: policy_deny: the policy denies a.example.com:443'],
    [
      { ...targets('*.example.com:443'), cap: cap({ deny: [wildcard('example.com')] }) },
      'network: policy_deny: the policy denies *.example.com:443',
    ],
    [{ cap: cap({ deny: [{ kind: 'dns' }] }) }, 'network: policy_deny: network.deny[0] of the policy cannot be read'],
    [
      { cap: OFFLINE_CAP },
      'network.mode: mode_ceiling: the policy of the agent allows offline at most (network.max_mode)',
    ],
    [
      { cap: cap({ allow: [cidr, exact('b.example.com')] }) },
      "network: not_in_catalog: the policy's network.allow does not cover a.example.com:443",
    ],
    [
      { wallClockSecs: 7200 },
      'network: expiry_too_short: the grant of 3600 s ends before max_wall_clock_secs 7200; lower it or raise network.max_grant_secs',
    ],
    [
      { wallClockSecs: 3600, cap: cap({ require_approval: true }) },
      'network: expiry_too_short: the grant of 3600 s ends before max_wall_clock_secs 3600 and the 660 s in which a person may ' +
        'authorize it; lower it or raise network.max_grant_secs',
    ],
    [
      { request: { mode: 'approved', targets: ['a.example.com:443'], duration_secs: 60 } },
      'network: expiry_too_short: the grant of 60 s ends before max_wall_clock_secs 1800; lower it or raise network.duration_secs',
    ],
    [
      { wallClockSecs: null },
      'network: expiry_too_short: the grant of 3600 s ends before the run, which has no end; set max_wall_clock_secs',
    ],
  ])('CP-329 says what would have to change: %#', (change, text) => {
    expect(refusal(change as Partial<GrantSources>)?.message).toBe(text);
  });

  it.each(['approved', 'public'] as const)('public is refused under a ceiling of %s, with what works', (max_mode) => {
    const refused = refusal({ request: { mode: 'public' }, cap: cap({ max_mode }) });
    expect(refused?.message).toContain(
      'public is not available here (mode_ceiling): use "approved" with targets host:port',
    );
  });

  it.each([
    ['another port', { ...exact('a.example.com'), ports: [{ from: 1, to: 442 }] }],
    ['udp', { ...exact('a.example.com'), protocol: 'udp' }],
    ['a name below', exact('b.a.example.com')],
  ])('a denial of %s stands in nobody’s way', (_what, denial) => {
    expect(refusal({ cap: cap({ deny: [denial as JsonObject] }) })).toBeNull();
  });
});

describe('two targets', () => {
  const names = ['example.com', 'a.example.com', 'b.a.example.com', 'a.example.org'];
  const pattern = fc.constantFrom(
    ...names.map((name) => ({ kind: 'exact' as const, name })),
    ...['example.com', 'a.example.com'].map((suffix) => ({ kind: 'wildcard' as const, suffix })),
  );
  const range = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 3 }));
  const anyTarget: fc.Arbitrary<NameTarget> = fc.record({
    kind: fc.constant('dns' as const),
    pattern,
    ports: fc.array(
      range.map(([from, more]) => ({ from, to: from + more })),
      { minLength: 1, maxLength: 2 },
    ),
    protocol: fc.constant('tcp' as const),
  });

  it('overlap exactly when both reach something', () => {
    const hosts = [...names, 'x.example.com', 'x.a.example.com'];
    const all = hosts.flatMap((host) => Array.from({ length: 14 }, (_, port) => [host, port] as const));
    fc.assert(
      fc.property(anyTarget, anyTarget, (one, other) => {
        const both = all.some(([host, port]) => reaches(one, host, port) && reaches(other, host, port));
        expect([describeTarget(one), describeTarget(other), overlaps(one, other)]).toEqual([
          describeTarget(one),
          describeTarget(other),
          both,
        ]);
      }),
      { numRuns: 1000 },
    );
  });
});
