import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  Configuration,
  customFetch,
} from 'openid-client';
import type { SigningAlgorithm } from '../../domain/identity/signing-keys.js';
import { authenticateClient, type ClientProof } from './client-authentication.js';
import type { OidcHttp } from './oidc-http.js';
import { OidcError } from './oidc-error.js';
import type { Provider } from './provider.js';

/** Us, as the provider knows us. */
export interface RelyingParty {
  provider: Provider;
  clientId: string;
  proof: ClientProof;
  algorithms: readonly SigningAlgorithm[];
  skewSecs: number;
}

/** Where a browser goes to sign in; the parameters are the closed list of docs/design/identity.md. */
export async function authorizationAddress(
  party: Pick<RelyingParty, 'provider' | 'clientId'>,
  asked: { redirectUri: string; scope: string; state: string; nonce: string; verifier: string },
): Promise<string> {
  const { provider, clientId } = party;
  const server = { issuer: provider.issuer, authorization_endpoint: provider.authorizationEndpoint };
  const url = buildAuthorizationUrl(configure(server, clientId), {
    response_type: 'code',
    redirect_uri: asked.redirectUri,
    scope: asked.scope,
    state: asked.state,
    nonce: asked.nonce,
    code_challenge: await calculatePKCECodeChallenge(asked.verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

/** The tokens of an exchange; a refresh token is dropped. */
export interface ExchangedTokens {
  idToken: string;
  accessToken: string;
}

/**
 * Exchanges the code of a callback. What the library checks of the ID token is checked; its signature and the closed list of rules
 * are the caller's (`checkIdToken`).
 *
 * @param callback the redirect address with the parameters that came
 * @throws OidcError `unreachable` or `exchange`
 */
export async function exchangeCode(
  http: OidcHttp,
  party: RelyingParty,
  callback: URL,
  expected: { state: string; nonce: string; verifier: string },
): Promise<ExchangedTokens> {
  const config = exchanging(party);
  let failure: unknown = null;
  config[customFetch] = (url, { headers, body }) =>
    http
      .send({
        method: 'POST',
        url,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : '',
        redirects: 'refuse',
      })
      .catch((cause: unknown) => {
        failure = cause;
        throw cause;
      });
  try {
    const tokens = await authorizationCodeGrant(config, callback, {
      expectedState: expected.state,
      expectedNonce: expected.nonce,
      pkceCodeVerifier: expected.verifier,
      idTokenExpected: true,
    });
    if (tokens.id_token === undefined) throw new OidcError('exchange', 'the answer holds no ID token');
    return { idToken: tokens.id_token, accessToken: tokens.access_token };
  } catch (cause) {
    if (cause instanceof OidcError) throw cause;
    if (failure !== null) throw new OidcError('unreachable', 'the token endpoint could not be reached', { cause });
    throw new OidcError('exchange', 'the provider gave no token that can be used', { cause });
  }
}

function exchanging({ provider, clientId, proof, algorithms, skewSecs }: RelyingParty): Configuration {
  const server = {
    issuer: provider.issuer,
    token_endpoint: provider.tokenEndpoint,
    id_token_signing_alg_values_supported: [...algorithms],
    authorization_response_iss_parameter_supported: provider.namesItself,
  };
  return configure(server, clientId, { [clockTolerance]: skewSecs }, authenticateClient(proof));
}

/** Whether plain http may be spoken is decided where addresses are read and requests are made. */
function configure(...of: ConstructorParameters<typeof Configuration>): Configuration {
  const config = new Configuration(...of);
  allowInsecureRequests(config);
  return config;
}

/** A header of more than this is refused by proxies on its way: they take 4 KiB of headers by default. */
const MAX_END_SESSION_CHARS = 3000;

/**
 * Where a browser goes to end its session at the provider too; null where the provider offers no such address. A hint that is too long
 * for a header is left out: the provider then asks the person.
 */
export function endSessionAddress(
  { provider, clientId }: Pick<RelyingParty, 'provider' | 'clientId'>,
  idToken: string | null,
): string | null {
  if (provider.endSessionEndpoint === null) return null;
  const server = { issuer: provider.issuer, end_session_endpoint: provider.endSessionEndpoint };
  const config = configure(server, clientId);
  const hinted = idToken === null ? null : buildEndSessionUrl(config, { id_token_hint: idToken }).href;
  return hinted !== null && hinted.length <= MAX_END_SESSION_CHARS ? hinted : buildEndSessionUrl(config).href;
}
