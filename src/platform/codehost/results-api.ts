import type { CheckRunBody, StatusBody } from '../../domain/deliveries/check-report.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.js';
import {
  idOf,
  optionalText,
  repositoryPath,
  rowsOf,
  type CodehostAnswer,
  type CodehostClient,
} from './codehost-client.js';
import type {
  CommitPlace,
  HostedCheckRun,
  HostedComment,
  HostedPage,
  HostedResult,
  HostedStatus,
  PullRequestPlace,
  ResultHost,
} from './result-host.js';

const PER_PAGE = 100;
const LONGEST_URL = 2000;

/** The part of GitHub's REST API by which results are published, also as hosts serve it that follow GitHub. */
export class ResultsApi implements ResultHost {
  constructor(private readonly client: Pick<CodehostClient, 'call'>) {}

  async comments(token: string, at: PullRequestPlace, page: number): Promise<HostedPage<HostedComment>> {
    const path = `${repositoryPath(at.repository)}/issues/${at.number}/comments?${pageQuery(page)}`;
    const answer = await this.client.call({ method: 'GET', path, bearer: token });
    return pageOf(answer, { page, list: answer.body, read: commentOf });
  }

  createComment(token: string, at: PullRequestPlace, body: string): Promise<HostedResult> {
    return this.send('POST', `${repositoryPath(at.repository)}/issues/${at.number}/comments`, token, { body });
  }

  updateComment(token: string, repository: string, id: string, body: string): Promise<HostedResult> {
    return this.send('PATCH', `${repositoryPath(repository)}/issues/comments/${id}`, token, { body });
  }

  async deleteComment(token: string, repository: string, id: string): Promise<void> {
    await this.client.call({
      method: 'DELETE',
      path: `${repositoryPath(repository)}/issues/comments/${id}`,
      bearer: token,
    });
  }

  async checkRuns(token: string, at: CommitPlace, name: string, page: number): Promise<HostedPage<HostedCheckRun>> {
    const query = `check_name=${encodeURIComponent(name)}&${pageQuery(page)}`;
    const path = `${repositoryPath(at.repository)}/commits/${at.sha}/check-runs?${query}`;
    const answer = await this.client.call({ method: 'GET', path, bearer: token });
    return pageOf(answer, { page, list: answer.body['check_runs'], read: checkRunOf });
  }

  createCheckRun(token: string, at: CommitPlace, check: CheckRunBody): Promise<HostedResult> {
    return this.send('POST', `${repositoryPath(at.repository)}/check-runs`, token, { ...check, head_sha: at.sha });
  }

  updateCheckRun(token: string, repository: string, id: string, check: CheckRunBody): Promise<HostedResult> {
    return this.send('PATCH', `${repositoryPath(repository)}/check-runs/${id}`, token, check);
  }

  async statuses(token: string, at: CommitPlace, page: number): Promise<HostedPage<HostedStatus>> {
    const path = `${repositoryPath(at.repository)}/commits/${at.sha}/status?${pageQuery(page)}`;
    const answer = await this.client.call({ method: 'GET', path, bearer: token });
    // Gitea has no list for a commit without a status.
    return pageOf(answer, { page, list: answer.body['statuses'] ?? [], read: statusOf });
  }

  createStatus(token: string, at: CommitPlace, status: StatusBody): Promise<HostedResult> {
    return this.send('POST', `${repositoryPath(at.repository)}/statuses/${at.sha}`, token, status);
  }

  private async send(method: 'POST' | 'PATCH', path: string, bearer: string, body: JsonObject): Promise<HostedResult> {
    return resultOf((await this.client.call({ method, path, bearer, body })).body);
  }
}

function pageQuery(page: number): string {
  return `per_page=${PER_PAGE}&page=${page}`;
}

/** GitHub says in the header `link` whether there is a next page, Gitea how many rows there are in all. */
function pageOf<T>(
  { headers }: CodehostAnswer,
  { page, list, read }: { page: number; list: JsonValue | undefined; read: (row: JsonObject) => T },
): HostedPage<T> {
  const rows = rowsOf(list).map(read);
  const [link, total] = [headers.get('link'), Number(headers.get('x-total-count') ?? Number.NaN)];
  if (link !== null) return { rows, more: /;\s*rel="?next"?/.test(link) };
  return { rows, more: Number.isNaN(total) ? rows.length === PER_PAGE : rows.length > 0 && page * rows.length < total };
}

function resultOf(row: JsonObject): HostedResult {
  return { id: idOf(row), url: urlOf(row['html_url']) };
}

function commentOf(row: JsonObject): HostedComment {
  const user = row['user'];
  return {
    ...resultOf(row),
    body: optionalText(row, 'body') ?? '',
    authorId: optionalId(user),
    authorLogin: isJsonObject(user) ? optionalText(user, 'login') : null,
    appId: optionalId(row['performed_via_github_app']),
  };
}

function checkRunOf(row: JsonObject): HostedCheckRun {
  return { ...resultOf(row), externalId: optionalText(row, 'external_id'), appId: optionalId(row['app']) };
}

function statusOf(row: JsonObject): HostedStatus {
  return {
    ...resultOf(row),
    context: optionalText(row, 'context') ?? '',
    // Gitea calls it otherwise.
    state: optionalText(row, 'state') ?? optionalText(row, 'status') ?? '',
    description: optionalText(row, 'description'),
  };
}

function optionalId(owner: JsonValue | undefined): string | null {
  return isJsonObject(owner) && owner['id'] !== undefined ? idOf(owner) : null;
}

/** Only what can be an address of a page goes on the record. */
function urlOf(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || value.length > LONGEST_URL || !URL.canParse(value)) return null;
  return /^https?:$/.test(new URL(value).protocol) ? value : null;
}
