import { carriesMarker, commentText } from '../../domain/deliveries/comment-text.js';
import { digestOfText } from '../../domain/digest/digest.js';
import type { HostedComment, PullRequestPlace } from '../../platform/codehost/result-host.js';
import {
  findRow,
  publishInPlace,
  type PublishedResult,
  type Publisher,
  type PublishingParts,
  type Report,
} from './publishing.js';

const MOST_PAGES = 10;

/**
 * Reports in the one comment that a trigger has at a pull request.
 *
 * @throws CodehostError
 */
export async function publishComment(
  { host, token, publisher, results }: PublishingParts,
  at: PullRequestPlace,
  { run, trigger }: Report,
): Promise<PublishedResult> {
  const text = commentText(run, trigger);
  const ours = (comment: HostedComment): boolean =>
    carriesMarker(comment.body, trigger) && isWrittenBy(publisher, comment);
  const { url } = await publishInPlace(results, {
    kind: 'codehost_pr_comment',
    key: `${at.repository}#${at.number}`,
    find: () => findRow((page) => host.comments(token, at, page), ours, MOST_PAGES),
    create: () => host.createComment(token, at, text),
    update: (id) => host.updateComment(token, at.repository, id, text),
    remove: (id) => host.deleteComment(token, at.repository, id),
  });
  return { url, payloadDigest: digestOfText(text) };
}

/** Anybody can copy the marker into a comment of theirs, which stays theirs. */
function isWrittenBy(publisher: Publisher, { authorId, authorLogin, appId }: HostedComment): boolean {
  if (publisher.kind === 'account') return authorId === publisher.id;
  return appId === publisher.id || (publisher.slug !== null && authorLogin === `${publisher.slug}[bot]`);
}
