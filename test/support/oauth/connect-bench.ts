import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { canonicalResource } from '../../../src/domain/connections/canonical-resource.js';
import type { ConnectionRecord, OAuthState } from '../../../src/domain/connections/connection.js';
import { ConnectionRecords } from '../../../src/core/connections/connection-records.js';
import { startApi, type Answer, type TestApi } from '../api/api.js';
import type { TestUser } from '../api/users.js';
import { grant, startScriptedIssuer, type ScriptedIssuer } from './scripted-issuer.js';
import { startScriptedMcp, type ScriptedMcp } from './scripted-mcp.js';

export const FLOW_COOKIE = '__Host-svc_oauth_flow';

/** Cookies and pages as a browser has them, as far as connecting needs it. */
export class Visitor {
  cookie: string | null = null;
  /** The browser session's `name=value`. */
  session: string | null = null;

  constructor(private readonly api: TestApi) {}

  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.keep(await fetch(this.local(url), { redirect: 'manual', headers: { ...this.headers(), ...headers } }));
  }

  /** Opens the page and clicks; answers where the browser is sent. */
  async follow(goUrl: string): Promise<URL> {
    const page = await this.get(goUrl);
    if (page.status !== 200) throw new Error(`the page answered ${page.status}: ${await page.text()}`);
    const clicked = await this.click(goUrl);
    const location = clicked.headers.get('location');
    if (location === null) throw new Error(`the click answered ${clicked.status}: ${await clicked.text()}`);
    return new URL(location);
  }

  async click(goUrl: string, headers: Record<string, string> = {}): Promise<Response> {
    const token = new URL(goUrl).searchParams.get('f') ?? '';
    const response = await fetch(this.local('/v1/oauth/go'), {
      method: 'POST',
      redirect: 'manual',
      headers: { ...this.headers(), 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ f: token }).toString(),
    });
    return this.keep(response);
  }

  private headers(): Record<string, string> {
    const flow = this.cookie === null ? [] : [`${FLOW_COOKIE}=${this.cookie}`];
    const cookies = [...flow, ...(this.session === null ? [] : [this.session])];
    return cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  }

  private local(url: string): string {
    const { pathname, search } = new URL(url, this.api.url);
    return `${this.api.url}${pathname}${search}`;
  }

  private keep(response: Response): Response {
    for (const line of response.headers.getSetCookie()) {
      const value = new RegExp(`^${FLOW_COOKIE}=([^;]*)`).exec(line)?.[1];
      if (value !== undefined) this.cookie = value === '' ? null : value;
    }
    return response;
  }
}

/** The real API beside a scripted MCP server and a scripted authorization server. */
export class ConnectBench {
  private readonly metadata: ScriptedIssuer['metadata'];

  private constructor(
    readonly api: TestApi,
    readonly mcp: ScriptedMcp,
    readonly issuer: ScriptedIssuer,
    readonly records: ConnectionRecords,
  ) {
    this.metadata = { ...issuer.metadata };
  }

  static async start(env: Record<string, string> = {}): Promise<ConnectBench> {
    const api = await startApi({
      SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      SERVICE_KMS_MODE: 'static',
      SERVICE_KMS_STATIC_KEK: randomBytes(32).toString('hex'),
      ...env,
    });
    const bench = new ConnectBench(
      api,
      await startScriptedMcp(),
      await startScriptedIssuer(),
      new ConnectionRecords(api.db),
    );
    bench.protect();
    return bench;
  }

  /** The MCP server's metadata names the authorization server, as it should. */
  protect(resource = this.mcp.endpoint): void {
    const path = '/.well-known/oauth-protected-resource/mcp';
    this.mcp.documents.clear();
    this.mcp.documents.set(path, { resource, authorization_servers: [this.issuer.url] });
  }

