import type { JsonObject } from '../json.js';
import type { ApprovedNetwork, FrozenNetwork } from './grant.js';
import { authorizationSecs } from './grant-question.js';
import { DEFAULT_GRANT_SECS, NETWORK_MODES, type NetworkCap, type NetworkMode } from './network-cap.js';
import { overlaps, readPolicyTarget } from './policy-target.js';
import type { Presets } from './presets.js';
import { NetworkRefused, WHAT_WORKS } from './refusal.js';
import { publicRefused, readWanted, type NetworkRequest, type Wanted, type WantedTarget } from './request.js';
import { describeTarget, isCovered } from './target.js';

/** What a grant is made from, read at one moment. */
export interface GrantSources {
  request: NetworkRequest;
  presets: Presets;
  /** The network section of the run's policy, and the digest of that policy. */
  cap: NetworkCap;
  policyDigest: string;
  /** Why nothing outbound may go to a name, whoever asks; null for a name that has to be looked up. */
  whyBlocked: (name: string) => string | null;
  /** Whether the run has tools of connected services. */
  hasBrokered: boolean;
  /** Whether sandboxes of this deployment can be held to a grant. */
  enforceable: boolean;
  wallClockSecs: number | null;
  /** How long the policy lets a person take to answer. */
  questionTtlSecs: number;
  now: Date;
}

const OFFLINE: FrozenNetwork = { schema_version: 1, mode: 'offline' };

/**
 * The network of a run, from what it asks for and what its policy allows. Offline always passes; of several reasons to refuse, the
 * first in the order of `REFUSAL_CODES` is told (docs/design/network.md).
 * @throws NetworkRefused
 */
export function resolveGrant(sources: GrantSources): FrozenNetwork {
  const { request, cap } = sources;
  if (request.mode === 'offline') return OFFLINE;
  if (!sources.enforceable)
    throw new NetworkRefused('unenforceable', 'network: unenforceable: this deployment cannot enforce network grants');
  const wanted = readWanted(request, sources.presets);
  refuseBlocked(wanted, sources.whyBlocked);
  const denied = judgeByPolicy(request.mode, wanted.targets, cap, sources.hasBrokered);
  const seconds = grantSeconds(sources);
  return freeze(wanted, denied, seconds, sources);
}

/**
 * What a policy says of targets: those of its denials that stay in force within them.
 * @throws NetworkRefused when it does not allow them
 */
export function judgeByPolicy(
  mode: NetworkMode,
  targets: readonly WantedTarget[],
  cap: NetworkCap,
  hasBrokered = false,
): JsonObject[] {
  const denied = deniedWithin(targets, cap);
  refuseAboveCeiling(mode, cap);
  if (mode === 'public') throw whyNotPublic(cap, hasBrokered);
  refuseUnlisted(targets, cap);
  return denied;
}

/** Whether the grant waits for a person; its policy says so. */
export function needsAuthorization(network: FrozenNetwork, cap: NetworkCap): boolean {
  return network.mode === 'approved' && cap.require_approval;
}

function refuseBlocked({ targets }: Wanted, whyBlocked: GrantSources['whyBlocked']): void {
  for (const { at, target } of targets) {
    const { pattern } = target;
    // Of a wildcard, any name: a zone that is closed is closed as a whole.
    const why = whyBlocked(pattern.kind === 'exact' ? pattern.name : `any.${pattern.suffix}`);
    if (why !== null)
      throw new NetworkRefused('blocked_range', `${at}: ${describeTarget(target)} is a ${why} (blocked_range)`);
  }
}

/**
 * What the policy denies within the grant, which the run is held to: networks, and single names within a wildcard. Whatever else
 * meets a denial is refused as a whole.
 */
