import { createHash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { authenticateClient } from '../../platform/oidc/client-authentication.js';
import type { TokenAuthMethod } from './client-authentication.js';
import type { OAuthAnswer, OAuthHttp } from './oauth-http.js';
import { oauthCode, TokenRequestFailed } from './token-request-failed.js';

/** Seconds that a token lives when its server does not say (docs/design/oauth.md). */
const DEFAULT_LIFETIME_SECS = 3600;
const MAX_LIFETIME_SECS = 365 * 86_400;

/** The endpoint and the client. Both were frozen when the flow started, or are stored with the connection. */
export interface TokenClient {
  issuer: string;
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string | null;
  authMethod: TokenAuthMethod;
  resource: string;
}

export interface TokenAnswer {
  accessToken: string;
  expiresInSecs: number;
  refreshToken: string | null;
  /** What was granted; null when the server does not say. */
  scopes: string[] | null;
}

/** The two token legs: form posts to a frozen address, no redirects. */
export class TokenRequests {
  constructor(private readonly http: OAuthHttp) {}

  /**
   * @param callback parameters that `oauth.validateAuthResponse` let through
   * @throws TokenRequestFailed
   */
  exchange(
    client: TokenClient,
    grant: { callback: URLSearchParams; redirectUri: string; verifier: string },
  ): Promise<TokenAnswer> {
    const { as, party, auth } = protocolParties(client);
    return this.post(client, async (options) => {
      const { callback, redirectUri, verifier } = grant;
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        party,
        auth,
        callback,
        redirectUri,
        verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(as, party, response);
    });
  }

  /** @throws TokenRequestFailed */
  refresh(client: TokenClient, refreshToken: string): Promise<TokenAnswer> {
    const { as, party, auth } = protocolParties(client);
    return this.post(client, async (options) => {
      const response = await oauth.refreshTokenGrantRequest(as, party, auth, refreshToken, options);
      return oauth.processRefreshTokenResponse(as, party, response);
    });
  }

  private async post(
    client: TokenClient,
    ask: (options: oauth.TokenEndpointRequestOptions) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<TokenAnswer> {
    let answer: OAuthAnswer | null = null;
    const send = async (
      url: string,
      { headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
    ): Promise<Response> => {
      answer = await this.http.send({ method: 'POST', url, headers, body: body.toString(), redirects: 'refuse' });
      return new Response(answer.text, { status: answer.status, headers: answer.headers });
    };
    try {
      const tokens = await ask({
        additionalParameters: { resource: client.resource },
        [oauth.customFetch]: send,
        // Whether plain http may be spoken is the guarded client's decision alone.
        [oauth.allowInsecureRequests]: true,
      });
      return readTokens(tokens);
    } catch (cause) {
      throw describeFailure(cause, answer);
    }
  }
}

function protocolParties(client: TokenClient): {
  as: oauth.AuthorizationServer;
  party: oauth.Client;
  auth: oauth.ClientAuth;
} {
  return {
    as: { issuer: client.issuer, token_endpoint: client.tokenEndpoint },
    party: { client_id: client.clientId },
    auth: authenticateClient({ method: client.authMethod, secret: client.clientSecret }),
  };
}

function readTokens(tokens: oauth.TokenEndpointResponse): TokenAnswer {
  if (tokens.token_type !== 'bearer') throw new TypeError('the token is not a bearer token');
  if (!isHeaderValue(tokens.access_token)) throw new TypeError('the token cannot stand in a header');
  const lifetime = tokens.expires_in ?? DEFAULT_LIFETIME_SECS;
  return {
    accessToken: tokens.access_token,
    expiresInSecs: Math.min(Math.max(lifetime, 0), MAX_LIFETIME_SECS),
    refreshToken: tokens.refresh_token ?? null,
    scopes: tokens.scope === undefined ? null : tokens.scope.split(' ').filter((scope) => scope !== ''),
  };
}

/** RFC 6750 allows less; what matters is that nothing can end the header line. */
function isHeaderValue(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

function describeFailure(cause: unknown, answer: OAuthAnswer | null): TokenRequestFailed {
  if (answer === null) return new TokenRequestFailed('unreachable', null, null, { cause });
  const digest = `sha256:${createHash('sha256').update(answer.text).digest('hex').slice(0, 16)}`;
  const code = answer.status === 200 ? 'malformed' : oauthCode(answer.text);
  return new TokenRequestFailed(code, answer.status, digest, { cause });
}
