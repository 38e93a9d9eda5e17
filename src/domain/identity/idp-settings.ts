import { SandgateError } from '../errors.js';
import type { JsonObject, JsonValue } from '../json.js';
import { didYouMean } from '../nearest-name.js';
import { ROLES, type Role } from './role.js';

export const TOKEN_ENDPOINT_AUTHS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type TokenEndpointAuth = (typeof TOKEN_ENDPOINT_AUTHS)[number];

/** Signatures of ID tokens that can be verified; never a shared secret, never none. */
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

export const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', 'profile'];
export const DEFAULT_ALGORITHMS: readonly string[] = ['RS256', 'ES256', 'PS256', 'RS384', 'ES384', 'RS512', 'ES512'];

/** How an organization's people sign in; what of it a change may touch is a provider's, the rest is for good. */
export interface IdpSettings {
  issuer: string;
  client_id: string;
  token_endpoint_auth: TokenEndpointAuth;
  scopes: string[];
  alg_allowlist: string[];
  claim_mappings: JsonObject;
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const MAX_LIST = 50;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** @throws SandgateError `invalid_request` naming the member */
export function checkIdpSettings(settings: IdpSettings): void {
  checkIssuer(settings.issuer);
  if (settings.client_id.trim() === '' || settings.client_id.length > 255)
    throw invalid('client_id', 'must have 1 to 255 characters');
  checkScopes(settings.scopes);
  checkAlgorithms(settings.alg_allowlist);
  checkClaimMappings(settings.claim_mappings);
}

/** An issuer is compared character for character with what tokens say, so it is taken as it is written or not at all. */
function checkIssuer(issuer: string): void {
  const url = URL.parse(issuer);
  const isLocal = url?.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname);
  if ((url?.protocol !== 'https:' && !isLocal) || issuer.length > 2048)
    throw invalid('issuer', 'must be an https address, or an http one of this machine');
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '' || /[?#]$/.test(issuer))
    throw invalid('issuer', 'must have no query, fragment or user');
}

export function checkScopes(scopes: readonly string[]): void {
  if (scopes.length === 0 || scopes.length > MAX_LIST || !scopes.every((scope) => SCOPE.test(scope)))
    throw invalid('scopes', `must be 1 to ${MAX_LIST} scope names`);
  if (!scopes.includes('openid')) throw invalid('scopes', 'must include openid');
}

export function checkAlgorithms(algorithms: readonly string[]): void {
  if (algorithms.length === 0) throw invalid('alg_allowlist', 'must not be empty');
  const foreign = algorithms.find((name) => !(SIGNING_ALGORITHMS as readonly string[]).includes(name));
  if (foreign !== undefined) throw invalid('alg_allowlist', `takes ${SIGNING_ALGORITHMS.join(', ')}`);
}

const TEXT_MAPPINGS = ['email', 'email_verified', 'name', 'roles_path'] as const;
const FLAG_MAPPINGS = ['require_email_verified', 'allow_owner_mapping'] as const;
const MAPPINGS: readonly string[] = [...TEXT_MAPPINGS, ...FLAG_MAPPINGS, 'role_map', 'default_role'];

/** Which claims say who somebody is, and which groups make which roles. @throws SandgateError `invalid_request` */
export function checkClaimMappings(mappings: JsonObject): void {
  const unknown = Object.keys(mappings).find((name) => !MAPPINGS.includes(name));
  if (unknown !== undefined)
    throw invalid(`claim_mappings.${unknown}`, `is not known${didYouMean(unknown, MAPPINGS)}`);
  for (const name of TEXT_MAPPINGS) {
    const claim = mappings[name];
    if (claim !== undefined && (typeof claim !== 'string' || claim === '' || claim.length > 255))
      throw invalid(`claim_mappings.${name}`, 'must be the name of a claim');
  }
  for (const name of FLAG_MAPPINGS)
    if (mappings[name] !== undefined && typeof mappings[name] !== 'boolean')
      throw invalid(`claim_mappings.${name}`, 'must be true or false');
  checkRoleMap(mappings['role_map'], mappings['allow_owner_mapping'] === true);
  const fallback = mappings['default_role'];
  if (fallback !== undefined && (!isRole(fallback) || fallback === 'owner'))
    throw invalid('claim_mappings.default_role', 'must be member, approver or admin');
}

function checkRoleMap(map: JsonValue | undefined, mayOwn: boolean): void {
  if (map === undefined) return;
  if (typeof map !== 'object' || map === null || Array.isArray(map) || Object.keys(map).length > 1000)
    throw invalid('claim_mappings.role_map', 'must map names of groups to roles, 1000 at most');
  for (const role of Object.values(map)) {
    if (!isRole(role)) throw invalid('claim_mappings.role_map', `knows the roles ${ROLES.join(', ')}`);
    if (role === 'owner' && !mayOwn)
      throw invalid('claim_mappings.role_map', 'may name owner only with allow_owner_mapping: true');
  }
}

function isRole(value: JsonValue | undefined): value is Role {
  return (ROLES as readonly unknown[]).includes(value);
}

/** A method that sends a secret has one; `none` has none. @returns what is wrong */
export function secretProblem(auth: TokenEndpointAuth, hasSecret: boolean): string | null {
  if (auth === 'none') return hasSecret ? 'client_secret: token_endpoint_auth none takes no secret' : null;
  return hasSecret ? null : `client_secret: token_endpoint_auth ${auth} needs one`;
}

/** An address as it is compared: trimmed, in lower case. @throws SandgateError `invalid_request` */
export function normalizedEmail(member: string, email: string): string {
  const normalized = email.trim().toLowerCase();
  if (!EMAIL.test(normalized)) throw invalid(member, 'must be an e-mail address');
  return normalized;
}

function invalid(member: string, why: string): SandgateError {
  return new SandgateError('invalid_request', `${member}: ${why}`);
}
