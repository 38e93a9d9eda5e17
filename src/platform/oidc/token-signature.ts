import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { isSigningAlgorithm, type SigningAlgorithm, type TokenHead } from '../../domain/identity/signing-keys.js';
import { parseJsonObject, type JsonObject } from '../../domain/json.js';
import { OidcError } from './oidc-error.js';

/**
 * Reads by which algorithm and key a token says that it is signed.
 *
 * @throws OidcError `id_token` for a malformed one, and for an algorithm that is not allowed
 */
export function readTokenHead(token: string, allowed: readonly SigningAlgorithm[]): TokenHead {
  let head: ReturnType<typeof decodeProtectedHeader>;
  try {
    head = decodeProtectedHeader(token);
  } catch (cause) {
    throw new OidcError('id_token', 'the ID token is malformed', { cause });
  }
  const { alg } = head;
  const kid: unknown = head.kid;
  if (!isSigningAlgorithm(alg) || !allowed.includes(alg))
    throw new OidcError('id_token', 'the ID token is signed by an algorithm that is not allowed');
  if (kid !== undefined && typeof kid !== 'string') throw new OidcError('id_token', 'the ID token is malformed');
  return { alg, kid: kid ?? null };
}

/**
 * The claims of a token whose signature is good; null when it is not, or the key is too weak to tell.
 *
 * @throws OidcError `id_token` when the signed text is no object
 */
export async function readSignedClaims(
  token: string,
  jwk: JsonObject,
  alg: SigningAlgorithm,
): Promise<JsonObject | null> {
  const payload = await verify(token, jwk, alg);
  if (payload === null) return null;
  const claims = parseJsonObject(new TextDecoder().decode(payload));
  if (claims === null) throw new OidcError('id_token', 'the ID token holds no claims');
  return claims;
}

async function verify(token: string, jwk: JsonObject, alg: SigningAlgorithm): Promise<Uint8Array | null> {
  try {
    const { payload } = await compactVerify(token, await importJWK(jwk, alg), { algorithms: [alg] });
    return payload;
  } catch {
    // A signature that does not verify is the answer, whichever check it failed.
    return null;
  }
}
