import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readText } from '../oauth/local-server.js';
import type { Interference } from './code-host.js';
import { GithubDescription } from './github-description.js';

/** An app as its host knows it. */
export interface HostedApp {
  id: number;
  slug: string;
  privateKey: string;
  installations: Map<string, { login: string; suspended: boolean }>;
}

/** An app that a person has registered, and nobody has taken over yet. */
interface UnclaimedApp {
  app: HostedApp;
  name: string;
  owner: string;
  clientSecret: string;
  webhookSecret: string | null;
}

/**
 * The part of GitHub's REST API that concerns connections, for a code host of a test. Whatever it is asked, and whatever it answers, is
 * held against GitHub's own description; what does not fit stands in `faults`.
 */
export class RestApi {
  /** Account logins by personal token. */
  readonly accounts = new Map<string, { id: number; login: string; scopes: string }>();
  readonly apps: HostedApp[] = [];
  /** Apps by the codes with which their registration ended. */
  readonly unclaimed = new Map<string, UnclaimedApp>();
  /** Installation tokens by their text: they are tokens of the host too. */
  readonly issued = new Set<string>();
  readonly faults: string[] = [];
  /** How long installation tokens live, in milliseconds. */
  tokenLifeMs = 60 * 60 * 1000;
  /** Status of every answer while it is set. */
  failWith: number | null = null;
  /** Members that the answer to a conversion has instead of its own. */
  conversion: Record<string, unknown> = {};
  minted = 0;
  readonly described = new GithubDescription();

  /** @param tokens of the host, to which those that are minted here are added */
  constructor(private readonly tokens: Set<string>) {}

  addAccount(token: string, account: { id: number; login: string; scopes: string }): void {
    this.accounts.set(token, account);
    this.tokens.add(token);
  }

  addApp(id: number, slug: string, installations: Record<string, { login: string; suspended: boolean }>): HostedApp {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
    const app = { id, slug, privateKey: pem, installations: new Map(Object.entries(installations)) };
    this.apps.push(app);
    return app;
  }

  /** As the last page of a registration from a manifest does. @returns the code of the app */
  registerApp(name: string, owner: string, options: { webhook?: boolean } = {}): string {
    const id = 7000 + this.apps.length;
    const app = this.addApp(id, `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${id}`, {});
    const code = randomBytes(20).toString('hex');
    const webhookSecret = options.webhook === false ? null : `whsec-canary-${id}`;
    this.unclaimed.set(code, { app, name, owner, clientSecret: `client-canary-${id}`, webhookSecret });
    return code;
  }

