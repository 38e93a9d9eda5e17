import { AuthorizationResponseError, validateAuthResponse } from 'oauth4webapi';
import { SandgateError } from '../../domain/errors.js';
import { markReconnectNeeded } from '../connections/connection-rows.js';
import type { Logger } from '../../platform/telemetry/logger.js';
import type { AccessTokens } from './access-tokens.js';
import { activate, type Activated } from './activation.js';
import { forgetRefusedClient } from './client-registrations.js';
import { clientSecretOf } from './client-secrets.js';
import { hash, type ConnectParts } from './connect-flows.js';
import { claimFlow, readClaimedFlow, type ClaimedFlow } from './flow-records.js';
import { readOAuthConnection, type OAuthConnectionRow } from './oauth-connections.js';
import { requesterMayConnect, visitorProblem, type VisitorProblem } from './requester.js';
import { listedCode, TokenRequestFailed } from './token-request-failed.js';
import type { TokenAnswer, TokenClient, TokenRequests } from './token-requests.js';

/** The outcome of the snapshot after an activation. */
export interface TakenSnapshot {
  version: number;
  tools: number;
}

export interface CallbackParts extends ConnectParts {
  requests: TokenRequests;
  tokens: AccessTokens;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Takes a snapshot of the connection that was just activated. */
  takeSnapshot(organizationId: string, connectionId: string): Promise<TakenSnapshot>;
}

/** Why a callback did not connect; pages and clients are told in our own words (docs/design/oauth.md). */
export type CallbackRefusal =
  | 'no_sealing'
  | 'cannot_connect'
  | 'no_cookie'
  | 'no_state'
  | 'other_browser'
  | 'gone'
  | 'other_issuer'
  | 'denied'
  | 'connection_gone'
  | 'requester_gone'
  | VisitorProblem
  | 'superseded'
  | 'no_code'
  | 'exchange_failed'
  | 'client_unknown'
  | 'no_refresh_token'
  | 'snapshot_failed';

export type CallbackOutcome =
  | { connected: true; displayName: string; snapshot: TakenSnapshot }
  | { connected: false; refusal: CallbackRefusal; flowEnded: boolean };

/** The browser's request. */
export interface CallbackRequest {
  /** The query as it came. */
  parameters: URLSearchParams;
  /** The address that was called, without its query. */
  redirectUri: string;
  /** Of the flow's cookie; null without one. */
  cookie: string | null;
  /** The user whose live session the browser has; null without one. */
  userId: string | null;
}

/** A refusal on the way; the flow is consumed by then. */
class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly refusal: CallbackRefusal) {
    super(refusal);
  }
}

/** The end of connecting: an authorization server sent the person back. */
export class ConnectCallback {
  constructor(private readonly parts: CallbackParts) {}

  async complete(request: CallbackRequest): Promise<CallbackOutcome> {
    const { address, database, sealer } = this.parts;
    if (!sealer.available) return kept('no_sealing');
    if (!address.canConnect) return kept('cannot_connect');
    if (request.cookie === null) return kept('no_cookie');
    const [state, ...others] = request.parameters.getAll('state');
    if (state === undefined || state === '' || others.length > 0) return kept('no_state');
    const claim = await claimFlow(database, hash(state), hash(request.cookie));
    if (claim.outcome === 'other_browser') return kept('other_browser');
    if (claim.outcome === 'gone') return { connected: false, refusal: 'gone', flowEnded: false };
    try {
      return await this.finish(claim.organizationId, claim.flowId, state, request);
    } catch (cause) {
      if (!(cause instanceof Refused)) throw cause;
      return { connected: false, refusal: cause.refusal, flowEnded: true };
    }
  }

  private async finish(
    organizationId: string,
    flowId: string,
    state: string,
    request: CallbackRequest,
  ): Promise<CallbackOutcome> {
    const { database } = this.parts;
    const { flow, connection, permitted } = await database.withTenant(organizationId, async (tx) => {
      const claimed = await readClaimedFlow(tx, flowId);
      const found = await readOAuthConnection(tx, claimed.connection_id);
      const may = found !== null && (await requesterMayConnect(tx, claimed, found));
      return { flow: claimed, connection: found, permitted: may };
    });
    const callback = this.validate(flow, state, request);
    if (connection === null || connection.status === 'revoked') throw new Refused('connection_gone');
    if (!permitted) throw new Refused('requester_gone');
    const problem = visitorProblem(flow, request.userId, this.parts.requireSession);
    if (problem !== null) throw new Refused(problem);
    if (flow.superseded) throw new Refused('superseded');
    if ((callback.get('code') ?? '') === '') throw new Refused('no_code');
    const answer = await this.exchange(organizationId, flow, connection, callback);
    const activated = await activate(this.parts, organizationId, flow, answer);
    if (activated === null) throw new Refused('superseded');
    this.keepToken(connection.id, activated, answer);
    const snapshot = await this.takeSnapshot(organizationId, activated);
    return { connected: true, displayName: connection.displayName, snapshot };
  }

