import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import { startApi, type TestApi } from '../api/api.js';
import { createOrganization } from '../runs/run-fixture.js';
import { CLIENT_ID, CLIENT_SECRET, ScriptedProvider } from './scripted-provider.js';

export const WEB = '__Host-svc_web';
export const CSRF = { 'x-service-csrf': '1' };

/** An organization with a provider of its own. */
export interface SignInOrganization {
  id: string;
  slug: string;
  configId: string;
}

/** Columns of a provider's row that a test sets. */
export type ConfigColumns = Record<string, unknown>;

let addresses = 0;

/** An address that nobody had before, so that throttles of other tests do not matter. */
export function newAddress(): string {
  addresses += 1;
  return `198.51.${100 + Math.floor(addresses / 250)}.${addresses % 250}`;
}

/** Cookies of a browser, as far as signing in needs them. */
export class SignInVisitor {
  readonly cookies = new Map<string, string>();

  constructor(
    public url: string,
    public address: string = newAddress(),
  ) {}

  async send(method: string, to: string, headers: Record<string, string> = {}): Promise<Response> {
    const { pathname, search } = new URL(to, this.url);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.url}${pathname}${search}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': this.address,
        accept: 'text/html',
        ...(cookie === '' ? {} : { cookie }),
        ...headers,
      },
    });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  }

  get(to: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.send('GET', to, headers);
  }

  /** Begins a login. @returns where the browser is sent */
  async start(slug: string, redirectTo?: string): Promise<string> {
    const query = redirectTo === undefined ? '' : `?redirect_to=${encodeURIComponent(redirectTo)}`;
    const answer = await this.get(`/v1/auth/login/${slug}/start${query}`);
    if (answer.status !== 302) throw new Error(`start answered ${answer.status}: ${await answer.text()}`);
    return answer.headers.get('location') ?? '';
  }

  get session(): string | undefined {
    return this.cookies.get(WEB);
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/Max-Age=0(;|$)/.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The real API beside a scripted provider. */
export class SignInBench {
  private constructor(
    readonly api: TestApi,
    readonly provider: ScriptedProvider,
    readonly organization: SignInOrganization,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<SignInBench> {
    const provider = await ScriptedProvider.start();
    const api = await startApi({
      SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787',
      SERVICE_TRUST_FORWARDED_FOR: '1',
      ...(process.env['LOGS'] === undefined ? {} : { SERVICE_LOG_LEVEL: 'warn' }),
      SERVICE_KMS_MODE: 'static',
      SERVICE_KMS_STATIC_KEK: randomBytes(32).toString('hex'),
      ...env,
    });
    return new SignInBench(api, provider, await addOrganization(api, provider.url));
  }

  visitor(): SignInVisitor {
    return new SignInVisitor(this.api.url);
  }

  addOrganization(columns: ConfigColumns = {}): Promise<SignInOrganization> {
    return addOrganization(this.api, this.provider.url, columns);
  }

  /** A whole login. @returns the answer of the callback */
  async signIn(visitor = this.visitor(), slug = this.organization.slug, redirectTo?: string): Promise<Response> {
    return visitor.get(this.provider.authorize(await visitor.start(slug, redirectTo)));
  }

  async rows<R extends object>(sql: string, values: unknown[] = []): Promise<R[]> {
    return (await this.api.database.owner.query(sql, values)).rows as R[];
  }

  /** Changes the row of the provider. */
  async configure(columns: ConfigColumns, configId = this.organization.configId): Promise<void> {
    const names = Object.keys(columns);
    const sets = names.map((name, index) => `${name} = $${index + 2}`).join(', ');
    await this.rows(`update org_idp_configs set ${sets} where id = $1`, [
      configId,
      ...names.map((name) => columns[name]),
    ]);
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.provider.close();
  }
}

/** An organization whose people sign in at the provider; its row is written as an operator's request will write it. */
export async function addOrganization(
  api: TestApi,
  issuer: string,
  columns: ConfigColumns = {},
): Promise<SignInOrganization> {
  const { organizationId } = await createOrganization(api.db);
  const configId = await addConfig(api, organizationId, issuer, columns);
  const { rows } = await api.database.owner.query<{ slug: string }>('select slug from tenants where id = $1', [
    organizationId,
  ]);
  return { id: organizationId, slug: rows[0]?.slug ?? '', configId };
}

export async function addConfig(
  api: TestApi,
  organizationId: string,
  issuer: string,
  columns: ConfigColumns = {},
): Promise<string> {
  const id = uuidv7();
  const place = { organizationId, column: 'org_idp_configs.client_secret', row: id };
  const sealer = api.app.get(Sealer);
  const secret = sealer.available ? await sealer.seal(place, CLIENT_SECRET) : null;
  const row: ConfigColumns = {
    id,
    tenant_id: organizationId,
    generation: 1,
    issuer,
    client_id: CLIENT_ID,
    client_secret_sealed: secret?.bytes ?? null,
    client_secret_key_version: secret?.keyVersion ?? 1,
    token_endpoint_auth: secret === null ? 'none' : 'client_secret_basic',
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    alg_allowlist: ['RS256', 'ES256', 'PS256', 'RS384', 'ES384', 'RS512', 'ES512'],
    status: 'active',
    created_by: 'operator',
    ...columns,
  };
  const names = Object.keys(row);
  const sql = `insert into org_idp_configs (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`;
  await api.database.owner.query(
    sql,
    names.map((name) => row[name]),
  );
  return id;
}
