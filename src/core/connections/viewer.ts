import type { Role } from '../../domain/identity/role.js';

/** Who looks at connections. A role widens nothing: a personal connection has one viewer, its owner (docs/design/connections.md). */
export interface Viewer {
  organizationId: string;
  /** Null for the operator, who has no personal identity. */
  userId: string | null;
  /** The highest role of the viewer in the organization. */
  role: Role | 'operator';
}

/** Whether the viewer may change what belongs to the organization. */
export function managesOrganization({ role }: Pick<Viewer, 'role'>): boolean {
  return role === 'operator' || role === 'admin' || role === 'owner';
}