function deniedWithin(targets: readonly WantedTarget[], { deny }: NetworkCap): JsonObject[] {
  return deny.filter((written, index) => {
    const denial = readPolicyTarget(written);
    if (denial === null)
      throw new NetworkRefused(
        'policy_deny',
        `network: policy_deny: network.deny[${index}] of the policy cannot be read`,
      );
    if (denial.kind !== 'names') return denial.kind === 'addresses';
    const met = targets.filter(({ target }) => overlaps(target, denial.target));
    const whole = met.find(
      ({ target }) => denial.target.pattern.kind === 'wildcard' || target.pattern.kind === 'exact',
    );
    if (whole !== undefined)
      throw new NetworkRefused(
        'policy_deny',
        `network: policy_deny: the policy denies ${describeTarget(whole.target)}`,
      );
    return met.length > 0;
  });
}

function refuseAboveCeiling(mode: NetworkMode, { max_mode: ceiling }: NetworkCap): void {
  if (NETWORK_MODES.indexOf(mode) <= NETWORK_MODES.indexOf(ceiling)) return;
  if (mode === 'public') throw publicRefused();
  throw new NetworkRefused(
    'mode_ceiling',
    `network.mode: mode_ceiling: the policy of the agent allows ${ceiling} at most (network.max_mode)`,
  );
}

/** `public` under a policy that allows it: what stands against it here, from the policy's side first. */
function whyNotPublic(cap: NetworkCap, hasBrokered: boolean): NetworkRefused {
  if (hasBrokered && !cap.allow_public_with_brokered) {
    const text = 'network: public_with_brokered: the policy does not allow public together with connected services';
    return new NetworkRefused('public_with_brokered', `${text}; ${WHAT_WORKS}`);
  }
  if (cap.deny.some((written) => written['kind'] === 'dns')) {
    const text = 'network: unenforceable_deny: under public, names that the policy denies could not be refused';
    return new NetworkRefused('unenforceable_deny', `${text}; ${WHAT_WORKS}`);
  }
  return publicRefused();
}

/** A policy without a catalog leaves the choice to whoever approves. */
function refuseUnlisted(targets: readonly WantedTarget[], { allow }: NetworkCap): void {
  if (allow.length === 0) return;
  const catalog = allow.map(readPolicyTarget).flatMap((entry) => (entry?.kind === 'names' ? [entry.target] : []));
  const unlisted = targets.find(({ target }) => !isCovered(target, catalog));
  if (unlisted === undefined) return;
  throw new NetworkRefused(
    'not_in_catalog',
    `network: not_in_catalog: the policy's network.allow does not cover ${describeTarget(unlisted.target)}`,
  );
}

function grantSeconds({ request, cap, wallClockSecs, questionTtlSecs }: GrantSources): number {
  const allowed = cap.max_grant_secs ?? DEFAULT_GRANT_SECS;
  const seconds = Math.min(request.duration_secs ?? allowed, allowed);
  const text = `network: expiry_too_short: the grant of ${seconds} s ends before`;
  if (wallClockSecs === null)
    throw new NetworkRefused('expiry_too_short', `${text} the run, which has no end; set max_wall_clock_secs`);
  const answerSecs = cap.require_approval ? authorizationSecs(questionTtlSecs) : 0;
  if (seconds >= wallClockSecs + answerSecs) return seconds;
  const answered = answerSecs === 0 ? '' : ` and the ${answerSecs} s in which a person may authorize it`;
  const longer = seconds < allowed ? 'network.duration_secs' : 'network.max_grant_secs';
  throw new NetworkRefused(
    'expiry_too_short',
    `${text} max_wall_clock_secs ${wallClockSecs}${answered}; lower it or raise ${longer}`,
  );
}

function freeze(
  wanted: Wanted,
  denied: JsonObject[],
  seconds: number,
  { policyDigest, now }: GrantSources,
): ApprovedNetwork {
  return {
    schema_version: 1,
    mode: 'approved',
    targets: inOrder(wanted.targets).map(({ target }) => target),
    denied,
    variables: wanted.variables,
    expires_at: new Date(now.getTime() + seconds * 1000).toISOString(),
    policy_digest: policyDigest,
  };
}

/** Wildcards first: they are the widest part of what a person is asked about. */
function inOrder(targets: readonly WantedTarget[]): WantedTarget[] {
  const rank = ({ target }: WantedTarget): string =>
    `${target.pattern.kind === 'wildcard' ? 0 : 1} ${describeTarget(target)}`;
  return targets.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
