import type { Role } from '../../domain/identity/role.js';

/**
 * Who looks at connections. No role widens the view: a personal connection is visible to its owner alone
 * (docs/design/connections.md).
 */
export interface Viewer {
  organizationId: string;
  /** Null for the operator, who has no personal identity. */
  userId: string | null;
  /** The highest role of the viewer in the organization. */
  role: Role | 'operator';
}

/** What acts without a person: it sees what belongs to the organization, and nobody's own connections. */
export function unattendedViewer(organizationId: string): Viewer {
  return { organizationId, userId: null, role: 'member' };
}

/** Whether the viewer may change what belongs to the organization. */
export function managesOrganization({ role }: Pick<Viewer, 'role'>): boolean {
  return role === 'operator' || role === 'admin' || role === 'owner';
}
