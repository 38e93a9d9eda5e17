import type { CheckRunBody, StatusBody } from '../../domain/deliveries/check-report.js';

/** A pull request of a repository, `owner/name`. */
export interface PullRequestPlace {
  repository: string;
  number: number;
}

/** A commit of a repository, `owner/name`. */
export interface CommitPlace {
  repository: string;
  sha: string;
}

/** What the host made of something that was published. */
export interface HostedResult {
  id: string;
  /** Where people see it, when the host says so. */
  url: string | null;
}

export interface HostedComment extends HostedResult {
  body: string;
  /** The account that wrote it, as far as the host says. */
  authorId: string | null;
  authorLogin: string | null;
  /** The app by which it was written. */
  appId: string | null;
}

export interface HostedCheckRun extends HostedResult {
  externalId: string | null;
  appId: string | null;
}

export interface HostedStatus extends HostedResult {
  context: string;
  state: string;
  description: string | null;
}

/** One page of a list. */
export interface HostedPage<T> {
  rows: T[];
  /** Whether there is a next one. */
  more: boolean;
}

/** What publishing asks of a code host. Pages count from 1. Every failure is a CodehostError, whose status is the host's answer. */
export interface ResultHost {
  comments(token: string, at: PullRequestPlace, page: number): Promise<HostedPage<HostedComment>>;
  createComment(token: string, at: PullRequestPlace, body: string): Promise<HostedResult>;
  updateComment(token: string, repository: string, id: string, body: string): Promise<HostedResult>;
  deleteComment(token: string, repository: string, id: string): Promise<void>;
  /** @param name of the check */
  checkRuns(token: string, at: CommitPlace, name: string, page: number): Promise<HostedPage<HostedCheckRun>>;
  createCheckRun(token: string, at: CommitPlace, check: CheckRunBody): Promise<HostedResult>;
  updateCheckRun(token: string, repository: string, id: string, check: CheckRunBody): Promise<HostedResult>;
  /** The last status of each context. */
  statuses(token: string, at: CommitPlace, page: number): Promise<HostedPage<HostedStatus>>;
  createStatus(token: string, at: CommitPlace, status: StatusBody): Promise<HostedResult>;
}
