import type { ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import { requireOrganizationAuthority } from '../../core/connections/connection-records.js';
import type { Viewer } from '../../core/connections/viewer.js';
import type { RequestedOwner } from './connection-members.js';

/** The columns of a new connection that say whose it is. */
export type ConnectionOwner = Pick<ConnectionRecord, 'owner_type' | 'owner_user_id' | 'created_by_user_id'>;

/**
 * Whose a new connection will be, if the viewer may make it; decided before anything else in the request is read
 * (docs/design/connections.md).
 *
 * @throws SandgateError `forbidden` for an organization's connection and a viewer without the role, `invalid_request` for the
 * admin token, which has no personal identity
 */
export function resolveOwner(viewer: Viewer, requested: RequestedOwner | null | undefined): ConnectionOwner {
  const { userId } = viewer;
  if (requested !== 'personal') {
    requireOrganizationAuthority(viewer);
    return { owner_type: 'organization', owner_user_id: null, created_by_user_id: userId };
  }
  if (userId === null) {
    throw new SandgateError(
      'invalid_request',
      'owner: the admin token has no personal identity and cannot own a personal connection',
    );
  }
  return { owner_type: 'user', owner_user_id: userId, created_by_user_id: userId };
}
