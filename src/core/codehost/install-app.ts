import type { ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import { notFound } from '../../domain/resource-id.js';
import type { CodehostInstallation } from '../../platform/codehost/code-host.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import type { ConnectionCaches } from '../connections/connection-caches.js';
import { requireSealing } from '../connections/connection-secrets.js';
import { AppFlows, type NamedFlow } from './app-flows.js';
import { readRegistration, type AppRegistrationRecord } from './app-registrations.js';
import type { CodehostTokens } from './codehost-tokens.js';
import { connectInstallation, type ConnectedApp, type InstallationRefusal } from './connect-installation.js';
import type { AppParts, AppRefusal } from './register-app.js';

export interface InstallParts extends AppParts {
  tokens: Pick<CodehostTokens, 'registrationJwt'>;
  caches: ConnectionCaches;
}

/** What the code host sent a browser back with, to the address of one registration. */
export interface SetupReturn {
  registrationId: string;
  installationId: string;
  state: string;
  /** The cookie of the flow of that id; null without one. */
  cookieOf: (flowId: string) => string | null;
}

export type SetupRefusal =
  | Exclude<AppRefusal, 'no_cookie' | 'no_code' | 'not_pending'>
  | 'foreign'
  | 'bad_installation'
  | 'unknown_installation'
  | InstallationRefusal;

export type SetupOutcome =
  | { connection: ConnectionRecord; flowId: string; events: boolean }
  /** Nobody of ours began this, as after a change of the installation on the host's own pages: nothing is done. */
  | { guidance: true }
  | { refusal: SetupRefusal };

/** Installs a registered app, through a person's browser (docs/design/code-host-apps.md). */
export class InstallApp {
  private readonly flows: AppFlows;

  constructor(private readonly parts: InstallParts) {
    this.flows = new AppFlows(parts);
  }

  /** @throws SandgateError `not_found`, `conflict` when the registration is not active, `unavailable` without a sealing key */
  async start(
    organizationId: string,
    registrationId: string,
  ): Promise<{ registration: AppRegistrationRecord; goUrl: string }> {
    requireSealing(this.parts.sealer);
    const { registration, flow } = await this.parts.database.withTenant(organizationId, async (tx) => {
      const found = await readRegistration(tx, registrationId);
      if (found === null) throw notFound('app registration');
      if (found.status !== 'active') throw new SandgateError('conflict', `the app registration is ${found.status}`);
      return { registration: found, flow: await this.flows.start(tx, found.id, 'install') };
    });
    return { registration, goUrl: await this.flows.goUrl(flow) };
  }

  /** Where the host lets the person install the app. */
  async go(boot: string): Promise<{ location: string; flowId: string; nonce: string } | { refusal: AppRefusal }> {
    if (!this.parts.sealer.available) return { refusal: 'no_sealing' };
    const opened = await this.flows.open(boot, 'install');
    if (opened?.registration.slug == null) return { refusal: 'gone' };
    const { flowId, nonce, state } = opened;
    return { location: this.parts.addresses.installPage(opened.registration.slug, state), flowId, nonce };
  }

  /** The host says that the app was installed. Its word counts only for the browser that we sent there, and is checked. */
  async complete({ registrationId, installationId, state, cookieOf }: SetupReturn): Promise<SetupOutcome> {
    if (!this.parts.sealer.available) return { refusal: 'no_sealing' };
    const flow = await this.flows.find(state, 'install', 'install');
    if (flow === null) return { guidance: true };
    if (flow.registrationId !== registrationId) return { refusal: 'foreign' };
    const nonce = cookieOf(flow.flowId);
    if (nonce === null) return { guidance: true };
    if (!/^\d{1,20}$/.test(installationId)) return { refusal: 'bad_installation' };
    if (!(await this.flows.finish(flow, nonce))) return { refusal: 'gone' };
    return this.connect(flow, installationId);
  }

  private async connect(flow: NamedFlow, installationId: string): Promise<SetupOutcome> {
    const { organizationId, registrationId } = flow;
    const { database, caches } = this.parts;
    const registration = await database.withTenant(organizationId, (tx) => readRegistration(tx, registrationId));
    const app = registration && connectedApp(registration);
    if (registration === null || app === null) return { refusal: 'registration_inactive' };
    const installation = await this.verify(organizationId, app, installationId);
    if ('refusal' in installation) return installation;
    const outcome = await database.withTenant(organizationId, (tx) =>
      connectInstallation(tx, app, installation, { via: 'setup' }),
    );
    if (outcome.outcome === 'refused') return { refusal: outcome.reason };
    caches.evict(outcome.connection.id);
    return { connection: outcome.connection, flowId: flow.flowId, events: registration.has_webhook_secret };
  }

  /** Asks the host under the app's own key: the id came through a browser. */
  private async verify(
    organizationId: string,
    app: ConnectedApp,
    id: string,
  ): Promise<CodehostInstallation | { refusal: SetupRefusal }> {
    try {
      const jwt = await this.parts.tokens.registrationJwt(organizationId, app.registrationId);
      const installation = await this.parts.api.installation(jwt, id);
      const isOurs = installation.id === id && installation.appId === app.appId;
      return isOurs ? installation : { refusal: 'unknown_installation' };
    } catch (cause) {
      if (cause instanceof SandgateError && cause.code === 'conflict') return { refusal: 'registration_inactive' };
      if (!(cause instanceof CodehostError)) throw cause;
      const { status } = cause;
      this.parts.log.warn({ registration: app.registrationId, status }, 'an installation could not be verified');
      if (status === 404) return { refusal: 'unknown_installation' };
      return { refusal: status === 401 || status === 403 ? 'host_refused' : 'host_failed' };
    }
  }
}

/** The app of a registration; null unless that is active. */
export function connectedApp({ id, status, app_id: appId, slug }: AppRegistrationRecord): ConnectedApp | null {
  return status !== 'active' || appId === null || slug === null ? null : { registrationId: id, appId, slug };
}
