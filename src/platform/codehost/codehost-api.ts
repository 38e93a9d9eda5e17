import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { EgressError } from '../egress/egress-error.js';
import type { GuardedClient } from '../egress/guarded-client.js';
import type {
  CodeHost,
  CodehostAccount,
  CodehostApp,
  CodehostBranch,
  CodehostInstallation,
  CodehostPage,
  CodehostRepository,
  InstallationToken,
  RegisteredApp,
  RepositoryLister,
} from './code-host.js';
import { CodehostError } from './codehost-error.js';

/** Of one call, its answer included (docs/design/connections.md). */
const CALL_MS = 15_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Tokens without a stated end are taken to live this long. */
const UNSTATED_LIFE_MS = 55 * 60 * 1000;

/**
 * The REST API of the code host, GitHub's or one that is compatible with it. Its address is the operator's, so no
 * class of addresses is closed to it. Redirects are refused, and of what the host answers only the members named here are read.
 */
export class CodehostApi implements CodeHost {
  /** @param client for hosts that the operator configured */
  constructor(
    private readonly baseUrl: string,
    private readonly client: Pick<GuardedClient, 'request'>,
  ) {}

  async currentUser(token: string): Promise<CodehostAccount> {
    const { body, headers } = await this.call('GET', '/user', token);
    const scopes = (headers.get('x-oauth-scopes') ?? '').split(',').map((scope) => scope.trim());
    return { id: idOf(body), login: textOf(body, 'login'), scopes: scopes.filter((scope) => scope !== '') };
  }

  async app(jwt: string): Promise<CodehostApp> {
    const { body } = await this.call('GET', '/app', jwt);
    return { id: idOf(body), slug: textOf(body, 'slug') };
  }

  async installation(jwt: string, id: string): Promise<CodehostInstallation> {
    const { body } = await this.call('GET', `/app/installations/${encodeURIComponent(id)}`, jwt);
    return installationOf(body);
  }

  async installations(jwt: string, { page, perPage }: CodehostPage): Promise<CodehostInstallation[]> {
    const { body } = await this.call('GET', `/app/installations?page=${page}&per_page=${perPage}`, jwt);
    return rowsOf(body).map(installationOf);
  }

  async installationToken(jwt: string, id: string): Promise<InstallationToken> {
    const { body } = await this.call('POST', `/app/installations/${encodeURIComponent(id)}/access_tokens`, jwt, {});
    const expires = Date.parse(typeof body['expires_at'] === 'string' ? body['expires_at'] : '');
    return {
      token: textOf(body, 'token'),
      expiresAt: Number.isNaN(expires) ? Date.now() + UNSTATED_LIFE_MS : expires,
    };
  }

  async repositories(
    token: string,
    lister: RepositoryLister,
    { page, perPage }: CodehostPage,
  ): Promise<CodehostRepository[]> {
    const place = lister === 'user' ? '/user/repos?sort=updated&' : '/installation/repositories?';
    const { body } = await this.call('GET', `${place}page=${page}&per_page=${perPage}`, token);
    return rowsOf(Array.isArray(body) ? body : body['repositories']).map(repositoryOf);
  }

  async branches(token: string, repository: string, { page, perPage }: CodehostPage): Promise<CodehostBranch[]> {
    const place = repository.split('/').map(encodeURIComponent).join('/');
    const { body } = await this.call('GET', `/repos/${place}/branches?page=${page}&per_page=${perPage}`, token);
    return rowsOf(body).map(branchOf);
  }

  async registeredApp(code: string): Promise<RegisteredApp> {
    const { status, body } = await this.call('POST', `/app-manifests/${encodeURIComponent(code)}/conversions`, null);
    if (status !== 201) throw malformed();
    return registeredAppOf(body);
  }

  private async call(
    method: 'GET' | 'POST',
    path: string,
    bearer: string | null,
    json?: JsonObject,
  ): Promise<{ status: number; body: JsonObject; headers: Headers }> {
    try {
      const response = await this.client.request({
        method,
        url: `${this.baseUrl}${path}`,
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': 'service',
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        timeoutMs: CALL_MS,
        maxBodyBytes: MAX_ANSWER_BYTES,
        redirects: 'refuse',
      });
      if (response.status < 200 || response.status > 299) {
        response.discard();
        throw new CodehostError(response.status, `the code host answered ${response.status}`);
      }
      return { status: response.status, body: parseAnswer(await response.readBody()), headers: response.headers };
    } catch (cause) {
      if (!(cause instanceof EgressError)) throw cause;
      throw new CodehostError(null, `the code host could not be asked: ${cause.message}`, { cause });
    }
  }
}

function parseAnswer(bytes: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    // A list is checked by whoever asked for one.
    if (isJsonObject(value) || Array.isArray(value)) return value as JsonObject;
  } catch (cause) {
    throw new CodehostError(null, 'the code host answered with something that is not JSON', { cause });
  }
  throw malformed();
}

function rowsOf(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw malformed();
  return value.filter(isJsonObject);
}

function installationOf(row: JsonObject): CodehostInstallation {
  const { account } = row;
  return {
    id: idOf(row),
    appId: idOf(row, 'app_id'),
    // An enterprise has a slug in place of a login.
    accountLogin: isJsonObject(account) ? textOf(account, 'login' in account ? 'login' : 'slug') : '',
    suspended: typeof row['suspended_at'] === 'string',
  };
}

/** Every member is needed later, so one that is not as promised refuses them all. */
function registeredAppOf(row: JsonObject): RegisteredApp {
  const { owner, webhook_secret: webhookSecret } = row;
  if (!isJsonObject(owner) || !(webhookSecret === null || typeof webhookSecret === 'string')) throw malformed();
  const htmlUrl = textOf(row, 'html_url');
  if (!/^https?:\/\//.test(htmlUrl) || !URL.canParse(htmlUrl)) throw malformed();
  return {
    id: idOf(row),
    slug: textOf(row, 'slug'),
    name: textOf(row, 'name'),
    clientId: textOf(row, 'client_id'),
    clientSecret: textOf(row, 'client_secret'),
    webhookSecret: webhookSecret === '' ? null : webhookSecret,
    privateKey: textOf(row, 'pem'),
    htmlUrl,
    ownerLogin: textOf(owner, 'login'),
  };
}

/** GitHub names a commit by `sha`, Gitea by `id`. */
function branchOf(row: JsonObject): CodehostBranch {
  const { commit } = row;
  if (!isJsonObject(commit)) throw malformed();
  return {
    name: textOf(row, 'name'),
    commit_sha: textOf(commit, 'sha' in commit ? 'sha' : 'id'),
    protected: row['protected'] === true,
  };
}

function repositoryOf(row: JsonObject): CodehostRepository {
  const optional = (member: string): string | null => {
    const value = row[member];
    return typeof value === 'string' ? value : null;
  };
  return {
    id: idOf(row),
    full_name: textOf(row, 'full_name'),
    private: row['private'] === true,
    default_branch: optional('default_branch'),
    html_url: optional('html_url'),
    updated_at: optional('updated_at'),
    pushed_at: optional('pushed_at'),
  };
}

function idOf(row: JsonObject, member = 'id'): string {
  const id = row[member];
  if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id);
  if (typeof id === 'string' && /^\d{1,20}$/.test(id)) return id;
  throw malformed();
}

function textOf(row: JsonObject, member: string): string {
  const value = row[member];
  if (typeof value === 'string' && value !== '') return value;
  throw malformed();
}

function malformed(): CodehostError {
  return new CodehostError(null, 'the code host answered with something other than its API promises');
}
