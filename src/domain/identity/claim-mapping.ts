import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { isStorableText } from '../storage/storable-text.js';
import { ROLES, type Role } from './role.js';

/** How an organization reads the claims of its provider. */
export interface ClaimMapping {
  email: string;
  email_verified: string;
  name: string;
  /** A claim, or a path of members with dots between them. */
  roles_path: string;
  /** From a value of that claim to a role. */
  role_map: Readonly<Record<string, Role>>;
  /** Of those for whom nothing maps. */
  default_role: Role;
  allow_owner_mapping: boolean;
  require_email_verified: boolean;
}

/** What a login learns of a person. */
export interface MappedClaims {
  email: string | null;
  emailNormalized: string | null;
  emailVerified: boolean;
  name: string | null;
  roles: Role[];
}

const DEFAULTS: ClaimMapping = {
  email: 'email',
  email_verified: 'email_verified',
  name: 'name',
  roles_path: 'groups',
  role_map: {},
  default_role: 'member',
  allow_owner_mapping: false,
  require_email_verified: true,
};
const NAMES = ['email', 'email_verified', 'name', 'roles_path'] as const;
const FLAGS = ['allow_owner_mapping', 'require_email_verified'] as const;
const MAX_NAME_CHARS = 200;
const MAX_MAPPED_GROUPS = 1000;
const MAX_CLAIM_CHARS = 1024;

/** The claim for which a login is refused. */
export class ClaimRefused extends Error {
  override readonly name = 'ClaimRefused';

  constructor(readonly claim: string) {
    super(`the login is refused: ${claim}`);
  }
}

/**
 * Reads a mapping over the defaults.
 *
 * @throws SandgateError `invalid_request` naming the member that is unknown or has another type or role than it may
 */
export function readClaimMapping(given: JsonObject): ClaimMapping {
  const unknown = Object.keys(given).find((member) => !Object.hasOwn(DEFAULTS, member));
  if (unknown !== undefined) throw invalid(`claim_mappings.${unknown}`, 'is not known');
  for (const name of NAMES) {
    const value = given[name] ?? DEFAULTS[name];
    const isName = typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARS && isStorableText(value);
    if (given[name] === null || !isName) throw invalid(`claim_mappings.${name}`, 'must be the name of a claim');
  }
  for (const flag of FLAGS) {
    if (given[flag] !== undefined && typeof given[flag] !== 'boolean')
      throw invalid(`claim_mappings.${flag}`, 'must be true or false');
  }
  checkRoles(given, given['allow_owner_mapping'] === true);
  return { ...DEFAULTS, ...(given as Partial<ClaimMapping>) };
}

function checkRoles({ role_map: map, default_role: byDefault }: JsonObject, allowsOwner: boolean): void {
  if (byDefault !== undefined && (!isRole(byDefault) || byDefault === 'owner'))
    throw invalid('claim_mappings.default_role', 'must be member, approver or admin');
  if (map === undefined) return;
  if (!isJsonObject(map)) throw invalid('claim_mappings.role_map', 'must be an object of roles');
  const entries = Object.entries(map);
  if (entries.length > MAX_MAPPED_GROUPS)
    throw invalid('claim_mappings.role_map', `maps more than ${MAX_MAPPED_GROUPS} groups`);
  for (const [group, role] of entries) {
    if (!isStorableText(group) || !isRole(role))
      throw invalid('claim_mappings.role_map', 'maps to member, approver, admin or owner');
    if (role === 'owner' && !allowsOwner)
      throw invalid('claim_mappings.role_map', 'maps to owner only with allow_owner_mapping: true');
  }
}

function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}

function invalid(member: string, what: string): SandgateError {
  return new SandgateError('invalid_request', `${member}: ${what}`);
}

/**
 * Reads a person out of verified claims.
 *
 * @throws ClaimRefused for a claim that is there with another type, and for an address that must be verified and is not
 */
export function mapClaims(claims: JsonObject, mapping: ClaimMapping): MappedClaims {
  const email = readOptional(claims, mapping.email);
  const emailVerified = own(claims, mapping.email_verified) === true;
  if (mapping.require_email_verified && !emailVerified) throw new ClaimRefused(mapping.email_verified);
  const emailNormalized = email?.trim().toLowerCase() ?? '';
  return {
    email: emailNormalized === '' ? null : email,
    emailNormalized: emailNormalized === '' ? null : emailNormalized,
    emailVerified,
    name: readOptional(claims, mapping.name),
    roles: rolesOf(groupsOf(claims, mapping.roles_path), mapping),
  };
}

function readOptional(claims: JsonObject, claim: string): string | null {
  const value = own(claims, claim);
  if (value === undefined) return null;
  if (typeof value === 'string' && value.length <= MAX_CLAIM_CHARS && isStorableText(value)) return value;
  throw new ClaimRefused(claim);
}

function groupsOf(claims: JsonObject, path: string): string[] {
  const value = own(claims, path) ?? follow(claims, path);
  if (value === undefined) return [];
  const groups = typeof value === 'string' ? [value] : value;
  if (Array.isArray(groups) && groups.every((group) => typeof group === 'string')) return groups;
  throw new ClaimRefused(path);
}

/** Names of claims may have dots themselves, so the whole path was tried before. */
function follow(claims: JsonObject, path: string): JsonValue | undefined {
  let at: JsonValue | undefined = claims;
  for (const member of path.split('.')) at = isJsonObject(at) ? own(at, member) : undefined;
  return at;
}

function rolesOf(groups: readonly string[], { role_map: map, default_role: byDefault }: ClaimMapping): Role[] {
  const mapped = groups.flatMap((group) => (Object.hasOwn(map, group) ? (map[group] ?? []) : []));
  return mapped.length === 0 ? [byDefault] : ROLES.filter((role) => mapped.includes(role));
}

function own(object: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}
