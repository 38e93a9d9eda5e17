import type { ApprovedNetwork } from './grant.js';
import { describeTarget } from './target.js';

/** What a person is asked when a policy wants the network of a run authorized: shown as the call of a tool that nobody has. */
export const GRANT_QUESTION = { toolCallId: 'network-grant', tool: 'network.grant' } as const;

/** Longest time for the answer, whatever the policy says: a week. */
export const MAX_QUESTION_SECS = 604_800;

const TARGETS_SHOWN = 10;

/** One line for lists; the whole grant is shown beside it. */
export function summarizeGrant({ targets }: ApprovedNetwork): string {
  const shown = targets.slice(0, TARGETS_SHOWN).map(describeTarget).join(', ');
  const more = targets.length - TARGETS_SHOWN;
  return `reach ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