  /** Answers below `/api`. */
  readonly serve: Interference = async (request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'https://code.test');
    if (!pathname.startsWith('/api/')) return false;
    const { method = '', headers } = request;
    const path = pathname.slice('/api'.length);
    const url = `${path}${search}`;
    this.faults.push(...this.described.requestFaults({ method, url, headers, body: await readText(request) }));
    const [status, body] =
      this.failWith === null
        ? this.route(request, response, path, searchParams)
        : [this.failWith, { message: 'ghp_from-the-host' }];
    if (this.failWith === null && Object.keys(this.conversion).length === 0)
      this.faults.push(...this.described.answerFaults(method, url, status, body));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return true;
  };

  private route(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): RestAnswer {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const code = /^\/app-manifests\/([^/]+)\/conversions$/.exec(path)?.[1];
    if (code !== undefined) return this.convert(decodeURIComponent(code));
    const account = this.accounts.get(bearer);
    const knows = account !== undefined || this.issued.has(bearer);
    if (path === '/user' || path === '/user/repos') {
      if (account === undefined) return [401, { message: 'Bad credentials' }];
      response.setHeader('x-oauth-scopes', account.scopes);
      if (path === '/user/repos') return [200, this.repositories(query)];
      return [200, this.described.answer('GET', '/user', 200, { id: account.id, login: account.login })];
    }
    if (path === '/installation/repositories') {
      return this.issued.has(bearer)
        ? [200, { total_count: 1, repositories: this.repositories(query) }]
        : [401, { message: 'Bad credentials' }];
    }
    const repository = /^\/repos\/([^/]+\/[^/]+)\/branches$/.exec(path)?.[1];
    if (repository !== undefined)
      return knows && repository.startsWith('acme/') ? [200, this.branches(query)] : [404, { message: 'Not Found' }];
    return this.routeApp(request, path, bearer, query);
  }

  private routeApp(request: IncomingMessage, path: string, bearer: string, query: URLSearchParams): RestAnswer {
    const app = this.appOf(bearer);
    if (app === undefined) return [401, { message: 'A JSON web token could not be decoded' }];
    if (path === '/app') return [200, this.described.answer('GET', '/app', 200, { id: app.id, slug: app.slug })];
    if (path === '/app/installations') {
      const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))];
      const ids = [...app.installations.keys()].slice((page - 1) * size, page * size);
      return [200, ids.map((id) => this.installation(app, id))];
    }
    const [, id = '', tokens] = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(path) ?? [];
    if (!app.installations.has(id)) return [404, { message: 'Not Found' }];
    if (tokens === undefined) return [200, this.installation(app, id)];
    if (request.method !== 'POST') return [405, {}];
    const token = `ghs_minted${++this.minted}`;
    this.issued.add(token);
    this.tokens.add(token);
    return [201, { token, expires_at: new Date(Date.now() + this.tokenLifeMs).toISOString() }];
  }

  /** The code is good once. */
  private convert(code: string): RestAnswer {
    const found = this.unclaimed.get(code);
    if (found === undefined) return [404, { message: 'Not Found' }];
    this.unclaimed.delete(code);
    const { app, name, owner, clientSecret, webhookSecret } = found;
    const body = this.described.answer('POST', '/app-manifests/{code}/conversions', 201, {
      id: app.id,
      slug: app.slug,
      name,
      html_url: `https://code.test/apps/${app.slug}`,
      owner: this.described.component('simple-user', { login: owner }),
      client_id: `Iv1.${app.id}`,
      client_secret: clientSecret,
      webhook_secret: webhookSecret,
      pem: app.privateKey,
    });
    return [201, { ...body, ...this.conversion }];
  }

  private installation(app: HostedApp, id: string): object {
    const found = app.installations.get(id);
    return this.described.component('installation', {
      id: Number(id),
      app_id: app.id,
      app_slug: app.slug,
      // The description of the list wants the members of a user and of an enterprise, both.
      account: this.described.component('simple-user', {
        ...this.described.component('enterprise'),
        login: found?.login,
      }),
      suspended_at: found?.suspended === true ? '2026-01-01T00:00:00Z' : null,
    });
  }

  private repositories(query: URLSearchParams): object[] {
    const number = Number(query.get('page'));
    return [
      this.described.component('repository', {
        id: 1000 + number,
        full_name: `acme/page-${number}-of-${query.get('per_page')}`,
        private: true,
        default_branch: 'main',
        html_url: 'https://code.test/acme/x',
        updated_at: '2026-01-01T00:00:00Z',
        pushed_at: null,
      }),
    ];
  }

  private branches(query: URLSearchParams): object[] {
    const name = `branch-${query.get('page')}-of-${query.get('per_page')}`;
    const commit = { sha: 'ab'.repeat(20), url: 'https://code.test/x' };
    return [this.described.component('short-branch', { name, commit, protected: true })];
  }

  /** The app whose key signed the token, if it is valid now and says so of itself. */
  private appOf(jwt: string): HostedApp | undefined {
    const [header = '', claims = '', signature = ''] = jwt.split('.');
    if (signature === '') return undefined;
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
    const now = Date.now() / 1000;
    if (typeof iat !== 'number' || typeof exp !== 'number' || iat > now || exp < now || exp - iat > 600)
      return undefined;
    const body = Buffer.from(`${header}.${claims}`);
    return this.apps.find(
      (app) =>
        String(app.id) === iss &&
        verify('sha256', body, createPublicKey(app.privateKey), Buffer.from(signature, 'base64url')),
    );
  }
}

type RestAnswer = readonly [status: number, body: unknown];
