import { v7 as uuidv7 } from 'uuid';
import type { Answer, TestApi } from '../api/api.js';
import type { TestUser } from '../api/users.js';
import { startConnectionsApi } from '../connections/connections-api.js';
import { CodeHost } from './code-host.js';
import { AppPages } from './app-pages.js';
import { RestApi, type HostedApp } from './rest-api.js';

/** A personal token that the code host knows. */
export const TOKEN = 'ghp_personal0123456789';

export const as = (user: TestUser) => ({ token: user.token });

/** The real API beside a code host with one account and one app. */
export class CodehostBench {
  private constructor(
    readonly host: CodeHost,
    readonly rest: RestApi,
    readonly pages: AppPages,
    readonly app: HostedApp,
    readonly api: TestApi,
    readonly admin: TestUser,
    readonly member: TestUser,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<CodehostBench> {
    const host = await CodeHost.start({ names: ['code.test'] });
    const rest = new RestApi(host.tokens);
    const pages = new AppPages(rest);
    host.interfere = [rest.serve, pages.serve];
    rest.addAccount(TOKEN, { id: 4711, login: 'octo', scopes: 'repo, read:org' });
    const app = rest.addApp(99, 'sandgate-acme', {
      '501': { login: 'acme', suspended: false },
      '502': { login: 'acme', suspended: true },
      '503': { login: 'acme', suspended: false },
      '504': { login: 'acme', suspended: false },
    });
    const api = await startConnectionsApi({
      SERVICE_CODEHOST_API_URL: `${host.url()}/api`,
      SERVICE_CODEHOST_WEB_URL: host.url(),
      SERVICE_CODEHOST_CLONE_BASE: host.url(),
      SERVICE_CODEHOST_CA: host.certificate,
      ...env,
    });
    return new CodehostBench(host, rest, pages, app, api, await api.addUser('admin'), await api.addUser('member'));
  }

  /** Forgets what was asked, and answers as it should. */
  reset(): void {
    this.host.requests.length = 0;
    this.rest.failWith = null;
    this.rest.conversion = {};
    this.rest.tokenLifeMs = 60 * 60 * 1000;
  }

  create(body: object, user: TestUser = this.admin): Promise<Answer> {
    return this.api.post('/v1/connections', body, as(user));
  }

  /** The body that connects an installation of the app. */
  appBody(more: object = {}): object {
    return {
      provider: 'codehost_app',
      app_id: '99',
      installation_id: '501',
      private_key: this.app.privateKey,
      webhook_secret: 'whsec-canary',
      ...more,
    };
  }

  async count(): Promise<number | null> {
    const { rowCount } = await this.api.database.owner.query('select from integration_connections');
    return rowCount;
  }

  /** A connection that has nothing to do with the code host. */
  async insertMcp(): Promise<string> {
    const id = uuidv7();
    await this.api.database.owner.query(
      `insert into integration_connections (id, tenant_id, provider, external_account_id, display_name, status, auth_kind, owner_type)
       values ($1, $2, 'mcp_http', 'mcp.test', 'mail', 'active', 'static', 'organization')`,
      [id, this.api.organizationId],
    );
    return id;
  }

  /** @throws Error when something that was asked or answered is not as GitHub describes its API */
  async close(): Promise<void> {
    await this.api.close();
    await this.host.stop();
    if (this.rest.faults.length > 0) throw new Error(this.rest.faults.join('\n'));
  }
}
