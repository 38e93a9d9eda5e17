import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '@octokit/webhooks-methods';
import { v7 as uuidv7 } from 'uuid';
import { git } from '../../e2e/workspace/support.js';
import { CodeHost } from '../codehost/code-host.js';
import { HostedResults } from '../codehost/hosted-results.js';
import { RestApi } from '../codehost/rest-api.js';
import type { LiveStack } from '../installation/live-stack.js';
import { githubPullRequest } from './payloads.js';

const REPOSITORY = 'acme/app';
const TOKEN = 'ghp_personal0123456789';
const SECRET = 'a-webhook-secret-of-the-connection';
const ACCOUNT = { id: 4711, login: 'octo', appId: null };
const TAKEN_WITHIN_MS = 120_000;

/** The run is over at once, or works until it is let go (runs/working-run.ts), for two minutes at most. */
export type Work = 'quick' | 'works';

const WORK = `import { existsSync } from 'node:fs';
const until = Date.now() + (process.argv[2] === 'works' ? 120_000 : 0);
const look = () => (existsSync('let-go') || Date.now() >= until ? console.log('reviewed') : setTimeout(look, 50));
look();
`;
const STEPS = [
  { tool: 'Bash', input: { command: 'node work.mjs {{pr_title}}' } },
  { say: 'Reviewed at {{head_sha}}.' },
];

/** What a trigger of a live installation is told of, and where it reports. */
export interface SentEvent {
  number: number;
  action: 'opened' | 'synchronize';
  work: Work;
}

/** Pull requests of one repository at a scripted code host, of which each starts a run that comments and calls back. */
export class ReviewedPullRequests {
  private readonly folder = mkdtempSync(join(tmpdir(), 'reviewed-'));
  private readonly rest: RestApi;
  readonly results: HostedResults;
  private ingressUrl = '';
  private head = '';

  private constructor(private readonly host: CodeHost) {
    this.rest = new RestApi(host.tokens);
    this.rest.addAccount(TOKEN, { ...ACCOUNT, scopes: 'repo' });
    this.results = new HostedResults(this.rest, 99);
    host.interfere = [this.results.serve, this.rest.serve];
  }

  static async start(): Promise<ReviewedPullRequests> {
    const host = await CodeHost.start();
    const reviewed = new ReviewedPullRequests(host);
    const source = join(reviewed.folder, 'source');
    git(reviewed.folder, ['init', '-q', source]);
    writeFileSync(join(source, 'work.mjs'), WORK);
    git(source, ['add', '-A']);
    git(source, ['commit', '-q', '-m', 'x']);
    reviewed.head = git(source, ['rev-parse', 'HEAD']).trim();
    host.publish(source, REPOSITORY);
    return reviewed;
  }

  get settings(): NodeJS.ProcessEnv {
    return this.host.settings();
  }

  /** @returns the secret of its callbacks */
  async subscribe(stack: LiveStack, callbackUrl: string): Promise<string> {
    await stack.createReplayAgent('reviewer', 'unrestricted');
    const connection = await stack.json<{ id: string; ingress_path: string }>('POST', '/v1/connections', {
      ...{ provider: 'codehost', token: TOKEN, webhook_secret: SECRET },
    });
    this.ingressUrl = `${stack.url}${connection.ingress_path}`;
    const { callback_secret: secret } = await stack.json<{ callback_secret: string }>('POST', '/v1/triggers', {
      ...{ agent: 'reviewer', name: 'review', task_template: JSON.stringify(STEPS) },
      ...{ connection: connection.id, repositories: [REPOSITORY], publish: ['pr_comment'] },
      ...{ events: ['pull_request.opened', 'pull_request.synchronize'], callback_url: callbackUrl },
    });
    return secret;
  }

  /** Sends a webhook as a host does, again and again under its id until it is taken. @returns the id of what was stored */
  async send(stack: LiveStack, { number, action, work }: SentEvent): Promise<string> {
    const body = JSON.stringify(
      githubPullRequest({ repository: REPOSITORY, sha: this.head, number, action, title: work }),
    );
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': uuidv7(),
      'x-hub-signature-256': await sign(SECRET, body),
    };
    return stack.until('the webhook to be taken', TAKEN_WITHIN_MS, async () => {
      const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) };
      const answer = await fetch(this.ingressUrl, request).catch(() => undefined);
      if (answer === undefined || answer.status >= 500) return undefined;
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      return ((await answer.json()) as { delivery_id: string }).delivery_id;
    });
  }

  /** Runs once when the host has been asked for a comment at one of these pull requests, and before it has answered. */
  onNewComment(numbers: number[], run: () => Promise<void>): void {
    this.results.meanwhile = { fits: new RegExp(`^POST .*/issues/(?:${numbers.join('|')})/comments$`), run };
  }

  /** A comment of our account that no run asked for. */
  addComment(number: number): void {
    this.results.addComment(String(number), 'again', ACCOUNT);
  }

  /** Texts of the comments that our account has at a pull request. */
  commentsAt(number: number): string[] {
    const ours = this.results.comments.filter(({ place, by }) => place === String(number) && by.id === ACCOUNT.id);
    return ours.map(({ body }) => body);
  }

  /** @throws Error when something that was asked or answered is not as GitHub describes its API */
  async close(): Promise<void> {
    await this.host.stop();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.rest.faults.length > 0) throw new Error(this.rest.faults.join('\n'));
  }
}
