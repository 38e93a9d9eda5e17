import { createHash } from 'node:crypto';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import type { TenantTransaction } from '../record/database.js';
import { deploymentOrganization } from './client-registrations.js';
import type { ConnectParts } from './connect-flows.js';
import { findLiveFlow, openFlow, type StoredFlow } from './flow-records.js';
import { openTicket, type GoTicket } from './go-token.js';
import { readOAuthConnection, type OAuthConnectionRow } from './oauth-connections.js';
import { requesterMayConnect, visitorProblem } from './requester.js';

/** What a person reads before they go to the authorization server. */
export interface ConnectQuestion {
  organization: string;
  connection: string;
  /** A personal connection serves its owner alone. */
  personal: boolean;
  serverHost: string;
  issuerHost: string;
  /** Where the browser will be sent. */
  authorizationOrigin: string;
  /** Who asked for the connection; null for the operator. */
  requester: string | null;
  scopes: readonly string[];
}

export type GoRefusal =
  | 'gone'
  | 'connection_gone'
  | 'requester_gone'
  | 'other_person'
  | 'cannot_connect'
  | 'no_sealing'
  | 'not_confirmed'
  | 'other_browser';

/** Why there is nothing to show; `signIn` is the organization where the person has to sign in first. */
export type NotShown = { refusal: GoRefusal } | { signIn: string };
export type Shown = { question: ConnectQuestion; cookie: string } | NotShown;
export type Confirmed = { location: string; cookie: string } | NotShown;

/** What the browser brings. */
export interface GoVisitor {
  /** What an earlier page gave to it. */
  cookie: string | null;
  /** The user whose live session it has; null without one. */
  userId: string | null;
}

interface LiveFlow {
  ticket: GoTicket;
  flow: StoredFlow;
  connection: OAuthConnectionRow;
}

/**
 * The page behind a go_url (docs/design/oauth.md). Whoever gets the link may open it, so it says who asks for what, and nothing begins
 * without a click: the cookie that the callback wants is given to the browser in which somebody clicked, and to no other.
 */
export class GoPage {
  constructor(private readonly parts: ConnectParts) {}

  /** The question, and a cookie that lets this browser answer it. */
  async show(token: string, { cookie, userId }: GoVisitor): Promise<Shown> {
    const live = await this.find(token, userId);
    if (!('flow' in live)) return live;
    const { ticket, flow, connection } = live;
    const people = await this.parts.database.withTenant(ticket.organizationId, (tx) => readPeople(tx, flow));
    // A browser that opened the flow before keeps the cookie that its callback will need.
    const opener = cookie === ticket.browser ? ticket.browser : readerCookie(ticket);
    return { question: { ...describe(flow, connection), ...people }, cookie: opener };
  }

  /** The click. */
  async confirm(token: string, { cookie, userId }: GoVisitor): Promise<Confirmed> {
    const live = await this.find(token, userId);
    if (!('flow' in live)) return live;
    const { ticket, flow } = live;
    const again = cookie === ticket.browser;
    if (!again && cookie !== readerCookie(ticket)) return { refusal: 'not_confirmed' };
    const { database } = this.parts;
    const opened = await database.withTenant(ticket.organizationId, (tx) => openFlow(tx, flow.id, again));
    if (!opened) return { refusal: 'other_browser' };
    return { location: authorizationUrl(flow, ticket.state), cookie: ticket.browser };
  }

  private async find(token: string, userId: string | null): Promise<LiveFlow | NotShown> {
    const { address, database, sealer, requireSession } = this.parts;
    if (!sealer.available) return { refusal: 'no_sealing' };
    if (!address.canConnect) return { refusal: 'cannot_connect' };
    const ticket = await openTicket(sealer, await deploymentOrganization(queries(database)), token);
    if (ticket === null) return { refusal: 'gone' };
    return database.withTenant(ticket.organizationId, async (tx) => {
      const flow = await findLiveFlow(tx, ticket.flowId);
      if (flow === null) return { refusal: 'gone' as const };
      const problem = visitorProblem(flow, userId, requireSession);
      if (problem === 'other_person') return { refusal: problem };
      if (problem === 'signed_out') return { signIn: await slugOf(tx) };
      const connection = await readOAuthConnection(tx, flow.connection_id);
      if (connection === null || connection.status === 'revoked') return { refusal: 'connection_gone' as const };
      if (!(await requesterMayConnect(tx, flow, connection))) return { refusal: 'requester_gone' as const };
      return { ticket, flow, connection };
    });
  }
}

async function slugOf(tx: TenantTransaction): Promise<string> {
  const { slug } = await tx.manager.findOneByOrFail(OrganizationEntity, { id: tx.organizationId });
  return slug;
}

/** Derived from the secret cookie, which cannot be recovered from it: reading the page is not enough to click. */
function readerCookie({ browser }: GoTicket): string {
  return createHash('sha256').update(`reader ${browser}`).digest('base64url');
}

function queries({ pool }: ConnectParts['database']): Pick<TenantTransaction, 'query'> {
  return { query: async <R extends object>(sql: string) => (await pool.query<R>(sql)).rows };
}

function describe(
  flow: StoredFlow,
  connection: OAuthConnectionRow,
): Omit<ConnectQuestion, 'organization' | 'requester'> {
  return {
    connection: connection.displayName,
    personal: connection.personal,
    serverHost: new URL(connection.baseUrl).host,
    issuerHost: new URL(flow.issuer).host,
    authorizationOrigin: new URL(flow.authorization_endpoint).origin,
    scopes: flow.scopes,
  };
}

async function readPeople(
  tx: TenantTransaction,
  flow: StoredFlow,
): Promise<Pick<ConnectQuestion, 'organization' | 'requester'>> {
  const [row] = await tx.query<{ organization: string; requester: string | null }>(
    'select * from svc_name_flow_parties($1)',
    [flow.initiated_by_user_id],
  );
  if (row === undefined) throw new Error('the organization of a flow is not there');
  return row;
}

/** Every parameter is ours or was frozen at the start. */
function authorizationUrl(flow: StoredFlow, state: string): string {
  const url = new URL(flow.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: flow.client_id,
    redirect_uri: flow.redirect_uri,
    state,
    code_challenge: flow.challenge,
    code_challenge_method: 'S256',
    resource: flow.resource,
    ...(flow.scopes.length === 0 ? {} : { scope: flow.scopes.join(' ') }),
    // Without it servers of OpenID Connect leave out the refresh token (OpenID Connect Core §11).
    ...(flow.scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
