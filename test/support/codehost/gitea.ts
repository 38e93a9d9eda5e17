import { randomBytes } from 'node:crypto';
import { Agent, fetch, type Response } from 'undici';
import { GiteaProcess } from './gitea-process.js';

export interface GiteaUser {
  id: number;
  login: string;
  password: string;
  /** With every scope. */
  token: string;
}

/** `owner/name`, with what its owner may do. */
export interface GiteaRepository {
  full: string;
  owner: GiteaUser;
}

export interface GiteaPullRequest {
  number: number;
  headSha: string;
}

export interface GiteaComment {
  id: number;
  body: string;
  user: { login: string };
}

export interface GiteaStatus {
  id: number;
  context: string;
  status: string;
  description: string;
}

/** A code host that others wrote, over https on loopback, and what people do there. */
export class Gitea {
  private readonly agent: Agent;

  private constructor(private readonly server: GiteaProcess) {
    this.agent = new Agent({ connect: { ca: server.certificate } });
  }

  static async start(): Promise<Gitea> {
    const server = await GiteaProcess.start();
    const gitea = new Gitea(server);
    try {
      await server.serve(() => gitea.answers());
      return gitea;
    } catch (error) {
      await gitea.stop();
      throw error;
    }
  }

  get url(): string {
    return this.server.url;
  }

  /** Where its part of GitHub's REST API is. */
  get apiUrl(): string {
    return `${this.url}/api/v1`;
  }

  get certificate(): string {
    return this.server.certificate;
  }

  async stop(): Promise<void> {
    await this.agent.destroy();
    await this.server.stop();
  }

  async addUser(login: string): Promise<GiteaUser> {
    const password = randomBytes(16).toString('hex');
    const known = ['--username', login, '--password', password, '--email', `${login}@code.test`];
    await this.server.admin('admin', 'user', 'create', ...known, '--must-change-password=false');
    const printed = await this.server.admin(
      ...['admin', 'user', 'generate-access-token', '--username', login],
      ...['--token-name', 'tests', '--scopes', 'all', '--raw'],
    );
    // Where root runs it there are lines of its log before it, and on a busy machine behind it.
    const token = /^[0-9a-f]{40}$/m.exec(printed)?.[0];
    if (token === undefined) throw new Error(`Gitea printed no token: ${printed}`);
    const { id } = (await this.ask(token, 'GET', '/user')) as { id: number };
    return { id, login, password, token };
  }

