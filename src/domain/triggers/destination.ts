import type { ResultDestination } from '../run/result-destination.js';
import type { PublishMode } from './subscription.js';

/** The pull request that an event was about. */
export interface PullRequestRef {
  connectionId: string;
  repository: string;
  number: number;
  headSha: string;
}

/**
 * The callback first, then what is published to the pull request, in order. Without an event there is the callback alone.
 */
export function destinationsOf(
  { callback_url: url, publish }: { callback_url: string | null; publish: readonly PublishMode[] | null },
  pullRequest: PullRequestRef | null,
): ResultDestination[] {
  const callback: ResultDestination[] = url === null ? [] : [{ kind: 'signed_webhook', url }];
  return pullRequest === null
    ? callback
    : [...callback, ...(publish ?? []).map((mode) => published(mode, pullRequest))];
}

function published(mode: PublishMode, pullRequest: PullRequestRef): ResultDestination {
  const { connectionId: connection_id, repository, number: pr_number, headSha: head_sha } = pullRequest;
  return mode === 'pr_comment'
    ? { kind: 'codehost_pr_comment', connection_id, repository, pr_number }
    : { kind: 'codehost_check', connection_id, repository, head_sha };
}
