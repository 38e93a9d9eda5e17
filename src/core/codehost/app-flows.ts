import { createHash, randomBytes } from 'node:crypto';
import { newRowId } from '../../platform/postgres/row-id.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { Database, TenantTransaction } from '../record/database.js';
import type { AppAddresses } from './app-addresses.js';
import type { FlowPurpose } from './app-flow.entity.js';
import { APP_FLOW_TTL_SECS, bindBrowser, consumeAppFlow, insertAppFlow, type FlowKey } from './app-flow-records.js';
import { openFlowTicket, sealFlowTicket, type FlowStep } from './app-flow-token.js';
import { organizationOf, readRegistration, type AppRegistrationRecord } from './app-registrations.js';

export interface AppFlowParts {
  database: Database;
  sealer: Sealer;
  addresses: AppAddresses;
  /** The organization whose key seals what travels through browsers (docs/design/sealing.md). */
  deployment: string;
}

/** A started flow, of which no token was made yet: that is done after the commit. */
export type StartedFlow = FlowKey & { expiresAtMs: number };

/** What a token says, with the organization of the registration that it names. */
export type NamedFlow = StartedFlow & { organizationId: string };

/** The link was opened in a browser, which from now on has the flow. */
export interface OpenedFlow {
  flowId: string;
  registration: AppRegistrationRecord;
  /** Rides through the code host. */
  state: string;
  /** What the flow's cookie in that browser holds. */
  nonce: string;
}

/** Visits of browsers to the code host: our link, the state that comes back, and the one browser that may bring it. */
export class AppFlows {
  constructor(private readonly parts: AppFlowParts) {}

  async start(tx: TenantTransaction, registrationId: string, purpose: FlowPurpose): Promise<StartedFlow> {
    const flow = { flowId: newRowId(), registrationId, purpose };
    await insertAppFlow(tx, flow);
    return { ...flow, expiresAtMs: Date.now() + APP_FLOW_TTL_SECS * 1000 };
  }

  /** The address that a person opens, once. */
  async goUrl(flow: StartedFlow): Promise<string> {
    return this.parts.addresses.goUrl(flow.purpose, await this.seal(flow, 'boot'));
  }

  /** The flow that a token is of; null for a text that is no token of this step, or one that expired. */
  async find(token: string, step: FlowStep, purpose: FlowPurpose): Promise<NamedFlow | null> {
    const { database, deployment, sealer } = this.parts;
    const ticket = await openFlowTicket(sealer, deployment, step, token);
    if (ticket === null) return null;
    const organizationId = await organizationOf(database, ticket.registrationId);
    const { flowId, registrationId, expiresAtMs } = ticket;
    return organizationId === null ? null : { organizationId, flowId, registrationId, purpose, expiresAtMs };
  }

  /**
   * Gives the flow of a link to the browser that opens it, if it is the first and the registration stands where the flow begins.
   *
   * @returns null when the link is none of ours, was opened before, or is over
   */
  async open(boot: string, purpose: FlowPurpose): Promise<OpenedFlow | null> {
    const flow = await this.find(boot, 'boot', purpose);
    if (flow === null) return null;
    const nonce = randomBytes(32).toString('base64url');
    const registration = await this.parts.database.withTenant(flow.organizationId, async (tx) => {
      const found = await readRegistration(tx, flow.registrationId);
      if (found?.status !== BEGINS[purpose]) return null;
      return (await bindBrowser(tx, flow, hash(nonce))) ? found : null;
    });
    if (registration === null) return null;
    return { flowId: flow.flowId, registration, nonce, state: await this.seal(flow, purpose) };
  }

  /** The end of a flow, for the browser that opened it; whoever else tries leaves it as it is. */
  async finish(flow: NamedFlow, nonce: string): Promise<boolean> {
    return this.parts.database.withTenant(flow.organizationId, (tx) => consumeAppFlow(tx, flow, hash(nonce)));
  }

  private seal({ flowId, registrationId, expiresAtMs }: StartedFlow, step: FlowStep): Promise<string> {
    const { deployment, sealer } = this.parts;
    return sealFlowTicket(sealer, deployment, { step, flowId, registrationId, expiresAtMs });
  }
}

/** The status of the registration with which a flow may begin. */
const BEGINS = { manifest: 'pending', install: 'active' } as const;

function hash(nonce: string): string {
  return createHash('sha256').update(nonce).digest('hex');
}
