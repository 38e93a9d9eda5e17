import { mapClaims, readClaimMapping, ClaimRefused } from '../../../domain/identity/claim-mapping.js';
import { checkIdToken, IdTokenRefused } from '../../../domain/identity/id-token.js';
import { exchangeCode } from '../../../platform/oidc/code-exchange.js';
import { OidcError } from '../../../platform/oidc/oidc-error.js';
import { chargeLoginThrottle } from '../login-throttles.js';
import { findWebSession, type LiveSession } from '../web-sessions.js';
import { claimLoginFlow, type ClaimedLogin } from './login-flows.js';
import { openState, type LoginState } from './login-state.js';
import { provision, ProvisioningRefused, type Provisioned } from './provision.js';
import { findConfig, relyingParty } from './relying-party.js';
import { callbackAddress, digestOf, factsOf, type SignInParts } from './sign-in-parts.js';
import type { VerifiedLogin, Visit } from './verified-login.js';
import { verifyIdToken } from './verify-id-token.js';

/** Why a callback did not sign anybody in; people are told in our own words. */
export type LoginRefusal =
  | 'no_sealing'
  | 'no_state'
  | 'other_browser'
  | 'provider_error'
  | 'no_code'
  | 'gone'
  | 'not_active'
  | 'exchange_failed'
  | 'token_refused'
  | 'claims_refused'
  | 'email_unverified'
  | 'deactivated';

export type LoginOutcome =
  | {
      refusal: LoginRefusal;
      /** What the provider said, to be escaped. */ said?: string;
      /** The login of this cookie is over. */ endedFlow?: string;
    }
  | (Provisioned & { flowId: string });

/** The request of a browser that comes back from a provider. */
export interface LoginCallback extends Visit {
  /** The query as it came. */
  parameters: URLSearchParams;
  /** Reads the cookie of a login; null when there is none, or several. */
  loginCookie: (flowId: string) => string | null;
  /** The browser's session token; null without one. */
  webToken: string | null;
}

const MAX_SAID_CHARS = 300;

/** The end of signing in: a provider sent the person back (CP-281). */
export class FinishLogin {
  constructor(private readonly parts: SignInParts) {}

  /** @throws SandgateError `rate_limited` */
  async complete(callback: LoginCallback): Promise<LoginOutcome> {
    const { database, sealer, deployment } = this.parts;
    const address = callback.sourceIp ?? 'unknown';
    await chargeLoginThrottle(database.pool, 'callback-ip', address);
    if (!sealer.available) return { refusal: 'no_sealing' };
    const sealed = only(callback.parameters, 'state');
    const state = sealed === null ? null : await openState(sealer, deployment, sealed);
    if (state === null) return { refusal: 'no_state' };
    await chargeLoginThrottle(database.pool, 'callback-org', state.organizationId);
    const cookie = callback.loginCookie(state.flowId);
    if (cookie === null) return { refusal: 'other_browser' };
    const said = describeError(callback.parameters);
    if (said !== null) return { refusal: 'provider_error', said };
    if (only(callback.parameters, 'code') === null) return { refusal: 'no_code' };
    const flow = await claimLoginFlow(this.parts, state, digestOf(cookie));
    if (flow === null) return { refusal: 'gone' };
    return this.finish(callback, state, flow);
  }

  /** The login is spent from here on, whatever comes. */
  private async finish(callback: LoginCallback, state: LoginState, flow: ClaimedLogin): Promise<LoginOutcome> {
    try {
      const login = await this.verify(callback, state, flow);
      const { webToken } = callback;
      const held = webToken === null ? null : await this.sessionOf(webToken);
      const made = await provision(this.parts, state, login, { visit: callback, held });
      return { ...made, flowId: state.flowId };
    } catch (cause) {
      const refusal = refusalOf(cause);
      if (refusal === null) throw cause;
      this.parts.log.warn({ refusal, organization: state.organizationId, ...factsOf(cause) }, 'a login was refused');
      return { refusal, endedFlow: state.flowId };
    }
  }

  private sessionOf(token: string): Promise<LiveSession | null> {
    return findWebSession(this.parts.database.pool, token, this.parts.windows);
  }

  /** What the provider proves of the person. No transaction is open while it is asked. */
  private async verify(callback: LoginCallback, state: LoginState, flow: ClaimedLogin): Promise<VerifiedLogin> {
    const { database, sealer, http, providers, origin, skewSecs } = this.parts;
    const config = await database.withTenant(state.organizationId, (tx) => findConfig(tx, state.configId));
    if (config === null) throw new ProvisioningRefused('not_active');
    const known = await providers.usable(config);
    const party = await database.withTenant(state.organizationId, (tx) =>
      relyingParty(tx, sealer, config, { provider: known.provider, skewSecs }),
    );
    const address = new URL(`${callbackAddress(origin)}?${callback.parameters.toString()}`);
    const tokens = await exchangeCode(http, party, address, {
      state: only(callback.parameters, 'state') ?? '',
      nonce: flow.nonce,
      verifier: flow.verifier,
    });
    const { head, claims } = await verifyIdToken(providers, config, known, tokens.idToken);
    const checked = checkIdToken(claims, {
      issuer: config.issuer,
      clientId: config.client_id,
      nonce: flow.nonce,
      alg: head.alg,
      accessToken: tokens.accessToken,
      flowCreatedSecs: flow.createdSecs,
      nowSecs: Date.now() / 1000,
      skewSecs,
    });
    const mapping = readClaimMapping(config.claim_mappings);
    const person = readPerson(claims, mapping);
    return { checked, person, idToken: tokens.idToken, redirectTo: flow.redirectTo };
  }
}

/** The claim of the verified address is the one that people can do something about. */
function readPerson(...[claims, mapping]: Parameters<typeof mapClaims>): ReturnType<typeof mapClaims> {
  try {
    return mapClaims(claims, mapping);
  } catch (cause) {
    const isUnverified = cause instanceof ClaimRefused && cause.claim === mapping.email_verified;
    throw isUnverified ? new ProvisioningRefused('email_unverified', { cause }) : cause;
  }
}

/** Null for a failure of ours. */
function refusalOf(cause: unknown): LoginRefusal | null {
  if (cause instanceof ProvisioningRefused) return cause.refusal;
  if (cause instanceof IdTokenRefused) return 'token_refused';
  if (cause instanceof ClaimRefused) return 'claims_refused';
  if (!(cause instanceof OidcError)) return null;
  return ['id_token', 'no_key', 'signature'].includes(cause.reason) ? 'token_refused' : 'exchange_failed';
}

/** A parameter that is there once; of several nobody knows which one counts. */
function only(parameters: URLSearchParams, name: string): string | null {
  const [value = '', ...more] = parameters.getAll(name);
  return value === '' || more.length > 0 ? null : value;
}

function describeError(parameters: URLSearchParams): string | null {
  const error = parameters.get('error');
  if (error === null) return null;
  const description = parameters.get('error_description');
  return (description === null ? error : `${error}: ${description}`).slice(0, MAX_SAID_CHARS);
}
