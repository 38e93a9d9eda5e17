import type { ManifestDocument } from '../../domain/connections/app-manifest.js';
import { SandgateError } from '../../domain/errors.js';
import { readAppKey } from '../../platform/codehost/app-jwt.js';
import type { CodeHost, RegisteredApp } from '../../platform/codehost/code-host.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import type { Logger } from '../../platform/telemetry/logger.js';
import { requireSealing } from '../connections/connection-secrets.js';
import { AppFlows, type AppFlowParts, type NamedFlow } from './app-flows.js';
import {
  activateRegistration,
  insertRegistration,
  type AppRegistrationRecord,
  type SealedAppSecrets,
} from './app-registrations.js';

export interface AppParts extends AppFlowParts {
  api: CodeHost;
  log: Pick<Logger, 'info' | 'warn'>;
}

export interface RegistrationForm {
  flowId: string;
  nonce: string;
  action: string;
  manifest: ManifestDocument;
  organization: string | null;
}

/** Why a browser's way through the code host ended; pages and clients are told in our own words. */
export type AppRefusal =
  | 'no_sealing'
  /** No token of ours for this step, expired, used, or of another browser. */
  | 'gone'
  | 'no_cookie'
  | 'no_code'
  | 'host_refused'
  | 'host_failed'
  | 'not_pending';

/** What the code host sent a browser back with. */
export interface AppReturn {
  code: string;
  state: string;
  /** The cookie of the flow of that id; null without one. */
  cookieOf: (flowId: string) => string | null;
}

export type RegistrationOutcome =
  | { registered: true; flowId: string; app: RegisteredApp; events: boolean; goUrl: string }
  | { refusal: AppRefusal };

/** Codes are short; a longer text is not sent on. */
const MAX_CODE_CHARS = 200;

/** Registers an app at the code host from a manifest, through a person's browser (docs/design/code-host-apps.md). */
export class RegisterApp {
  private readonly flows: AppFlows;

  constructor(private readonly parts: AppParts) {
    this.flows = new AppFlows(parts);
  }

  /**
   * A pending registration, and the address at which a person finishes it within the hour.
   *
   * @param organization of the code host that will own the app; null for the person's own account
   * @throws SandgateError `unavailable` without a sealing key
   */
  async start(
    organizationId: string,
    organization: string | null,
  ): Promise<{ registration: AppRegistrationRecord; goUrl: string }> {
    requireSealing(this.parts.sealer);
    const { registration, flow } = await this.parts.database.withTenant(organizationId, async (tx) => {
      const inserted = await insertRegistration(tx, organization);
      return { registration: inserted, flow: await this.flows.start(tx, inserted.id, 'manifest') };
    });
    return { registration, goUrl: await this.flows.goUrl(flow) };
  }

  /** The form that sends a browser to the host with the manifest. */
  async go(boot: string): Promise<RegistrationForm | { refusal: AppRefusal }> {
    if (!this.parts.sealer.available) return { refusal: 'no_sealing' };
    const opened = await this.flows.open(boot, 'manifest');
    if (opened === null) return { refusal: 'gone' };
    const { flowId, nonce, registration, state } = opened;
    const form = this.parts.addresses.manifestForm(registration, state);
    return { ...form, flowId, nonce, organization: registration.target_org };
  }

  /** The host has made the app and sent the browser back with a code for it. */
  async complete({ code, state, cookieOf }: AppReturn): Promise<RegistrationOutcome> {
    if (!this.parts.sealer.available) return { refusal: 'no_sealing' };
    const flow = await this.flows.find(state, 'manifest', 'manifest');
    if (flow === null) return { refusal: 'gone' };
    if (code === '' || code.length > MAX_CODE_CHARS) return { refusal: 'no_code' };
    const nonce = cookieOf(flow.flowId);
    if (nonce === null) return { refusal: 'no_cookie' };
    if (!(await this.flows.finish(flow, nonce))) return { refusal: 'gone' };
    const app = await this.takeOver(flow, code);
    return 'refusal' in app ? app : this.activate(flow, app);
  }

  private async takeOver(flow: NamedFlow, code: string): Promise<RegisteredApp | { refusal: AppRefusal }> {
    try {
      const app = await this.parts.api.registeredApp(code);
      readAppKey(app.privateKey);
      return app;
    } catch (cause) {
      if (!(cause instanceof CodehostError || cause instanceof SandgateError)) throw cause;
      const status = cause instanceof CodehostError ? cause.status : null;
      this.parts.log.warn({ registration: flow.registrationId, status }, 'an app could not be taken over');
      return { refusal: status === 404 || status === 422 ? 'host_refused' : 'host_failed' };
    }
  }

  private async activate(flow: NamedFlow, app: RegisteredApp): Promise<RegistrationOutcome> {
    const secrets = await this.seal(flow, app);
    const install = await this.parts.database.withTenant(flow.organizationId, async (tx) => {
      if (!(await activateRegistration(tx, flow.registrationId, app, secrets))) return null;
      return this.flows.start(tx, flow.registrationId, 'install');
    });
    if (install === null) return { refusal: 'not_pending' };
    this.parts.log.info({ registration: flow.registrationId, app: app.slug }, 'an app was registered');
    const goUrl = await this.flows.goUrl(install);
    return { registered: true, flowId: flow.flowId, app, events: secrets.webhookSecret !== null, goUrl };
  }

  private async seal(flow: NamedFlow, app: RegisteredApp): Promise<SealedAppSecrets> {
    const seal = (column: string, text: string) =>
      this.parts.sealer.seal(
        {
          organizationId: flow.organizationId,
          column: `github_app_registrations.${column}`,
          row: flow.registrationId,
        },
        text,
      );
    // Hosts give a secret to every app, also to one that was to have no webhook.
    const webhookSecret = this.parts.addresses.receivesWebhooks ? app.webhookSecret : null;
    return {
      pem: await seal('pem', app.privateKey),
      clientSecret: await seal('client_secret', app.clientSecret),
      webhookSecret: webhookSecret === null ? null : await seal('webhook_secret', webhookSecret),
    };
  }
}
