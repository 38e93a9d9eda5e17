import { Injectable } from '@nestjs/common';
import { compareSnapshots } from '../../domain/connections/snapshot-changes.js';
import { SandgateError } from '../../domain/errors.js';
import { ConnectionCaches } from '../../core/connections/connection-caches.js';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import { ToolSnapshots } from '../../core/connections/tool-snapshots.js';
import type { Viewer } from '../../core/connections/viewer.js';
import {
  toConnection,
  toSnapshotView,
  type Connection,
  type ConnectionList,
  type RefreshedSnapshot,
  type Snapshot,
} from './connections.dto.js';
import { InstallationApproval } from './installation-approval.js';

/** Reads the connections that the viewer may see, and changes their status (docs/design/connections.md). */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly records: ConnectionRecords,
    private readonly secrets: ConnectionSecrets,
    private readonly snapshots: ToolSnapshots,
    private readonly caches: ConnectionCaches,
    private readonly approval: InstallationApproval,
  ) {}

  async list(viewer: Viewer): Promise<ConnectionList> {
    return { connections: (await this.records.list(viewer)).map(toConnection) };
  }

  /** @throws SandgateError `not_found` */
  async read(viewer: Viewer, id: string): Promise<Connection> {
    return toConnection(await this.records.get(viewer, id));
  }

  /**
   * Lets an installation that the code host reported act for the organization. An active connection is answered unchanged.
   *
   * @throws SandgateError `not_found`, `forbidden`, and what {@link InstallationApproval.approve} throws
   */
  async approve(viewer: Viewer, id: string): Promise<Connection> {
    return toConnection(await this.approval.approve(await this.records.getToChange(viewer, id)));
  }

  /**
   * Takes the credential away from every run at once: the row is read before each use, in every process. A revoked connection is
   * answered unchanged.
   *
   * @throws SandgateError `not_found`, `forbidden`
   */
  async revoke(viewer: Viewer, id: string): Promise<Connection> {
    await this.records.getToChange(viewer, id);
    const revoked = await this.records.revoke(viewer.organizationId, id);
    if (revoked === null) throw new SandgateError('not_found', 'no such connection');
    this.caches.evict(id);
    return toConnection(revoked);
  }

  /** The latest tool snapshot. @throws SandgateError `not_found` for an invisible connection and one without a snapshot */
  async tools(viewer: Viewer, id: string): Promise<Snapshot> {
    const connection = await this.records.get(viewer, id);
    const snapshot = await this.snapshots.latest(viewer.organizationId, connection.id);
    if (snapshot === null)
      throw new SandgateError('not_found', 'this connection has no tool snapshot: refresh its tools');
    return toSnapshotView(snapshot);
  }

  /**
   * Takes a new tool snapshot and says what changed; runs in flight keep what they froze.
   *
   * @throws SandgateError `not_found`, `forbidden`, `unavailable` without a sealing key, `conflict` when the connection is not active
   * or moved meanwhile, `invalid_request` when the server does not pass, `upstream_failed` when its authorization server gave no token
   */
  async refresh(viewer: Viewer, id: string): Promise<RefreshedSnapshot> {
    const connection = await this.records.getToChange(viewer, id);
    if (connection.auth_kind !== 'none') this.secrets.requireKey();
    const before = await this.snapshots.latest(viewer.organizationId, connection.id);
    const snapshot = await this.snapshots.take(connection);
    return { ...toSnapshotView(snapshot), changes: before === null ? null : compareSnapshots(before, snapshot) };
  }
}
