import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Interference } from './code-host.js';

/** An app as its host knows it. */
export interface HostedApp {
  id: number;
  slug: string;
  privateKey: string;
  installations: Map<string, { login: string; suspended: boolean }>;
}

/** The part of GitHub's REST API that concerns connections, for a code host of a test. */
export class RestApi {
  /** Account logins by personal token. */
  readonly accounts = new Map<string, { id: number; login: string; scopes: string }>();
  readonly apps: HostedApp[] = [];
  /** Installation tokens by their text: they are tokens of the host too. */
  readonly issued = new Set<string>();
  /** How long installation tokens live, in milliseconds. */
  tokenLifeMs = 60 * 60 * 1000;
  /** Status of every answer while it is set. */
  failWith: number | null = null;
  minted = 0;

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

  /** Answers below `/api`. */
  readonly serve: Interference = (request, response) => {
    const url = new URL(request.url ?? '', 'https://code.test');
    if (!url.pathname.startsWith('/api/')) return false;
    if (this.failWith !== null) answer(response, this.failWith, { message: 'ghp_from-the-host' });
    else this.route(request, response, url.pathname.slice('/api'.length), url.searchParams);
    return true;
  };

  private route(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): void {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const account = this.accounts.get(bearer);
    if (path === '/user' || path === '/user/repos') {
      if (account === undefined) return answer(response, 401, { message: 'Bad credentials' });
      response.setHeader('x-oauth-scopes', account.scopes);
      return answer(response, 200, path === '/user' ? { id: account.id, login: account.login } : page(query));
    }
    if (path === '/installation/repositories') {
      return this.issued.has(bearer)
        ? answer(response, 200, { total_count: 1, repositories: page(query) })
        : answer(response, 401, {});
    }
    this.routeApp(request, response, path, bearer);
  }

  private routeApp(request: IncomingMessage, response: ServerResponse, path: string, bearer: string): void {
    const app = this.appOf(bearer);
    if (app === undefined) return answer(response, 401, { message: 'A JSON web token could not be decoded' });
    if (path === '/app') return answer(response, 200, { id: app.id, slug: app.slug });
    const [, id = '', tokens] = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(path) ?? [];
    const installation = app.installations.get(id);
    if (installation === undefined) return answer(response, 404, { message: 'Not Found' });
    if (tokens === undefined) {
      const suspended = installation.suspended ? { suspended_at: '2026-01-01T00:00:00Z' } : {};
      return answer(response, 200, {
        id: Number(id),
        app_id: app.id,
        account: { login: installation.login },
        ...suspended,
      });
    }
    if (request.method !== 'POST') return answer(response, 405, {});
    const token = `ghs_minted${++this.minted}`;
    this.issued.add(token);
    this.tokens.add(token);
    answer(response, 201, { token, expires_at: new Date(Date.now() + this.tokenLifeMs).toISOString() });
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

function page(query: URLSearchParams): object[] {
  const number = Number(query.get('page'));
  return [
    {
      id: 1000 + number,
      full_name: `acme/page-${number}-of-${query.get('per_page')}`,
      private: true,
      default_branch: 'main',
      html_url: 'https://code.test/acme/x',
      updated_at: '2026-01-01T00:00:00Z',
      pushed_at: null,
      owner: { login: 'acme' },
    },
  ];
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
