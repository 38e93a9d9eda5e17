import { chooseKey, isSigningAlgorithm, type TokenHead } from '../../../domain/identity/signing-keys.js';
import type { JsonObject } from '../../../domain/json.js';
import { OidcError } from '../../../platform/oidc/oidc-error.js';
import { readSignedClaims, readTokenHead } from '../../../platform/oidc/token-signature.js';
import type { IdpConfigEntity } from '../idp-config.entity.js';
import type { KeptProviders, KnownProvider } from './kept-providers.js';

export interface SignedClaims {
  head: TokenHead;
  claims: JsonObject;
}

/**
 * Finds the key that signed an ID token and checks its signature. Keys that do not fit are read anew once; the second answer counts.
 *
 * @throws OidcError `id_token`, `no_key`, `signature`, or what reading the keys throws
 */
export async function verifyIdToken(
  providers: KeptProviders,
  config: IdpConfigEntity,
  { provider, keys }: KnownProvider,
  token: string,
): Promise<SignedClaims> {
  const head = readTokenHead(token, config.alg_allowlist.filter(isSigningAlgorithm));
  const first = await verifyBy(keys, head, token);
  if ('claims' in first) return { head, claims: first.claims };
  const { kid } = head;
  const isKnownMissing = first.refused === 'none' && kid !== null && providers.lacksKey(config.id, kid);
  if (first.refused === 'several' || isKnownMissing) throw refusal(first.refused);
  const second = await verifyBy(await providers.refreshKeys(config, provider.jwksUri), head, token);
  if ('claims' in second) return { head, claims: second.claims };
  if (second.refused === 'none' && kid !== null) providers.noteMissingKey(config.id, kid);
  throw refusal(second.refused);
}

type Verified = { claims: JsonObject } | { refused: 'none' | 'several' | 'signature' };

async function verifyBy(keys: readonly JsonObject[], head: TokenHead, token: string): Promise<Verified> {
  const choice = chooseKey(keys, head);
  if ('refused' in choice) return choice;
  const claims = await readSignedClaims(token, choice.key, head.alg);
  return claims === null ? { refused: 'signature' } : { claims };
}

function refusal(refused: 'none' | 'several' | 'signature'): OidcError {
  if (refused === 'signature') return new OidcError('signature', 'the signature of the ID token is not good');
  const which = refused === 'none' ? 'no key' : 'several keys';
  return new OidcError('no_key', `${which} of the provider can have signed the ID token`);
}
