import type { IncomingMessage } from 'node:http';
import { readText } from '../oauth/local-server.js';
import type { Interference } from './code-host.js';
import type { RestApi } from './rest-api.js';

interface Comment {
  id: number;
  place: string;
  body: string;
  by: Author;
}

interface CheckRun {
  id: number;
  sha: string;
  appId: number;
  body: Record<string, unknown>;
}

interface Status {
  id: number;
  sha: string;
  context: string;
  state: string;
  description: string | null;
}

/** Who asks, as their token says: a person, or an app at one of its installations. */
type Author = { login: string; id: number; appId: number | null };

type Answer = [status: number, body: unknown, headers?: Record<string, string>];

const REPOSITORY = 'acme/app';
const NOT_FOUND: Answer = [404, { message: 'Not Found' }];

/**
 * Comments, check runs and commit statuses of one repository, `acme/app`, as GitHub keeps them: stands before the rest of the scripted
 * host, and holds requests and answers against GitHub's description as that does.
 */
export class HostedResults {
  readonly comments: Comment[] = [];
  readonly checkRuns: CheckRun[] = [];
  readonly statuses: Status[] = [];
  /** `METHOD path` of what was asked. */
  readonly asked: string[] = [];
  /** What is answered in place of check runs. */
  checksRefused: 403 | 404 | null = null;
  /** What requests that fit are answered, with a text that nobody may repeat. */
  failing: { fits: RegExp; status: number } | null = null;
  /** Runs before the answer to a request that fits, once. */
  meanwhile: { fits: RegExp; run: () => Promise<void> } | null = null;
  private last = 100;

  /** @param appId of the app whose installation tokens are shown */
  constructor(
    private readonly rest: RestApi,
    private readonly appId: number,
  ) {}

