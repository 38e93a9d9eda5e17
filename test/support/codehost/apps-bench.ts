import type { Schemas } from '../../../src/client/client.js';
import type { Answer } from '../api/api.js';
import type { TestUser } from '../api/users.js';
import { AppVisitor, type OpenedForm } from './app-visitor.js';
import { as, CodehostBench } from './codehost-bench.js';
import type { HostedApp } from './rest-api.js';

export type Registration = Schemas['AppRegistrationView'];
export type StartedFlow = Schemas['StartedAppFlow'];
export type SyncedApp = Schemas['SyncedApp'];

const APPS = '/v1/codehost/app';

/** A registration that stands before the code host, in one browser. */
export interface OpenedManifest extends OpenedForm {
  registration: Registration;
  visitor: AppVisitor;
}

/** An app of this deployment, as both sides know it. */
export interface RegisteredApp {
  registration: Registration;
  hosted: HostedApp;
  /** Leads on to its installation. */
  installUrl: string;
}

/** An installation that was begun in one browser. */
export interface OpenedInstall {
  visitor: AppVisitor;
  state: string;
}

/** What people do with apps, over plain HTTP. */
export class AppsBench {
  private constructor(readonly bench: CodehostBench) {}

  static async start(env: Record<string, string> = {}): Promise<AppsBench> {
    return new AppsBench(await CodehostBench.start(env));
  }

  visitor(): AppVisitor {
    return new AppVisitor(this.bench.api);
  }

  post(path: string, body?: object, user: TestUser = this.bench.admin): Promise<Answer> {
    return this.bench.api.post(`${APPS}/${path}`, body, as(user));
  }

  async list(user: TestUser = this.bench.member): Promise<Registration[]> {
    const answer = await this.bench.api.get(APPS, as(user));
    return ok<{ registrations: Registration[] }>(answer).registrations;
  }

  async startManifest(body: object = {}): Promise<StartedFlow> {
    return ok<StartedFlow>(await this.post('manifest/start', body));
  }

  async openManifest(body: object = {}): Promise<OpenedManifest> {
    const { registration, go_url: goUrl } = await this.startManifest(body);
    const visitor = this.visitor();
    return { ...(await visitor.openManifest(goUrl)), registration, visitor };
  }

  /** The address to which the code host sends a browser back, with the code of an app that it has just made. */
  callback(state: string, code = this.bench.rest.registerApp('Sandgate', 'acme')): string {
    return `${APPS}/manifest/callback?${new URLSearchParams({ code, state }).toString()}`;
  }

  /** From start to an active registration. */
  async register(body: object = {}): Promise<RegisteredApp> {
    const { registration, state, visitor } = await this.openManifest(body);
    const page = await (await visitor.get(this.callback(state))).text();
    const installUrl = /<a href="([^"]*)"/.exec(page)?.[1];
    if (installUrl === undefined) throw new Error(page);
    const hosted = this.bench.rest.apps.at(-1);
    const active = (await this.list()).find(({ id }) => id === registration.id);
    if (hosted === undefined || active?.app_id !== String(hosted.id)) throw new Error('the registration is not active');
    return { registration: active, hosted, installUrl };
  }

  async openInstall({ registration }: Pick<RegisteredApp, 'registration'>): Promise<OpenedInstall> {
    const { go_url: goUrl } = ok<StartedFlow>(await this.post(`${registration.id}/install/start`));
    const visitor = this.visitor();
    const page = await visitor.openInstall(goUrl);
    return { visitor, state: page.searchParams.get('state') ?? '' };
  }

  /** The address to which the code host sends a browser once the app is installed. */
  setup({ id }: Pick<Registration, 'id'>, query: Record<string, string>): string {
    return `${APPS}/${id}/setup?${new URLSearchParams({ setup_action: 'install', ...query }).toString()}`;
  }

  /** Installs the app through a browser. */
  async install(app: RegisteredApp, installation: string): Promise<Response> {
    app.hosted.installations.set(installation, { login: 'acme', suspended: false });
    const { visitor, state } = await this.openInstall(app);
    return visitor.get(this.setup(app.registration, { installation_id: installation, state }));
  }

  async sync({ registration }: Pick<RegisteredApp, 'registration'>): Promise<SyncedApp> {
    return ok<SyncedApp>(await this.post(`${registration.id}/sync`));
  }

  /** The connections to one installation, oldest first. */
  async connections(installation: string): Promise<{ id: string; status: string }[]> {
    const { rows } = await this.bench.api.database.owner.query<{ id: string; status: string }>(
      'select id, status from integration_connections where external_account_id = $1 order by created_at',
      [installation],
    );
    return rows;
  }

  /** Flows of a registration that no return has consumed. */
  async openFlows({ id }: Pick<Registration, 'id'>): Promise<number> {
    const sql = 'select 1 from github_app_flows where registration_id = $1 and consumed_at is null';
    return (await this.bench.api.database.owner.query(sql, [id])).rows.length;
  }

  /** Lets the time of a registration's flows run out in the database; their tokens live on. */
  async expire({ id }: Pick<Registration, 'id'>): Promise<void> {
    const sql = 'update github_app_flows set expires_at = now() where registration_id = $1';
    await this.bench.api.database.owner.query(sql, [id]);
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}

function ok<T>(answer: Answer): T {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body as unknown as T;
}
