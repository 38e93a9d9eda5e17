import type { Role } from '../../domain/identity/role.js';
import { PERMISSIONS, type PermissionName } from './permission.decorator.js';

/** What every member may ask for; the services decide which rows are answered (docs/design/identity.md). */
const MEMBER: readonly PermissionName[] = [
  'account.read',
  'agents.read',
  'approvals.decide',
  'approvals.read',
  'audit.export',
  'capabilities.read',
  'catalog.read',
  'codehost.read',
  'connections.read',
  'connections.write',
  'harnesses.read',
  'org.read',
  'policies.read',
  'sessions.cancel',
  'sessions.create',
  'sessions.read',
  'tokens.read',
  'tokens.write',
  'triggers.read',
];

/** An approver sees the runs of others, and decides for the organization: that is up to the services. */
const APPROVER = MEMBER;

const BY_ROLE: Record<Role, readonly PermissionName[]> = {
  member: MEMBER,
  approver: APPROVER,
  admin: PERMISSIONS,
  owner: PERMISSIONS,
};

/** Tokens belong to people, and the operator is nobody's. */
const OF_PEOPLE: readonly PermissionName[] = ['tokens.read', 'tokens.write'];

export const OPERATOR_PERMISSIONS: ReadonlySet<PermissionName> = new Set(
  PERMISSIONS.filter((permission) => !OF_PEOPLE.includes(permission)),
);

/** What a member of these roles may do: all that any of them allows. */
export function permissionsOf(roles: readonly Role[]): ReadonlySet<PermissionName> {
  return new Set(roles.flatMap((role) => BY_ROLE[role]));
}
