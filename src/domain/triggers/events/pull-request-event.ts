import type { JsonObject } from '../../json.js';
import type { RequestedWorkspace, RunSpec } from '../../run/spec.js';
import { isWholeCommit, parseWorkspace } from '../../run/workspace-input.js';
import type { EventName } from './event-names.js';

/** What a webhook said of a pull request, in our words; it is stored with the delivery. */
export interface PullRequestEvent {
  type: EventName;
  /** `owner/name` of the repository that the pull request is for. */
  repository: string;
  number: number;
  head_sha: string;
  /** Whether the commit may be a stranger's; everything but certainty says so. */
  fork: boolean;
  /** RFC 3339; null where the host did not say. */
  occurred_at: string | null;
  title: string;
  url: string;
  author: string;
  head_ref: string;
  base_sha: string;
  base_ref: string;
}

/** What templates of event subscriptions may name. */
export const EVENT_TEMPLATE_KEYS = [
  'repository', 'pr_number', 'pr_title', 'pr_url', 'pr_author', 'head_sha', 'head_ref', 'base_sha', 'base_ref', 'action', 'event',
  'fork',
] as const; // prettier-ignore
export type EventTemplateKey = (typeof EVENT_TEMPLATE_KEYS)[number];

export function templateKeysOf(event: PullRequestEvent): Record<EventTemplateKey, string> {
  return {
    repository: event.repository,
    pr_number: String(event.number),
    pr_title: event.title,
    pr_url: event.url,
    pr_author: event.author,
    head_sha: event.head_sha,
    head_ref: event.head_ref,
    base_sha: event.base_sha,
    base_ref: event.base_ref,
    action: actionOf(event),
    event: event.type,
    fork: String(event.fork),
  };
}

/** What is frozen into a run's invocation. */
export function attributesOf(event: PullRequestEvent): JsonObject {
  return {
    provider: 'codehost',
    repository: event.repository,
    pr_number: event.number,
    title: event.title,
    author: event.author,
    head_sha: event.head_sha,
    base_sha: event.base_sha,
    fork: event.fork,
    action: actionOf(event),
    url: event.url,
  };
}

export function resourceOf({ repository, number }: Pick<PullRequestEvent, 'repository' | 'number'>): string {
  return `${repository}#${number}`;
}

/** A stranger's code is read and nothing else. A stored event whose `fork` is anything but false counts as a fork's. */
export function trustTierOf({ fork }: Pick<PullRequestEvent, 'fork'>): RunSpec['trust_tier'] {
  return fork === false ? 'trusted' : 'read_only';
}

/**
 * The exact head commit, with what it changes against the branch that it is for, fetched from the repository that the pull request is for,
 * at the address of the code host that the operator configured. No address is ever read from a payload.
 */
export function workspaceOf(
  event: PullRequestEvent,
  at: { connectionId: string; cloneBase: string },
): RequestedWorkspace {
  const workspace = {
    kind: 'git_repository',
    connection_id: at.connectionId,
    repository: event.repository,
    commit_sha: event.head_sha,
    // The change is left unknown where the host names nothing that can be asked for.
    ...(isWholeCommit(event.base_sha) ? { base_sha: event.base_sha } : {}),
    checkout_mode: trustTierOf(event) === 'trusted' ? 'writable_copy' : 'read_only',
  };
  return parseWorkspace(workspace, 'event', at.cloneBase);
}

function actionOf({ type }: PullRequestEvent): string {
  return type.slice(type.indexOf('.') + 1);
}
