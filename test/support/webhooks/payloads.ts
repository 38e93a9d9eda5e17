import { createRequire } from 'node:module';
import type { JsonObject } from '../../../src/domain/json.js';

const require = createRequire(import.meta.url);
/** GitHub's own and those of its server editions. */
const EDITIONS = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'] as const;

export interface RecordedWebhook {
  edition: string;
  /** As `X-GitHub-Event` says it. */
  name: string;
  payload: JsonObject;
}

/** Payloads that GitHub sent, of every event that it has. */
export function recordedWebhooks(): RecordedWebhook[] {
  return EDITIONS.flatMap((edition) => {
    const events = require(`@octokit/webhooks-examples/${edition}/index.json`) as {
      name: string;
      examples: JsonObject[];
    }[];
    return events.flatMap(({ name, examples }) => examples.map((payload) => ({ edition, name, payload })));
  });
}

/** What a test says of a pull request; the rest is as the host would send it. */
export interface PullRequestOptions {
  action?: string;
  repository?: string;
  number?: number;
  sha?: string;
  /** From a repository of somebody else. */
  fork?: boolean;
  title?: string;
  installation?: number;
}

const HEAD_SHA = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';

/** A pull request as GitHub tells of it: a recorded payload with another repository, commit and title in it. */
export function githubPullRequest(of: PullRequestOptions = {}): JsonObject {
  const { action = 'opened', repository = 'acme/shop', number = 2, sha = HEAD_SHA, title = 'Update the README' } = of;
  const recorded = recordedWebhooks().find(
    ({ name, payload }) => name === 'pull_request' && payload['action'] === 'opened',
  );
  const payload = structuredClone(recorded?.payload ?? {});
  const pullRequest = payload['pull_request'] as JsonObject;
  const [head, base] = [pullRequest['head'] as JsonObject, pullRequest['base'] as JsonObject];
  const [owner = '', name = ''] = repository.split('/');
  const ofBase = {
    ...(base['repo'] as JsonObject),
    full_name: repository,
    name,
    owner: { login: owner },
    id: 186853002,
  };
  Object.assign(payload, { action, number, repository: ofBase });
  Object.assign(pullRequest, { number, title, html_url: `https://github.com/${repository}/pull/${number}` });
  Object.assign(base, { repo: ofBase });
  const ofStranger = {
    ...ofBase,
    id: 4711,
    node_id: 'U3RyYW5nZXI=',
    full_name: `stranger/${name}`,
    owner: { login: 'stranger' },
    fork: true,
  };
  Object.assign(head, { sha, repo: of.fork === true ? ofStranger : ofBase });
  if (of.fork === true)
    Object.assign(pullRequest, { author_association: 'NONE', user: { login: 'stranger', id: 4712 } });
  if (of.installation !== undefined) payload['installation'] = { id: of.installation, node_id: 'MDIz' };
  return payload;
}

/** A pull request as Gitea tells of it. `agit`: pushed to `refs/for/…`, which needs no branch and no right to write. */
export function giteaPullRequest(of: PullRequestOptions & { agit?: boolean } = {}): JsonObject {
  const { action = 'opened', repository = 'acme/shop', number = 2, sha = HEAD_SHA, title = 'Update the README' } = of;
  const [owner = '', name = ''] = repository.split('/');
  const repo = (id: number, login: string): JsonObject => ({
    id,
    owner: { id: id + 1, login, email: `${login}@noreply.localhost`, username: login },
    name,
    full_name: `${login}/${name}`,
    private: false,
    fork: id !== 1,
    html_url: `https://git.example.org/${login}/${name}`,
    clone_url: `https://git.example.org/${login}/${name}.git`,
    default_branch: 'main',
  });
  const base = repo(1, owner);
  const user = { id: 5, login: 'jane', full_name: 'Jane', email: 'jane@noreply.localhost', username: 'jane' };
  const head = of.agit === true ? { label: '', ref: `refs/pull/${number}/head` } : { label: 'change', ref: 'change' };
  return {
    action,
    number,
    pull_request: {
      id: 9,
      url: `https://git.example.org/${repository}/pulls/${number}`,
      number,
      user,
      title,
      body: '',
      html_url: `https://git.example.org/${repository}/pulls/${number}`,
      state: 'open',
      base: { label: 'main', ref: 'main', sha: '9049f1265b7d61be4a8904a9a27120d2064dab3b', repo_id: 1, repo: base },
      head: { ...head, sha, repo_id: of.fork === true ? 7 : 1, repo: of.fork === true ? repo(7, 'stranger') : base },
      merge_base: '9049f1265b7d61be4a8904a9a27120d2064dab3b',
      created_at: '2026-03-01T10:00:00Z',
      updated_at: '2026-03-01T12:00:00+02:00',
    },
    requested_reviewer: null,
    repository: base,
    sender: user,
    commit_id: '',
    review: null,
  };
}
