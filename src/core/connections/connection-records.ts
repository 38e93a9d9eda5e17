import { CONNECTION_STATUSES, type ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { Database } from '../record/database.js';
import {
  findVisible,
  insertConnection,
  listVisible,
  markReconnectNeeded,
  moveConnection,
  readConnection,
  removeSecrets,
  type NewConnection,
} from './connection-rows.js';
import { managesOrganization, type Viewer } from './viewer.js';

const LIVE = CONNECTION_STATUSES.filter((status) => status !== 'revoked');

/** Connections as rows: read through a viewer, moved by compare-and-swap (docs/design/connections.md). Secrets are `ConnectionSecrets`'. */
export class ConnectionRecords {
  constructor(private readonly db: Database) {}

  list(viewer: Viewer): Promise<ConnectionRecord[]> {
    return this.db.withTenant(viewer.organizationId, (tx) => listVisible(tx, viewer));
  }

  find(viewer: Viewer, id: string): Promise<ConnectionRecord | null> {
    return this.db.withTenant(viewer.organizationId, (tx) => findVisible(tx, viewer, id));
  }

  /** @throws SandgateError `not_found`, with the same words for what is missing and what the viewer may not see */
  async get(viewer: Viewer, id: string): Promise<ConnectionRecord> {
    const found = await this.find(viewer, id);
    if (found === null) throw new SandgateError('not_found', 'no such connection');
    return found;
  }

  /**
   * The connection, for a viewer who may change it: its owner when it is personal, an administrator otherwise.
   *
   * @throws SandgateError `not_found` as {@link get}, `forbidden` for an organization's connection and a viewer without the role
   */
  async getToChange(viewer: Viewer, id: string): Promise<ConnectionRecord> {
    const connection = await this.get(viewer, id);
    if (connection.owner_type === 'organization') requireOrganizationAuthority(viewer);
    return connection;
  }

  /** Without a viewer, for the control plane's own checks. */
  read(organizationId: string, id: string): Promise<ConnectionRecord | null> {
    return this.db.withTenant(organizationId, (tx) => readConnection(tx, id));
  }

  insert(organizationId: string, connection: NewConnection): Promise<ConnectionRecord> {
    return this.db.withTenant(organizationId, (tx) => insertConnection(tx, connection));
  }

  /** Revokes whatever is live and removes its secrets; a revoked connection stays as it is. Null when there is none. */
  async revoke(organizationId: string, id: string): Promise<ConnectionRecord | null> {
    return this.db.withTenant(organizationId, async (tx) => {
      const revoked = await moveConnection(tx, id, LIVE, 'revoked');
      if (revoked !== null) {
        await removeSecrets(tx, id);
        tx.tell((observer) => observer.connectionRevoked());
      }
      return revoked ?? readConnection(tx, id);
    });
  }

  /** See {@link markReconnectNeeded}. */
  markReconnectNeeded(organizationId: string, id: string, generation: number, note: string): Promise<boolean> {
    return this.db.withTenant(organizationId, (tx) => markReconnectNeeded(tx, { id, generation }, note));
  }
}

/** @throws SandgateError `forbidden` unless the viewer may change what belongs to the organization */
export function requireOrganizationAuthority(viewer: Viewer): void {
  if (managesOrganization(viewer)) return;
  throw new SandgateError('forbidden', "the organization's connections need the role admin or owner");
}