  /** A public repository whose branch `main` has one commit. */
  async addRepository(owner: GiteaUser, name: string): Promise<GiteaRepository> {
    await this.ask(owner.token, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
    return { full: `${owner.login}/${name}`, owner };
  }

  async fork(of: GiteaRepository, user: GiteaUser, name: string): Promise<GiteaRepository> {
    await this.ask(user.token, 'POST', `/repos/${of.full}/forks`, { name });
    return { full: `${user.login}/${name}`, owner: user };
  }

  /** Lets a person push to the repository. */
  async addWriter(repository: GiteaRepository, user: GiteaUser): Promise<void> {
    const path = `/repos/${repository.full}/collaborators/${user.login}`;
    await this.ask(repository.owner.token, 'PUT', path, { permission: 'write' });
  }

  /** One commit that adds a file, on a branch that is made from `main` where it does not exist. @returns its sha */
  async commit(repository: GiteaRepository, branch: string, path: string, content: string): Promise<string> {
    const branches = (await this.ask(repository.owner.token, 'GET', `/repos/${repository.full}/branches`)) as {
      name: string;
    }[];
    const known = branches.some(({ name }) => name === branch);
    const body = {
      content: Buffer.from(content).toString('base64'),
      message: `Add ${path}`,
      ...(known ? { branch } : { branch: 'main', new_branch: branch }),
    };
    const made = await this.ask(
      repository.owner.token,
      'POST',
      `/repos/${repository.full}/contents/${encodeURIComponent(path)}`,
      body,
    );
    return (made as { commit: { sha: string } }).commit.sha;
  }

  /** Asks the base to take a branch, of itself or of a fork. */
  async openPullRequest(
    base: GiteaRepository,
    { head, branch, title }: { head: GiteaRepository; branch: string; title: string },
  ): Promise<GiteaPullRequest> {
    const from = head.full === base.full ? branch : `${head.owner.login}:${branch}`;
    const body = { base: 'main', head: from, title };
    const made = await this.ask(head.owner.token, 'POST', `/repos/${base.full}/pulls`, body);
    const { number, head: at } = made as { number: number; head: { sha: string } };
    return { number, headSha: at.sha };
  }

  /** Sends events of pull requests, JSON, signed with the secret. @returns its id */
  async addWebhook(repository: GiteaRepository, url: string, secret: string): Promise<number> {
    const body = {
      type: 'gitea',
      active: true,
      events: ['pull_request', 'pull_request_sync', 'issue_comment', 'status', 'push'],
      config: { url, secret, content_type: 'json' },
    };
    const made = await this.ask(repository.owner.token, 'POST', `/repos/${repository.full}/hooks`, body);
    return (made as { id: number }).id;
  }

  /** Its "test delivery". */
  async testWebhook(repository: GiteaRepository, id: number): Promise<void> {
    await this.ask(repository.owner.token, 'POST', `/repos/${repository.full}/hooks/${id}/tests`);
  }

  /** Its button "redeliver", which its API does not have. @param delivery id under which it was delivered first */
  async redeliver(repository: GiteaRepository, id: number, delivery: string): Promise<void> {
    const session = await this.signIn(repository.owner);
    const path = `/${repository.full}/settings/hooks/${id}/replay/${delivery}`;
    const answer = await this.browse(path, session);
    if (answer.status >= 400) throw new Error(`Gitea answered ${answer.status} to a redelivery`);
  }

  async comments(repository: GiteaRepository, number: number): Promise<GiteaComment[]> {
    const path = `/repos/${repository.full}/issues/${number}/comments`;
    return (await this.ask(repository.owner.token, 'GET', path)) as GiteaComment[];
  }

  async comment(repository: GiteaRepository, number: number, user: GiteaUser, body: string): Promise<number> {
    const made = await this.ask(user.token, 'POST', `/repos/${repository.full}/issues/${number}/comments`, { body });
    return (made as GiteaComment).id;
  }

  /** Kinds of what happened to an issue or a pull request, references from elsewhere included. */
  async timeline(repository: GiteaRepository, number: number): Promise<string[]> {
    const path = `/repos/${repository.full}/issues/${number}/timeline`;
    return ((await this.ask(repository.owner.token, 'GET', path)) as { type: string }[]).map(({ type }) => type);
  }

  /** Addresses of what somebody is told of, because they were mentioned there or take part. */
  async notifications(user: GiteaUser): Promise<string[]> {
    const told = (await this.ask(user.token, 'GET', '/notifications')) as { subject: { html_url: string } }[];
    return told.map(({ subject }) => subject.html_url);
  }

  /** A comment as its pages show it. */
  async rendered(repository: GiteaRepository, text: string): Promise<string> {
    const body = { Text: text, Mode: 'comment', Context: repository.full };
    return this.askText(repository.owner.token, 'POST', '/markup', body);
  }

  async deleteComment(repository: GiteaRepository, id: number): Promise<void> {
    await this.ask(repository.owner.token, 'DELETE', `/repos/${repository.full}/issues/comments/${id}`);
  }

  /** Every status of a commit, not the last of each context alone. */
  async statuses(repository: GiteaRepository, sha: string): Promise<GiteaStatus[]> {
    const path = `/repos/${repository.full}/commits/${sha}/statuses`;
    return (await this.ask(repository.owner.token, 'GET', path)) as GiteaStatus[];
  }

  private async answers(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.url}/api/healthz`, { dispatcher: this.agent });
      await answer.body?.cancel();
      return answer.ok;
    } catch (error) {
      // Nobody listens yet.
      if (error instanceof TypeError) return false;
      throw error;
    }
  }

  private async ask(token: string, method: string, path: string, body?: object): Promise<unknown> {
    const text = await this.askText(token, method, path, body);
    return text === '' ? null : (JSON.parse(text) as unknown);
  }

  private async askText(token: string, method: string, path: string, body?: object): Promise<string> {
    const answer = await fetch(`${this.apiUrl}${path}`, {
      method,
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      dispatcher: this.agent,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Gitea answered ${answer.status} to ${method} ${path}: ${text}`);
    return text;
  }

  /** @returns cookies by name */
  private async signIn(user: GiteaUser): Promise<Map<string, string>> {
    const cookies = new Map<string, string>();
    const form = { user_name: user.login, password: user.password };
    const answer = await this.browse('/user/login', cookies, form);
    if (answer.status !== 303) throw new Error(`Gitea answered ${answer.status} to a sign-in`);
    await this.browse(`/user/settings`, cookies, null);
    return cookies;
  }

  /** One request of a browser: a form, or a look at a page where `form` is null. Keeps the cookies that come. */
  private async browse(
    path: string,
    cookies: Map<string, string>,
    form: Record<string, string> | null = {},
  ): Promise<Response> {
    const sent = form === null ? null : new URLSearchParams({ ...form, _csrf: cookies.get('_csrf') ?? '' });
    const answer = await fetch(`${this.url}${path}`, {
      method: sent === null ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(sent === null ? {} : { body: sent }),
      redirect: 'manual',
      dispatcher: this.agent,
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, decodeURIComponent(value));
    }
    await answer.body?.cancel();
    return answer;
  }
}
