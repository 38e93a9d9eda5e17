import { describe, expect, it } from '@jest/globals';
import type { ApprovedNetwork } from './grant.js';
import { OFFLINE_CAP } from './network-cap.js';
import { questionSecs, summarizeGrant } from './grant-question.js';
import { recheckGrant, whyNotLaunched, type Recheck } from './recheck-grant.js';
import type { NameTarget } from './target.js';

const target = (name: string): NameTarget => ({
  kind: 'dns',
  pattern: { kind: 'exact', name },
  ports: [{ from: 443, to: 443 }],
  protocol: 'tcp',
});
const grant: ApprovedNetwork = {
  schema_version: 1,
  mode: 'approved',
  targets: [target('a.example.com')],
  denied: [],
  variables: {},
  expires_at: '2026-01-01T01:00:00Z',
  policy_digest: 'sha256:0',
};

function recheck(change: Partial<Recheck>): string | null {
  return recheckGrant({
    grant,
    digests: ['a', 'a', 'a'],
    cap: { ...OFFLINE_CAP, max_mode: 'approved' },
    createdAt: new Date('2026-01-01T00:00:00Z'),
    now: new Date('2026-01-01T00:30:00Z'),
    wallClockSecs: 1800,
    ...change,
  });
}

describe('a grant that was authorized', () => {
  it('comes into force when it still holds', () => expect(recheck({})).toBeNull());

  it('comes into force when it is as long as its policy allows, whichever clock dated its run', () => {
    const cap = { ...OFFLINE_CAP, max_mode: 'approved' as const, max_grant_secs: 3600 };
    for (const createdAt of ['2025-12-31T23:59:59.900Z', '2025-12-31T23:59:30Z', '2026-01-01T00:00:05Z'])
      expect(recheck({ cap, createdAt: new Date(createdAt) })).toBeNull();
  });

  it.each([
    [{ digests: ['a', 'a', 'b'] }, 'it is not the grant that was approved'],
    [{ digests: ['a', null, 'a'] }, 'it is not the grant that was approved'],
    [{ now: new Date('2026-01-01T01:00:00Z') }, 'it expired before it was authorized'],
    [
      { now: new Date('2026-01-01T00:30:01Z') },
      'it ends in 1799 s, before max_wall_clock_secs 1800; ask for a longer one',
    ],
    [{ wallClockSecs: null }, 'it ends in 1800 s, before a run without max_wall_clock_secs'],
    [
      { cap: { ...OFFLINE_CAP, max_mode: 'approved', max_grant_secs: 3500 } },
      'its policy allows grants of 3500 s by now',
    ],
    [
      // The policy had allowed more, and says nothing of it any more.
      { grant: { ...grant, expires_at: '2026-01-01T02:00:00Z' } },
      'its policy allows grants of 3600 s by now',
    ],
    [{ cap: OFFLINE_CAP }, 'its policy has changed: network.mode: mode_ceiling'],
  ])('does not otherwise: %#', (change, why) => expect(recheck(change as Partial<Recheck>)).toContain(why));
});

describe('a run that has waited for its place', () => {
  it.each([
    [true, 1800, null],
    // A minute may pass before the run starts.
    [true, 1740.5, null],
    [true, 1739.9, 'it ends in 1739 s, before max_wall_clock_secs 1800; ask for a longer one'],
    [true, 0, 'it expired'],
    [false, 1800, 'it is not in force'],
    [false, -1, 'it expired'],
  ])('with a grant in force %s that has %d s left: %j', (isActive, leftSecs, why) =>
    expect(whyNotLaunched({ isActive, leftSecs, wallClockSecs: 1800 })).toBe(why),
  );
});

describe('the question about a grant', () => {
  it('waits as long as the policy says, a week, or an approval is of use', () => {
    const [now, later] = [new Date('2026-01-01T00:00:00Z'), { ...grant, expires_at: '2026-02-01T00:00:00Z' }];
    expect(questionSecs(600, grant, { wallClockSecs: 1800, now })).toBe(600);
    expect(questionSecs(86_400, grant, { wallClockSecs: 1800, now })).toBe(1740);
    expect(questionSecs(9_999_999, later, { wallClockSecs: 1800, now })).toBe(604_800);
    expect(questionSecs(600, grant, { wallClockSecs: 3600, now })).toBe(0);
  });

  it('names ten targets, and says how many more there are', () => {
    const targets = Array.from({ length: 12 }, (_, index) => target(`n${index}.example.com`));
    expect(summarizeGrant({ ...grant, targets })).toMatch(
      /^reach n0\.example\.com:443, .*n9\.example\.com:443 and 2 more$/,
    );
    expect(summarizeGrant(grant)).toBe('reach a.example.com:443');
  });
});
