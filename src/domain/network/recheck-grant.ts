import { canonicalJson } from '../digest/canonical-json.js';
import type { JsonObject } from '../json.js';
import type { ApprovedNetwork } from './grant.js';
import { START_SECS } from './grant-question.js';
import { DEFAULT_GRANT_SECS, type NetworkCap } from './network-cap.js';
import { NetworkRefused } from './refusal.js';
import { judgeByPolicy } from './resolve-grant.js';

/** What a grant is compared with when somebody has authorized it. */
export interface Recheck {
  grant: ApprovedNetwork;
  /** Of the grant as it is frozen, as its row says, and as it was approved; null where that is gone. */
  digests: readonly (string | null)[];
  /** The network section of the policy as it is now. */
  cap: NetworkCap;
  createdAt: Date;
  now: Date;
  wallClockSecs: number | null;
}

/** Why a grant that was authorized must not come into force after all; null when it may (docs/design/network.md). */
export function recheckGrant(of: Recheck): string | null {
  if (new Set(of.digests).size !== 1) return 'it is not the grant that was approved';
  const leftSecs = Math.floor((Date.parse(of.grant.expires_at) - of.now.getTime()) / 1000);
  if (leftSecs <= 0) return 'it expired before it was authorized';
  return whyShort(leftSecs, of.wallClockSecs, 0) ?? whyNarrower(of);
}

/** A grant when its run could be launched. */
export interface WaitedGrant {
  isActive: boolean;
  leftSecs: number;
  wallClockSecs: number | null;
}

/** Why a run that waited for its place must not be launched with its grant; null when it may (docs/design/network.md). */
export function whyNotLaunched({ isActive, leftSecs, wallClockSecs }: WaitedGrant): string | null {
  if (leftSecs <= 0) return 'it expired';
  if (!isActive) return 'it is not in force';
  return whyShort(Math.floor(leftSecs), wallClockSecs, START_SECS);
}

function whyShort(leftSecs: number, wallClockSecs: number | null, missingSecs: number): string | null {
  if (wallClockSecs !== null && leftSecs + missingSecs >= wallClockSecs) return null;
  return `it ends in ${leftSecs} s, before ${endOfRun(wallClockSecs)}`;
}

function endOfRun(wallClockSecs: number | null): string {
  if (wallClockSecs === null) return 'a run without max_wall_clock_secs';
  return `max_wall_clock_secs ${wallClockSecs}; ask for a longer one`;
}

/** A policy that allows more by now changes nothing; one that allows less refuses, and never narrows what was approved. */
function whyNarrower({ grant, cap, createdAt }: Recheck): string | null {
  const grantedSecs = (Date.parse(grant.expires_at) - createdAt.getTime()) / 1000;
  const targets = grant.targets.map((target, index) => ({ at: `network.targets[${index}]`, target }));
  try {
    const denied = judgeByPolicy('approved', targets, cap);
    if (denied.some((denial) => !isAmong(denial, grant.denied))) return 'its policy denies more by now';
  } catch (error) {
    if (error instanceof NetworkRefused) return `its policy has changed: ${error.message}`;
    throw error;
  }
  const allowedSecs = cap.max_grant_secs ?? DEFAULT_GRANT_SECS;
  // The end was reckoned while the run was being created, by the clock of another process than that which dated the run.
  return grantedSecs > allowedSecs + START_SECS ? `its policy allows grants of ${allowedSecs} s by now` : null;
}

function isAmong(denial: JsonObject, known: readonly JsonObject[]): boolean {
  return known.some((one) => canonicalJson(one) === canonicalJson(denial));
}
