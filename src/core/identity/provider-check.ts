import { readClaimMapping } from '../../domain/identity/claim-mapping.js';
import { isSigningAlgorithm, SIGNING_ALGORITHMS } from '../../domain/identity/signing-keys.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
import { isProviderAddress, type OidcHttp } from '../../platform/oidc/oidc-http.js';
import { OidcError } from '../../platform/oidc/oidc-error.js';
import { fetchProvider, type ProviderDocuments } from '../../platform/oidc/provider.js';
import { TOKEN_ENDPOINT_AUTHS, type TokenEndpointAuth } from './idp-config.entity.js';

const MAX_TEXT_CHARS = 2048;
const MAX_SCOPES = 50;

/** A provider as it is to be configured. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  tokenEndpointAuth: TokenEndpointAuth;
  scopes: readonly string[];
  claimMappings: JsonObject;
  algAllowlist: readonly string[];
}

/**
 * Checks a provider before it is stored: its settings, then what it publishes, which is read now.
 *
 * @throws SandgateError `invalid_request` naming the member that is wrong
 */
export async function checkProvider(http: OidcHttp, settings: ProviderSettings): Promise<ProviderDocuments> {
  checkIssuer(settings.issuer);
  checkProviderSettings(settings);
  const documents = await fetchProvider(http, settings.issuer).catch((cause: unknown) => {
    if (cause instanceof OidcError) throw invalid('issuer', cause.message, cause);
    throw cause;
  });
  checkAdvertised(documents.metadata, settings.tokenEndpointAuth);
  return documents;
}

/**
 * What can be said of the settings without asking the provider: client, secret, scopes, algorithms and claims.
 *
 * @throws SandgateError `invalid_request` naming the member that is wrong
 */
export function checkProviderSettings(settings: Omit<ProviderSettings, 'issuer'>): void {
  const { clientId, clientSecret, tokenEndpointAuth, scopes, claimMappings, algAllowlist } = settings;
  if (!isText(clientId)) throw invalid('client_id', 'must be a text');
  if (!TOKEN_ENDPOINT_AUTHS.includes(tokenEndpointAuth))
    throw invalid('token_endpoint_auth', `must be one of ${TOKEN_ENDPOINT_AUTHS.join(', ')}`);
  if (clientSecret !== null && !isText(clientSecret)) throw invalid('client_secret', 'must be a text, or absent');
  if (tokenEndpointAuth === 'none' && clientSecret !== null)
    throw invalid('client_secret', 'must be absent with token_endpoint_auth none');
  if (tokenEndpointAuth !== 'none' && clientSecret === null)
    throw invalid('client_secret', `is needed with token_endpoint_auth ${tokenEndpointAuth}`);
  const areScopes =
    scopes.length <= MAX_SCOPES && scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope));
  if (!areScopes || !scopes.includes('openid')) throw invalid('scopes', 'must be a list of scopes that holds openid');
  if (algAllowlist.length === 0 || !algAllowlist.every(isSigningAlgorithm))
    throw invalid('alg_allowlist', `must be some of ${SIGNING_ALGORITHMS.join(', ')}`);
  readClaimMapping(claimMappings);
}

/** The issuer is compared as a text, so it is taken in one spelling only. */
function checkIssuer(issuer: string): void {
  const url = isText(issuer) && URL.canParse(issuer) ? new URL(issuer) : null;
  if (url === null || !isProviderAddress(url))
    throw invalid('issuer', 'must be an https address without user (http on this machine alone)');
  if (/[?#]/.test(issuer) || issuer.includes('/.well-known/') || (url.href !== issuer && url.href !== `${issuer}/`))
    throw invalid(
      'issuer',
      'must be the address as the provider writes it, without query, fragment or well-known path',
    );
}

/** A list that is there has to hold what is used; a list that is absent says what the specification says for it. */
function checkAdvertised(metadata: JsonObject, method: TokenEndpointAuth): void {
  requireListed(metadata, 'response_types_supported', 'code', true);
  requireListed(metadata, 'code_challenge_methods_supported', 'S256', true);
  const byDefault = method === 'client_secret_basic';
  requireListed(metadata, 'token_endpoint_auth_methods_supported', method, byDefault);
}

function requireListed(metadata: JsonObject, member: string, value: string, whenAbsent: boolean): void {
  const list = metadata[member];
  if (list !== undefined && !(Array.isArray(list) && list.every((one) => typeof one === 'string')))
    throw invalid('issuer', `its ${member} is malformed`);
  if (list === undefined ? !whenAbsent : !list.includes(value))
    throw invalid('issuer', `its ${member} does not hold ${value}`);
}

function isText(value: string): boolean {
  return value !== '' && value.length <= MAX_TEXT_CHARS && isStorableText(value);
}

function invalid(member: string, what: string, cause?: unknown): SandgateError {
  return new SandgateError('invalid_request', `${member}: ${what}`, { cause });
}
