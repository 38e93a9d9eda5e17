import { importJWK } from 'jose';
import { allowInsecureRequests, customFetch, discovery } from 'openid-client';
import { algorithmFor, readKeySet } from '../../domain/identity/signing-keys.js';
import { isJsonObject, parseJsonObject, type JsonObject } from '../../domain/json.js';
import { leadsOn, type OidcHttp } from './oidc-http.js';
import { OidcError } from './oidc-error.js';

/** Signatures by shorter keys prove nothing (RFC 7518 §3.3). */
const MIN_RSA_BITS = 2048;

/** What a provider publishes of itself, as far as signing in needs it. */
export interface Provider {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  jwksUri: string;
  /** Where people sign out; null where it offers none. */
  endSessionEndpoint: string | null;
  /** It names itself in each answer (RFC 9207). */
  namesItself: boolean;
}

/** What of it is kept. */
export interface ProviderDocuments {
  metadata: JsonObject;
  jwks: JsonObject;
}

/**
 * Reads metadata and keys of a provider.
 *
 * @throws OidcError `unreachable`, `metadata` or `keys`
 */
export async function fetchProvider(http: OidcHttp, issuer: string): Promise<ProviderDocuments> {
  const metadata = await fetchMetadata(http, issuer);
  return { metadata, jwks: await fetchKeys(http, readProvider(metadata, issuer).jwksUri) };
}

async function fetchMetadata(http: OidcHttp, issuer: string): Promise<JsonObject> {
  let failure: unknown = null;
  try {
    const found = await discovery(new URL(issuer), 'unused', undefined, undefined, {
      [customFetch]: (url) =>
        http.read(url).catch((cause: unknown) => {
          failure = cause;
          throw cause;
        }),
      // Whether plain http may be spoken is decided where the request is made.
      execute: [allowInsecureRequests],
    });
    // As plain JSON: the library's object has methods.
    return JSON.parse(JSON.stringify(found.serverMetadata())) as JsonObject;
  } catch (cause) {
    if (failure !== null) throw new OidcError('unreachable', 'the provider could not be reached', { cause });
    throw new OidcError('metadata', 'the discovery document is not that of this issuer, or is malformed', { cause });
  }
}

/**
 * Reads the keys of a provider; malformed ones are left out one by one.
 *
 * @throws OidcError `unreachable`, or `keys` when none is left
 */
export async function fetchKeys(http: OidcHttp, jwksUri: string): Promise<JsonObject> {
  const answer = await http.read(jwksUri).catch((cause: unknown) => {
    throw new OidcError('unreachable', 'the keys of the provider could not be reached', { cause });
  });
  const listed = answer.status === 200 ? readKeySet(parseJsonObject(await answer.text())) : null;
  if (listed === null) throw new OidcError('keys', 'the answer of jwks_uri is no key set of at most 32 keys');
  const usable = await Promise.all(listed.map(isUsable));
  const keys = listed.filter((_, index) => usable[index]);
  if (keys.length === 0) throw new OidcError('keys', 'the key set of the provider holds no usable key');
  return { keys };
}

async function isUsable(key: JsonObject): Promise<boolean> {
  const alg = algorithmFor(key);
  if (alg === null) return false;
  const imported = await importJWK(key, alg).catch(() => null);
  if (imported === null || imported instanceof Uint8Array) return false;
  return !('modulusLength' in imported.algorithm) || Number(imported.algorithm.modulusLength) >= MIN_RSA_BITS;
}

/**
 * Reads kept or fetched metadata.
 *
 * @throws OidcError `metadata` naming the member that is missing, malformed, or leads over plain http: a provider elsewhere does not
 * point to what listens on this machine alone
 */
export function readProvider(metadata: JsonObject, issuer: string): Provider {
  if (metadata['issuer'] !== issuer) throw new OidcError('metadata', 'issuer: is not the configured one');
  const { end_session_endpoint: end } = metadata;
  const read = (member: string): string => readAddress(metadata, member, issuer);
  return {
    issuer,
    authorizationEndpoint: read('authorization_endpoint'),
    tokenEndpoint: read('token_endpoint'),
    jwksUri: read('jwks_uri'),
    endSessionEndpoint: isAddress(end, issuer) ? end : null,
    namesItself: metadata['authorization_response_iss_parameter_supported'] === true,
  };
}

/** The keys of a kept key set. */
export function keysOf(jwks: unknown): JsonObject[] {
  return isJsonObject(jwks) ? (readKeySet(jwks) ?? []) : [];
}

function readAddress(metadata: JsonObject, member: string, issuer: string): string {
  const value = metadata[member];
  if (isAddress(value, issuer)) return value;
  throw new OidcError('metadata', `${member}: must be an https address (http on this machine alone)`);
}

function isAddress(value: unknown, issuer: string): value is string {
  return typeof value === 'string' && URL.canParse(value) && leadsOn(new URL(issuer), new URL(value));
}
