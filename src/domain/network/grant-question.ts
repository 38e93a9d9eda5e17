import type { ApprovedNetwork } from './grant.js';
import { describeTarget } from './target.js';

/** What a person is asked when a policy wants the network of a run authorized: shown as the call of a tool that nobody has. */
export const GRANT_QUESTION = { toolCallId: 'network-grant', tool: 'network.grant' } as const;

/** Longest time for the answer, whatever the policy says: a week. */
const MAX_QUESTION_SECS = 604_800;

/** Time that a person is given at least, where the policy gives so much. */
const LEAST_ANSWER_SECS = 600;

/** What may pass between the authorization of a run, or its creation, and its launch. */
export const START_SECS = 60;

/** How much longer than its run a grant has to be, so that there is time to authorize it. */
export function authorizationSecs(policyTtlSecs: number): number {
  return Math.min(policyTtlSecs, LEAST_ANSWER_SECS) + START_SECS;
}

/** How long the question waits: no longer than an approval is of use, since its grant has to outlast the run. */
export function questionSecs(
  policyTtlSecs: number,
  grant: ApprovedNetwork,
  { wallClockSecs, now }: { wallClockSecs: number; now: Date },
): number {
  const usefulSecs = (Date.parse(grant.expires_at) - now.getTime()) / 1000 - wallClockSecs - START_SECS;
  return Math.max(0, Math.min(policyTtlSecs, MAX_QUESTION_SECS, Math.floor(usefulSecs)));
}

const TARGETS_SHOWN = 10;

/** One line for lists; the whole grant is shown beside it. */
export function summarizeGrant({ targets }: ApprovedNetwork): string {
  const shown = targets.slice(0, TARGETS_SHOWN).map(describeTarget).join(', ');
  const more = targets.length - TARGETS_SHOWN;
  return `reach ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
