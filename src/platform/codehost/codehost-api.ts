import { isJsonObject, type JsonObject } from '../../domain/json.js';
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
import {
  idOf,
  malformed,
  optionalText,
  repositoryPath,
  rowsOf,
  textOf,
  type CodehostAnswer,
  type CodehostClient,
} from './codehost-client.js';

/** Tokens without a stated end are taken to live this long. */
const UNSTATED_LIFE_MS = 55 * 60 * 1000;

/**
 * The REST API of the code host, GitHub's or one that is compatible with it. Of what the host answers only the members named here are
 * read.
 */
export class CodehostApi implements CodeHost {
  constructor(private readonly client: Pick<CodehostClient, 'call'>) {}

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
    const query = `page=${page}&per_page=${perPage}`;
    const { body } = await this.call('GET', `${repositoryPath(repository)}/branches?${query}`, token);
    return rowsOf(body).map(branchOf);
  }

  async registeredApp(code: string): Promise<RegisteredApp> {
    const { status, body } = await this.call('POST', `/app-manifests/${encodeURIComponent(code)}/conversions`, null);
    if (status !== 201) throw malformed();
    return registeredAppOf(body);
  }

  private call(
    method: 'GET' | 'POST',
    path: string,
    bearer: string | null,
    body?: JsonObject,
  ): Promise<CodehostAnswer> {
    return this.client.call({ method, path, bearer, ...(body === undefined ? {} : { body }) });
  }
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
  return {
    id: idOf(row),
    full_name: textOf(row, 'full_name'),
    private: row['private'] === true,
    default_branch: optionalText(row, 'default_branch'),
    html_url: optionalText(row, 'html_url'),
    updated_at: optionalText(row, 'updated_at'),
    pushed_at: optionalText(row, 'pushed_at'),
  };
}
