import { describe, expect, it } from '@jest/globals';
import type { ApprovedNetwork } from './grant.js';
import { OFFLINE_CAP } from './network-cap.js';
import { summarizeGrant } from './grant-question.js';
import { recheckGrant, type Recheck } from './recheck-grant.js';
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

  it.each([
    [{ digests: ['a', 'a', 'b'] }, 'it is not the grant that was approved'],
    [{ digests: ['a', null, 'a'] }, 'it is not the grant that was approved'],
    [{ now: new Date('2026-01-01T01:00:00Z') }, 'it expired before it was authorized'],
    [
      { now: new Date('2026-01-01T00:30:01Z') },
      'it ends in 1799 s, before max_wall_clock_secs 1800; ask for a longer one',
    ],
    [{ wallClockSecs: null }, 'it ends in 1800 s, before a run without max_wall_clock_secs'],
    [{ cap: OFFLINE_CAP }, 'its policy has changed: network.mode: mode_ceiling'],
  ])('does not otherwise: %#', (change, why) => expect(recheck(change as Partial<Recheck>)).toContain(why));
});

describe('the question about a grant', () => {
  it('names ten targets, and says how many more there are', () => {
    const targets = Array.from({ length: 12 }, (_, index) => target(`n${index}.example.com`));
    expect(summarizeGrant({ ...grant, targets })).toMatch(
      /^reach n0\.example\.com:443, .*n9\.example\.com:443 and 2 more$/,
    );
    expect(summarizeGrant(grant)).toBe('reach a.example.com:443');
  });
});
