import { isJsonObject, type JsonObject } from '../json.js';

/** Signatures that an ID token may carry; symmetric ones and none at all never count (CP-280). */
export const SIGNING_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** What a provider may sign with unless its configuration says otherwise. */
export const DEFAULT_ALGORITHMS: readonly SigningAlgorithm[] = [
  'RS256',
  'ES256',
  'PS256',
  'RS384',
  'ES384',
  'RS512',
  'ES512',
];

const MAX_KEYS = 32;
const CURVES: Partial<Record<SigningAlgorithm, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** The head of a signed token, as far as its key is chosen by it. */
export interface TokenHead {
  alg: SigningAlgorithm;
  kid: string | null;
}

/** `none`: the keys may be older than the token. `several`: no reading of the keys helps. */
export type KeyChoice = { key: JsonObject } | { refused: 'none' | 'several' };

export function isSigningAlgorithm(name: unknown): name is SigningAlgorithm {
  return SIGNING_ALGORITHMS.some((known) => known === name);
}

/** An algorithm that fits the key, or null when none of ours does. */
export function algorithmFor(key: JsonObject): SigningAlgorithm | null {
  return SIGNING_ALGORITHMS.find((alg) => fits(key, alg)) ?? null;
}

/**
 * The public signing keys of a key set. Malformed ones and those of other uses are left out one by one; a private key that was
 * published is one that anybody may sign with.
 *
 * @returns null for what is no key set, or one of too many keys
 */
export function readKeySet(document: unknown): JsonObject[] | null {
  if (!isJsonObject(document)) return null;
  const { keys } = document;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) return null;
  return keys.filter((key): key is JsonObject => isJsonObject(key) && !('d' in key) && algorithmFor(key) !== null);
}

/** The one key that can have made a signature. */
export function chooseKey(keys: readonly JsonObject[], { alg, kid }: TokenHead): KeyChoice {
  const fitting = keys.filter((key) => fits(key, alg) && (kid === null || key['kid'] === kid));
  const [key] = fitting;
  if (key === undefined) return { refused: 'none' };
  return fitting.length === 1 ? { key } : { refused: 'several' };
}

function fits(key: JsonObject, alg: SigningAlgorithm): boolean {
  const { use, key_ops: operations, alg: only, kty, crv, kid } = key;
  if (kid !== undefined && typeof kid !== 'string') return false;
  if (use !== undefined && use !== 'sig') return false;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false;
  if (only !== undefined && only !== alg) return false;
  const curve = CURVES[alg];
  return curve === undefined ? kty === 'RSA' : kty === 'EC' && crv === curve;
}
