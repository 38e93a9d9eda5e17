import { carriesMarker, commentText } from '../../domain/deliveries/comment-text.js';
import { digestOfText } from '../../domain/digest/digest.js';
import type { HostedComment, PullRequestPlace } from '../../platform/codehost/result-host.js';
import {
  findRows,
  publishInPlace,
  removeLost,
  type PublishedResult,
  type Publisher,
  type PublishingParts,
  type Report,
  type ResultSteps,
} from './publishing.js';

const MOST_PAGES = 10;

/**
 * Reports in the one comment that a trigger has at a pull request.
 *
 * @throws CodehostError
 */
export async function publishComment(
  parts: PublishingParts,
  at: PullRequestPlace,
  report: Report,
): Promise<PublishedResult> {
  const text = commentText(report.run, report.trigger);
  const { url } = await publishInPlace(parts.results, stepsOf(parts, at, { text, trigger: report.trigger }));
  return { url, payloadDigest: digestOfText(text) };
}

/**
 * Removes a comment that a lost attempt may have made beside the one on the record, which a later run has written by now.
 *
 * @throws CodehostError
 */
export async function removeLostComment(parts: PublishingParts, at: PullRequestPlace, report: Report): Promise<void> {
  const text = commentText(report.run, report.trigger);
  await removeLost(parts.results, stepsOf(parts, at, { text, trigger: report.trigger }));
}

function stepsOf(
  { host, token, publisher, repeated }: PublishingParts,
  at: PullRequestPlace,
  { text, trigger }: { text: string; trigger: Report['trigger'] },
): ResultSteps {
  const ours = (comment: HostedComment): boolean =>
    carriesMarker(comment.body, trigger) && isWrittenBy(publisher, comment);
  return {
    kind: 'codehost_pr_comment',
    key: `${at.repository}#${at.number}`,
    find: () => findRows((page) => host.comments(token, at, page), ours, MOST_PAGES),
    create: () => host.createComment(token, at, text),
    update: (id) => host.updateComment(token, at.repository, id, text),
    remove: (id) => host.deleteComment(token, at.repository, id),
    repeated,
  };
}

/** Anybody can copy the marker into a comment of theirs, which stays theirs. */
function isWrittenBy(publisher: Publisher, { authorId, authorLogin, appId }: HostedComment): boolean {
  if (publisher.kind === 'account') return authorId === publisher.id;
  return appId === publisher.id || (publisher.slug !== null && authorLogin === `${publisher.slug}[bot]`);
}