  /**
   * That the answer is this server's: by the `iss` that it carries (RFC 9207), and by the address that it came to, which a server
   * that names no issuer does not share (RFC 9700 §4.4).
   */
  private validate(flow: ClaimedFlow, state: string, request: CallbackRequest): URLSearchParams {
    const server = { issuer: flow.issuer, authorization_response_iss_parameter_supported: flow.iss_required };
    if (request.redirectUri !== flow.redirect_uri) {
      this.parts.log.warn(
        { flow: flow.id },
        'the answer to a connect flow came to the address of another authorization server',
      );
      throw new Refused('other_issuer');
    }
    try {
      return validateAuthResponse(server, { client_id: flow.client_id }, request.parameters, state);
    } catch (cause) {
      if (cause instanceof AuthorizationResponseError) {
        this.parts.log.info(
          { flow: flow.id, code: listedCode(cause.error) },
          'a connect flow was refused by the authorization server',
        );
        throw new Refused('denied');
      }
      this.parts.log.warn(
        { flow: flow.id },
        'the answer to a connect flow is not of the authorization server that was asked',
      );
      throw new Refused('other_issuer');
    }
  }

  private async exchange(
    organizationId: string,
    flow: ClaimedFlow,
    connection: OAuthConnectionRow,
    callback: URLSearchParams,
  ): Promise<TokenAnswer & { refreshToken: string }> {
    const { client, verifier } = await this.open(organizationId, flow, connection);
    try {
      const answer = await this.parts.requests.exchange(client, { callback, redirectUri: flow.redirect_uri, verifier });
      if (answer.refreshToken === null) throw new Refused('no_refresh_token');
      return { ...answer, refreshToken: answer.refreshToken };
    } catch (cause) {
      if (!(cause instanceof TokenRequestFailed)) throw cause;
      this.parts.log.warn({ flow: flow.id, ...cause.facts }, 'the code of a connect flow could not be exchanged');
      if (cause.code !== 'invalid_client') throw new Refused('exchange_failed');
      await this.forgetClient(organizationId, flow);
      throw new Refused('client_unknown');
    }
  }

  private open(
    organizationId: string,
    flow: ClaimedFlow,
    connection: OAuthConnectionRow,
  ): Promise<{ client: TokenClient; verifier: string }> {
    const { database, sealer } = this.parts;
    return database.withTenant(organizationId, async (tx) => {
      const place = { organizationId, column: 'connector_oauth_flows.pkce_verifier', row: flow.id };
      const verifier = await sealer.open(place, flow.pkce_verifier_sealed, flow.pkce_verifier_key_version);
      const secret = await clientSecretOf(tx, sealer, {
        connectionId: connection.id,
        clientSecret: connection.clientSecret,
        registrationId: flow.client_registration_id,
        authMethod: flow.token_endpoint_auth_method,
      });
      const client = {
        issuer: flow.issuer,
        tokenEndpoint: flow.token_endpoint,
        clientId: flow.client_id,
        resource: flow.resource,
        ...secret,
      };
      return { client, verifier: verifier.toString('utf8') };
    });
  }

  /** The code is never tried again. */
  private forgetClient(organizationId: string, flow: ClaimedFlow): Promise<void> {
    const { client_id_source: source, client_registration_id: registrationId, client_id: clientId } = flow;
    return this.parts.database.withTenant(organizationId, (tx) =>
      forgetRefusedClient(tx, { source, registrationId, clientId }),
    );
  }

  private keepToken(connectionId: string, activated: Activated, answer: TokenAnswer): void {
    const expiresAtMs = Date.now() + answer.expiresInSecs * 1000;
    this.parts.tokens.remember(connectionId, activated.generation, { token: answer.accessToken, expiresAtMs });
  }

  /** Called without holding a lock. A connection whose tools cannot be read is visibly incomplete (docs/design/connections.md). */
  private async takeSnapshot(organizationId: string, activated: Activated): Promise<TakenSnapshot> {
    try {
      return await this.parts.takeSnapshot(organizationId, activated.id);
    } catch (cause) {
      const code = cause instanceof SandgateError ? cause.code : 'internal';
      this.parts.log.warn({ connection: activated.id, code }, 'the tools of a connection could not be read');
      const note = 'the tools of the server could not be read after it was authorized — connect it again';
      await this.parts.database.withTenant(organizationId, (tx) => markReconnectNeeded(tx, activated, note));
      if (!(cause instanceof SandgateError)) throw cause;
      throw new Refused('snapshot_failed');
    }
  }
}

function kept(refusal: CallbackRefusal): CallbackOutcome {
  return { connected: false, refusal, flowEnded: false };
}
