import type { Role } from '../../domain/identity/role.js';
import { PERMISSIONS, type PermissionName } from './permission.decorator.js';

/** What every member may ask for; the services decide which rows are answered (docs/design/identity.md). */
const MEMBER: readonly PermissionName[] = [
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
  'policies.read',
  'sessions.cancel',
  'sessions.create',
  'sessions.read',
  'triggers.read',
];

/** An approver sees the runs of others, and decides for the organization: that is up to the services. */
const APPROVER = MEMBER;

/** Metrics are the deployment's, not the organization's. */
const ADMIN: readonly PermissionName[] = PERMISSIONS.filter((permission) => permission !== 'metrics.read');

const BY_ROLE: Record<Role, ReadonlySet<PermissionName>> = {
  member: new Set(MEMBER),
  approver: new Set(APPROVER),
  admin: new Set(ADMIN),
  owner: new Set(ADMIN),
};

export function permissionsOf(role: Role): ReadonlySet<PermissionName> {
  return BY_ROLE[role];
}
