import { Injectable } from '@nestjs/common';
import type { ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { CodehostInstallation } from '../../platform/codehost/code-host.js';
import { holdRegistration } from '../../core/codehost/app-registrations.js';
import { Codehost } from '../../core/codehost/codehost.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import { ConnectionCaches } from '../../core/connections/connection-caches.js';
import { moveConnection } from '../../core/connections/connection-rows.js';
import { Database, type TenantTransaction } from '../../core/record/database.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { LIVE_INSTALLATION } from './codehost-connections.js';

const APPROVABLE = ['pending', 'revoked', 'suspended', 'error'] as const;

/**
 * Lets an installation of a registered app act for the organization: an installation that the code host reported gains authority
 * only here, after the host was asked again under the app's own key (docs/design/connections.md).
 */
@Injectable()
export class InstallationApproval {
  constructor(
    private readonly database: Database,
    private readonly codehost: Codehost,
    private readonly caches: ConnectionCaches,
  ) {}

  /**
   * @param connection that the caller may change; an active one is answered unchanged
   * @throws SandgateError `invalid_request` for a connection that nobody has to approve; `conflict` when its registration is not active,
   * the installation is gone or live on another row, or the registration was revoked meanwhile; `upstream_failed` when the host cannot
   * be asked
   */
  async approve(connection: ConnectionRecord): Promise<ConnectionRecord> {
    if (connection.status === 'active') return connection;
    const { provider, registration_id: registrationId, tenant_id: organizationId } = connection;
    if (provider !== 'codehost_app' || registrationId === null) {
      throw new SandgateError(
        'invalid_request',
        'only an installation of a registered code-host app is approved; create or authorize this connection anew',
      );
    }
    const installation = await this.verify(organizationId, registrationId, connection.external_account_id);
    const approved = await this.database.withTenant(organizationId, (tx) =>
      settle(tx, connection, registrationId, installation),
    );
    this.caches.evict(connection.id);
    if (approved === null)
      throw new SandgateError('conflict', 'the app registration was revoked during the approval; so is the connection');
    return approved;
  }

  private async verify(
    organizationId: string,
    registrationId: string,
    installationId: string,
  ): Promise<CodehostInstallation> {
    const jwt = await this.codehost.tokens.registrationJwt(organizationId, registrationId);
    try {
      return await this.codehost.api.installation(jwt, installationId);
    } catch (cause) {
      if (!(cause instanceof CodehostError)) throw cause;
      if (cause.status === 404)
        throw new SandgateError('conflict', 'the installation does not exist at the code host any more', { cause });
      throw new SandgateError('upstream_failed', `${cause.message}; try again later`, { cause });
    }
  }
}

/** Null when the registration was revoked after it was read: then the connection ends revoked. */
async function settle(
  tx: TenantTransaction,
  { id, status }: ConnectionRecord,
  registrationId: string,
  { suspended }: CodehostInstallation,
): Promise<ConnectionRecord | null> {
  if (!(await holdRegistration(tx, registrationId))) {
    if (status !== 'revoked') await moveConnection(tx, id, APPROVABLE, 'revoked');
    return null;
  }
  const moved = await move(tx, id, suspended);
  if (moved === null) throw new SandgateError('conflict', 'the connection was approved or moved by somebody else');
  return moved;
}

async function move(tx: TenantTransaction, id: string, suspended: boolean): Promise<ConnectionRecord | null> {
  try {
    return await moveConnection(tx, id, APPROVABLE, suspended ? 'suspended' : 'active');
  } catch (cause) {
    if (!isUniqueViolation(cause, LIVE_INSTALLATION)) throw cause;
    throw new SandgateError('conflict', 'the installation is live on another connection', { cause });
  }
}