  /** Both servers as they should be. */
  reset(): void {
    this.issuer.metadata = { ...this.metadata };
    this.issuer.token = () => grant();
    this.issuer.tokenCalls.length = 0;
    this.mcp.accepts = () => true;
    this.mcp.seen.length = 0;
    this.mcp.challenge = null;
    this.protect();
  }

  /** No client is registered; the next one is `client`. */
  async forgetClients(): Promise<void> {
    this.issuer.register = () => ({ status: 201, body: { client_id: 'client' } });
    await this.api.database.owner.query('delete from oauth_client_registrations');
  }

  /** A pending OAuth connection to the MCP server. */
  connection(more: { oauth?: Partial<OAuthState>; owner?: TestUser; url?: string } = {}): Promise<ConnectionRecord> {
    const url = more.url ?? this.mcp.endpoint;
    return this.records.insert(this.api.organizationId, {
      id: uuidv7(),
      provider: 'mcp_http',
      external_account_id: new URL(url).host,
      display_name: 'Scripted tools',
      status: 'pending',
      auth_kind: 'oauth',
      owner_type: more.owner === undefined ? 'organization' : 'user',
      owner_user_id: more.owner?.userId ?? null,
      created_by_user_id: more.owner?.userId ?? null,
      metadata: { base_url: url, endpoint_url: url },
      oauth: { resource: canonicalResource(url), scopes: [], pending_snapshot: { url }, ...more.oauth },
    });
  }

  start(connectionId: string, token?: string): Promise<Answer> {
    const options = token === undefined ? {} : { token };
    return this.api.post(`/v1/connections/${connectionId}/oauth/start`, undefined, options);
  }

  async goUrl(connectionId: string, token?: string): Promise<string> {
    const started = await this.start(connectionId, token);
    if (started.status !== 200) throw new Error(`start answered ${started.status}: ${started.text}`);
    return (started.body as unknown as { go_url: string }).go_url;
  }

  visitor(): Visitor {
    return new Visitor(this.api);
  }

  /** A connection whose flow stands before the authorization server. */
  async opened(): Promise<{ id: string; visitor: Visitor; authorization: URL }> {
    const { id } = await this.connection();
    const visitor = this.visitor();
    return { id, visitor, authorization: await visitor.follow(await this.goUrl(id)) };
  }

  async flowsOf(connectionId: string): Promise<number> {
    const sql = 'select 1 from connector_oauth_flows where connection_id = $1';
    return (await this.api.database.owner.query(sql, [connectionId])).rows.length;
  }

  /** Lets the time of the connection's flows run out. */
  async expire(connectionId: string): Promise<void> {
    const sql = 'update connector_oauth_flows set expires_at = now() where connection_id = $1';
    await this.api.database.owner.query(sql, [connectionId]);
  }

  /** Where a good authorization server sends the browser back to. */
  callback(authorization: URL, more: Record<string, string | null> = {}): string {
    const url = new URL(authorization.searchParams.get('redirect_uri') ?? '');
    const parameters = {
      code: 'code-1',
      state: authorization.searchParams.get('state'),
      iss: this.issuer.metadata['authorization_response_iss_parameter_supported'] === true ? this.issuer.url : null,
      ...more,
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
    return url.href;
  }

  /** From start to the callback's answer. */
  async connect(connectionId: string, visitor = this.visitor()): Promise<Response> {
    return this.visitorAt(await this.goUrl(connectionId), visitor);
  }

  /** From the link to the callback's answer. */
  async visitorAt(goUrl: string, visitor: Visitor): Promise<Response> {
    return visitor.get(this.callback(await visitor.follow(goUrl)));
  }

  async read(connectionId: string): Promise<ConnectionRecord> {
    const found = await this.records.read(this.api.organizationId, connectionId);
    if (found === null) throw new Error('the connection is gone');
    return found;
  }

  async close(): Promise<void> {
    await this.api.close();
    await Promise.all([this.mcp.close(), this.issuer.close()]);
  }
}