  readonly serve: Interference = async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'https://code.test');
    if (!/^\/api\/repos\/[^/]+\/[^/]+\/(?:issues|check-runs|statuses|commits)\b/.test(pathname)) return false;
    const { method = '', headers } = request;
    const [path, url, text] = [pathname.slice(4), `${pathname.slice(4)}${search}`, await readText(request)];
    this.asked.push(`${method} ${url}`);
    this.rest.faults.push(...this.rest.described.requestFaults({ method, url, headers, body: text }));
    const { meanwhile } = this;
    if (meanwhile?.fits.test(`${method} ${path}`) === true) {
      this.meanwhile = null;
      await meanwhile.run();
    }
    const [status, body, more] = this.answer(request, path, searchParams, text);
    if (status < 400 && status !== 204)
      this.rest.faults.push(...this.rest.described.answerFaults(method, url, status, body));
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(status === 204 ? undefined : JSON.stringify(body));
    return true;
  };

  /** As somebody writes at the page. */
  addComment(place: string, body: string, by: Author = { login: 'stranger', id: 4000, appId: null }): number {
    this.comments.push({ id: ++this.last, place, body, by });
    return this.last;
  }

  /** As another app, or this one, made it before. */
  addCheckRun(sha: string, appId: number, body: Record<string, unknown>): number {
    this.checkRuns.push({ id: ++this.last, sha, appId, body });
    return this.last;
  }

  private answer(request: IncomingMessage, path: string, query: URLSearchParams, text: string): Answer {
    const { method = '' } = request;
    if (this.failing?.fits.test(`${method} ${path}`) === true)
      return [this.failing.status, { message: 'ghp_from-the-host' }];
    const author = this.authorOf(request);
    if (author === null) return [401, { message: 'Bad credentials' }];
    const [, repository, rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(path) ?? [];
    if (repository !== REPOSITORY) return NOT_FOUND;
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    if (/check-runs/.test(rest)) return this.checks(method, rest, { query, body, author });
    if (/^\/issues/.test(rest)) return this.discussion(method, rest, { query, body, author });
    return this.states(method, rest, body);
  }

  private discussion(method: string, path: string, of: Asked): Answer {
    const [, place, id] = /^\/issues\/(?:(\d+)\/comments|comments\/(\d+))$/.exec(path) ?? [];
    if (place !== undefined && method === 'GET') {
      const all = this.comments.filter((one) => one.place === place);
      return paged(
        all.map((one) => this.commentBody(one)),
        of.query,
        path,
      );
    }
    if (place !== undefined) {
      const made = this.addComment(place, String(of.body['body']), of.author);
      return [201, this.commentBody(this.comments.find((one) => one.id === made)!)];
    }
    const comment = this.comments.find((one) => one.id === Number(id));
    if (comment === undefined) return NOT_FOUND;
    if (method === 'DELETE') {
      this.comments.splice(this.comments.indexOf(comment), 1);
      return [204, null];
    }
    comment.body = String(of.body['body']);
    return [200, this.commentBody(comment)];
  }

  private checks(method: string, path: string, { query, body, author }: Asked): Answer {
    if (this.checksRefused === 404) return NOT_FOUND;
    const [, sha] = /^\/commits\/(\w+)\/check-runs$/.exec(path) ?? [];
    if (sha !== undefined) {
      const all = this.checkRuns.filter((one) => one.sha === sha && one.body['name'] === query.get('check_name'));
      return paged(
        all.map((one) => this.checkBody(one)),
        query,
        path,
        'check_runs',
      );
    }
    // A token that is no app's may look, and no more.
    if (this.checksRefused === 403 || author.appId === null)
      return [403, { message: 'You must authenticate via a GitHub App.' }];
    const [, id] = /^\/check-runs\/(\d+)$/.exec(path) ?? [];
    if (id === undefined) {
      const { head_sha: head, ...rest } = body;
      const made = this.addCheckRun(String(head), author.appId, rest);
      return [201, this.checkBody(this.checkRuns.find((one) => one.id === made)!)];
    }
    const check = this.checkRuns.find((one) => one.id === Number(id) && one.appId === author.appId);
    if (check === undefined || method !== 'PATCH') return NOT_FOUND;
    Object.assign(check.body, body);
    return [200, this.checkBody(check)];
  }

  private states(method: string, path: string, body: Record<string, unknown>): Answer {
    const [, made, read] = /^\/(?:statuses\/(\w+)|commits\/(\w+)\/status)$/.exec(path) ?? [];
    const { described } = this.rest;
    if (method === 'POST' && made !== undefined) {
      const status = { id: ++this.last, sha: made, ...(body as Omit<Status, 'id' | 'sha'>) };
      this.statuses.push(status);
      return [201, described.component('status', { ...status, creator: described.component('simple-user') })];
    }
    if (read === undefined) return NOT_FOUND;
    const latest = new Map(this.statuses.filter(({ sha }) => sha === read).map((one) => [one.context, one]));
    const statuses = [...latest.values()].map((one) => described.component('simple-commit-status', { ...one }));
    return [200, described.component('combined-commit-status', { sha: read, statuses, total_count: statuses.length })];
  }

  private commentBody({ id, body, by }: Comment): object {
    const { described } = this.rest;
    const user = described.component('simple-user', { login: by.login, id: by.id });
    const html_url = `https://code.test/${REPOSITORY}/pull/1#issuecomment-${id}`;
    const app = by.appId === null ? null : described.component('integration', { id: by.appId });
    return described.component('issue-comment', { id, body, user, html_url, performed_via_github_app: app });
  }

  private checkBody({ id, sha, appId, body }: CheckRun): object {
    const { described } = this.rest;
    const { output, ...members } = body as { output?: object };
    const html_url = `https://code.test/${REPOSITORY}/runs/${id}`;
    return described.component('check-run', {
      ...{ id, head_sha: sha, html_url, ...members },
      app: described.component('integration', { id: appId }),
      output: {
        ...{ title: null, summary: null, text: null },
        ...{ annotations_count: 0, annotations_url: 'https://code.test/x' },
        ...output,
      },
    });
  }

  private authorOf(request: IncomingMessage): Author | null {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const account = this.rest.accounts.get(bearer);
    if (account !== undefined) return { login: account.login, id: account.id, appId: null };
    return this.rest.issued.has(bearer) ? { login: 'sandgate-acme[bot]', id: 9000, appId: this.appId } : null;
  }
}

interface Asked {
  query: URLSearchParams;
  body: Record<string, unknown>;
  author: Author;
}

function paged(rows: object[], query: URLSearchParams, path: string, member?: string): Answer {
  const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))];
  const body = rows.slice((page - 1) * size, page * size);
  const next = `<https://code.test/api/repos/${REPOSITORY}${path}?page=${page + 1}>; rel="next", <https://code.test>; rel="last"`;
  const headers: Record<string, string> = rows.length > page * size ? { link: next } : {};
  return [200, member === undefined ? body : { total_count: rows.length, [member]: body }, headers];
}
