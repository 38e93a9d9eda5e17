import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type {
  CodeHost,
  CodehostAccount,
  CodehostApp,
  CodehostInstallation,
  CodehostRepository,
  InstallationToken,
  RepositoryLister,
} from './code-host.js';
import { idOf, rowsOf, textOf, type CodehostClient } from './codehost-client.js';

/** Tokens without a stated end are taken to live this long. */
const UNSTATED_LIFE_MS = 55 * 60 * 1000;

/**
 * The REST API of the code host, GitHub's or one that is compatible with it. Of what the host answers only the members named here are
 * read.
 */
export class CodehostApi implements CodeHost {
  constructor(private readonly client: Pick<CodehostClient, 'call'>) {}

  async currentUser(token: string): Promise<CodehostAccount> {
    const { body, headers } = await this.client.call({ method: 'GET', path: '/user', bearer: token });
    const scopes = (headers.get('x-oauth-scopes') ?? '').split(',').map((scope) => scope.trim());
    return { id: idOf(body), login: textOf(body, 'login'), scopes: scopes.filter((scope) => scope !== '') };
  }

  async app(jwt: string): Promise<CodehostApp> {
    const { body } = await this.client.call({ method: 'GET', path: '/app', bearer: jwt });
    return { id: idOf(body), slug: textOf(body, 'slug') };
  }

  async installation(jwt: string, id: string): Promise<CodehostInstallation> {
    const path = `/app/installations/${encodeURIComponent(id)}`;
    const { body } = await this.client.call({ method: 'GET', path, bearer: jwt });
    const account = body['account'];
    return {
      id: idOf(body),
      appId: idOf(body, 'app_id'),
      accountLogin: isJsonObject(account) ? textOf(account, 'login') : '',
      suspended: typeof body['suspended_at'] === 'string',
    };
  }

  async installationToken(jwt: string, id: string): Promise<InstallationToken> {
    const path = `/app/installations/${encodeURIComponent(id)}/access_tokens`;
    const { body } = await this.client.call({ method: 'POST', path, bearer: jwt });
    const expires = Date.parse(typeof body['expires_at'] === 'string' ? body['expires_at'] : '');
    return {
      token: textOf(body, 'token'),
      expiresAt: Number.isNaN(expires) ? Date.now() + UNSTATED_LIFE_MS : expires,
    };
  }

  async repositories(
    token: string,
    lister: RepositoryLister,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<CodehostRepository[]> {
    const place = lister === 'user' ? '/user/repos?sort=updated&' : '/installation/repositories?';
    const path = `${place}page=${page}&per_page=${perPage}`;
    const { body } = await this.client.call({ method: 'GET', path, bearer: token });
    return rowsOf(Array.isArray(body) ? body : body['repositories']).map(repositoryOf);
  }
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
