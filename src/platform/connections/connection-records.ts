import { CONNECTION_STATUSES, type ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { Database } from '../db/database.js';
import {
  findVisible,
  insertConnection,
  listVisible,
  moveConnection,
  readConnection,
  removeSecrets,
  type Move,
  type MoveGuard,
  type NewConnection,
} from './connection-rows.js';
import { managesOrganization, type Viewer } from './viewer.js';

const LIVE = CONNECTION_STATUSES.filter((status) => status !== 'revoked');
const MAX_NOTE_CHARS = 300;

/** Connections as rows: read through a viewer, moved by compare-and-swap (chapter 40 §1, §2). Secrets are `ConnectionSecrets`'. */
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

  /** Past the lens, for the control plane's own checks. */
  read(organizationId: string, id: string): Promise<ConnectionRecord | null> {
    return this.db.withTenant(organizationId, (tx) => readConnection(tx, id));
  }

  insert(organizationId: string, connection: NewConnection): Promise<ConnectionRecord> {
    return this.db.withTenant(organizationId, (tx) => insertConnection(tx, connection));
  }

  /** Null when the row was not as the guard says. */
  move(organizationId: string, id: string, guard: MoveGuard, move: Move): Promise<ConnectionRecord | null> {
    return this.db.withTenant(organizationId, (tx) => moveConnection(tx, id, guard, move));
  }

  /** Revokes whatever is live and removes its secrets; a revoked connection stays as it is. Null when there is none. */
  async revoke(organizationId: string, id: string): Promise<ConnectionRecord | null> {
    return this.db.withTenant(organizationId, async (tx) => {
      const revoked = await moveConnection(tx, id, { from: LIVE }, { to: 'revoked' });
      if (revoked !== null) await removeSecrets(tx, id);
      return revoked ?? readConnection(tx, id);
    });
  }

  /**
   * Says of an active OAuth connection that a person has to connect it again. Whoever read another generation changes nothing:
   * the connection was authorized anew meanwhile.
   *
   * @param note a sentence for a person, without anything that an upstream wrote
   * @returns whether the connection was moved
   */
  async markError(organizationId: string, id: string, generation: number, note: string): Promise<boolean> {
    const oauth = { error: note.slice(0, MAX_NOTE_CHARS) };
    const moved = await this.db.withTenant(organizationId, async (tx) => {
      const connection = await readConnection(tx, id);
      if (connection?.auth_kind !== 'oauth') return null;
      return moveConnection(tx, id, { from: ['active'], generation }, { to: 'error', oauth });
    });
    return moved !== null;
  }
}

/** @throws SandgateError `forbidden` unless the viewer may change what belongs to the organization (chapter 40 §2) */
export function requireOrganizationAuthority(viewer: Viewer): void {
  if (managesOrganization(viewer)) return;
  throw new SandgateError('forbidden', "the organization's connections need the role admin or owner");
}
