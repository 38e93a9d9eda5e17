import { readRedirectTarget } from '../../../domain/identity/redirect-target.js';
import { SandgateError } from '../../../domain/errors.js';
import { authorizationAddress } from '../../../platform/oidc/code-exchange.js';
import { isProviderAddress } from '../../../platform/oidc/oidc-http.js';
import { newRowId } from '../../../platform/postgres/row-id.js';
import { findOrganization, isSlug } from '../../organizations/organizations.js';
import type { IdpConfigEntity } from '../idp-config.entity.js';
import { chargeLoginThrottle, tooManyLogins } from '../login-throttles.js';
import type { KnownProvider } from './kept-providers.js';
import { LOGIN_TTL_SECS, openLoginFlow, placeOfVerifier } from './login-flows.js';
import { sealState } from './login-state.js';
import { findActiveConfig } from './relying-party.js';
import { callbackAddress, digestOf, factsOf, randomSecret, type SignInParts } from './sign-in-parts.js';

const DEFAULT_SCOPE = 'openid email profile';

export interface LoginRequest {
  slug: string;
  /** As it came, so it may be no text; empty is `/`. */
  redirectTo: unknown;
  sourceIp: string;
}

/** A login that was begun in a browser, which is sent to the provider with a cookie of the login. */
export interface StartedLogin {
  location: string;
  flowId: string;
  cookie: string;
}

/** The beginning of signing in (CP-266). */
export class StartLogin {
  constructor(private readonly parts: SignInParts) {}

  /**
   * @returns null where nobody can sign in, whatever the reason: callers cannot tell an organization that is unknown or suspended
   * from one whose provider is missing or dead
   * @throws SandgateError `rate_limited`, and `invalid_request` for a bad `redirect_to`
   */
  async start(request: LoginRequest): Promise<StartedLogin | null> {
    await chargeLoginThrottle(this.parts.database.pool, 'start-ip', request.sourceIp);
    try {
      return await this.begin(request);
    } catch (cause) {
      const isAnswer = cause instanceof SandgateError && ['rate_limited', 'invalid_request'].includes(cause.code);
      if (isAnswer) throw cause;
      this.parts.log.warn(factsOf(cause), 'nobody can sign in to an organization');
      return null;
    }
  }

  private async begin({ slug, redirectTo }: LoginRequest): Promise<StartedLogin | null> {
    const { database, sealer, providers, origin } = this.parts;
    if (!sealer.available || !isSlug(slug)) return null;
    // By its name, whether there is one or not: the limit must not tell which organizations exist.
    await chargeLoginThrottle(database.pool, 'start-org', slug);
    const organization = await findOrganization(database, slug);
    if (organization?.status !== 'active') return null;
    const config = await database.withTenant(organization.id, findActiveConfig);
    if (config === null) return null;
    const known = await providers.usable(config);
    // Browsers keep our cookies over https, and over plain http on the machine itself.
    if (!isProviderAddress(new URL(origin))) return null;
    const target = typeof redirectTo === 'string' ? readRedirectTarget(redirectTo) : null;
    if (target === null) throw new SandgateError('invalid_request', 'redirect_to: must be a path on this server');
    return this.open(config, known, target);
  }

  private async open(config: IdpConfigEntity, { provider }: KnownProvider, redirectTo: string): Promise<StartedLogin> {
    const { database, sealer, origin, deployment } = this.parts;
    const [flowId, verifier, nonce, cookie] = [newRowId(), randomSecret(), randomSecret(), randomSecret()];
    const sealed = await sealer.seal(placeOfVerifier(config.tenant_id, flowId), verifier);
    const flow = {
      id: flowId,
      configId: config.id,
      verifier: sealed,
      nonce,
      browserHash: digestOf(cookie),
      redirectTo,
    };
    const opened = await database.withTenant(config.tenant_id, (tx) => openLoginFlow(tx, flow));
    if (!opened) throw tooManyLogins();
    const state = await sealState(sealer, deployment, {
      flowId,
      organizationId: config.tenant_id,
      configId: config.id,
      expiresAtMs: Date.now() + LOGIN_TTL_SECS * 1000,
    });
    const location = await authorizationAddress(
      { provider, clientId: config.client_id },
      { redirectUri: callbackAddress(origin), scope: scopeOf(config.scopes), state, nonce, verifier },
    );
    return { location, flowId, cookie };
  }
}

/** Nothing is done while a person is away, so no refresh token is asked for. */
function scopeOf(scopes: readonly string[]): string {
  return scopes.filter((scope) => scope !== 'offline_access').join(' ') || DEFAULT_SCOPE;
}
