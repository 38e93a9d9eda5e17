import type { AuthorizationCheck, CallUse } from '../bindings/recheck-binding.js';
import { Not, type FindOptionsWhere } from 'typeorm';
import type { ConnectionRecord } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { findRow } from '../record/query-row.js';
import type { Sealed, SealedPlace, Sealer } from '../../platform/seal/sealer.js';
import { ConnectionEntity } from './connection.entity.js';

/** @throws SandgateError `unavailable` (503) without a sealing key */
export function requireSealing(sealer: Pick<Sealer, 'available'>): void {
  if (sealer.available) return;
  throw new SandgateError(
    'unavailable',
    'connections need a sealing key: set SERVICE_KMS_MODE=static with SERVICE_KMS_STATIC_KEK, or SERVICE_CREDENTIAL_KEY',
  );
}

/** The sealed columns of a connection (docs/design/sealing.md). */
export const CONNECTION_SECRETS = ['credential', 'webhook_secret', 'client_secret'] as const;
export type ConnectionSecret = (typeof CONNECTION_SECRETS)[number];

/** The connection that the secret belongs to. */
export interface ConnectionRef {
  organizationId: string;
  connectionId: string;
}

/** What a use of a connection depends on. */
export interface LiveConnection extends Pick<
  ConnectionRecord,
  'status' | 'authorization_generation' | 'auth_kind' | 'display_name' | 'metadata'
> {
  /** The authorization check of the call that it is read for, made at the same moment. */
  authorization: AuthorizationCheck | undefined;
  /** @throws SandgateError as {@link ConnectionSecrets.credential} */
  openCredential(): Promise<string>;
}

/**
 * Seals and opens the secrets of connections. The status is read in the statement that reads the sealed bytes, so that a revoke
 * is seen by the next use in every process: nothing opened here is kept.
 */
export class ConnectionSecrets {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
  ) {}

  /** @throws SandgateError `unavailable` (503) without a sealing key */
  requireKey(): void {
    requireSealing(this.sealer);
  }

  /** @throws SandgateError `unavailable` without a sealing key */
  seal(ref: ConnectionRef, secret: ConnectionSecret, text: string): Promise<Sealed> {
    this.requireKey();
    return this.sealer.seal(placeOfSecret(ref, secret), text);
  }

  /**
   * The credential of an active connection: a static token, or the refresh token of an OAuth grant.
   *
   * @param generation the authorization generation that the caller works under; null takes any
   * @throws SandgateError `conflict` when the connection is not active, holds none, or is at another generation
   */
  async credential(ref: ConnectionRef, generation: number | null): Promise<string> {
    const row = await this.db.withTenant(ref.organizationId, (tx) =>
      readSealed(tx, 'credential', {
        id: ref.connectionId,
        status: 'active',
        ...(generation === null ? {} : { authorization_generation: generation }),
      }),
    );
    return this.openRow(ref, 'credential', row);
  }

  /**
   * A connection as it is at this moment, with its credential while it is active at that generation; one round trip.
   *
   * @param use the call that it is read for; its authorization check is then made along with the read
   * @returns null when the organization has no such connection
   */
  async readLive(ref: ConnectionRef, generation: number, use?: CallUse): Promise<LiveConnection | null> {
    const key = [ref.organizationId, ref.connectionId, generation];
    const row = await findRow<LiveRow>(
      this.db.pool,
      use === undefined
        ? { name: 'svc_read_credential', text: 'select * from svc_read_credential($1, $2, $3)', values: key }
        : {
            name: 'svc_read_call_credential',
            text: 'select * from svc_read_call_credential($1, $2, $3, $4, $5)',
            values: [...key, use.runId, use.bindingId],
          },
    );
    if (row === null) return null;
    const { sealed, key_version: keyVersion, accepts = null, current = null, ...connection } = row;
    const openCredential = (): Promise<string> => this.openRow(ref, 'credential', { sealed, key_version: keyVersion });
    return { ...connection, authorization: use && { accepts, current }, openCredential };
  }

  /** The OAuth client's secret of a connection that is not revoked; null when it has none. */
  async clientSecret(ref: ConnectionRef): Promise<string | null> {
    const row = await this.db.withTenant(ref.organizationId, (tx) =>
      readSealed(tx, 'client_secret', { id: ref.connectionId, status: Not('revoked') }),
    );
    return row?.sealed == null ? null : this.open(ref, 'client_secret', row.sealed, row.key_version);
  }

  /** The secret that the code host signs with, of an active connection; null when it has none. */
  async webhookSecret(ref: ConnectionRef): Promise<string | null> {
    const row = await this.db.withTenant(ref.organizationId, (tx) =>
      readSealed(tx, 'webhook_secret', { id: ref.connectionId, status: 'active' }),
    );
    return row?.sealed == null ? null : this.open(ref, 'webhook_secret', row.sealed, row.key_version);
  }

  private openRow(ref: ConnectionRef, secret: ConnectionSecret, row: SealedRow | null): Promise<string> {
    if (row?.sealed == null) {
      throw new SandgateError(
        'conflict',
        'the connection has no credential to use: it is not active, or was reauthorized',
      );
    }
    return this.open(ref, secret, row.sealed, row.key_version);
  }

  private async open(ref: ConnectionRef, secret: ConnectionSecret, sealed: Buffer, version: number): Promise<string> {
    return (await this.sealer.open(placeOfSecret(ref, secret), sealed, version)).toString('utf8');
  }
}

type LiveRow = Omit<LiveConnection, 'openCredential' | 'authorization'> & SealedRow & Partial<AuthorizationCheck>;

interface SealedRow {
  sealed: Buffer | null;
  key_version: number;
}

async function readSealed(
  tx: TenantTransaction,
  secret: ConnectionSecret,
  where: FindOptionsWhere<ConnectionEntity>,
): Promise<SealedRow | null> {
  const columns = { sealed: `${secret}_sealed`, keyVersion: `${secret}_key_version` } as const;
  const select = { id: true, [columns.sealed]: true, [columns.keyVersion]: true };
  const row = await tx.manager.findOne(ConnectionEntity, { select, where });
  return row && { sealed: row[columns.sealed], key_version: row[columns.keyVersion] };
}

/** Where a sealed secret of a connection is stored. */
export function placeOfSecret({ organizationId, connectionId }: ConnectionRef, secret: ConnectionSecret): SealedPlace {
  return { organizationId, column: `integration_connections.${secret}`, row: connectionId };
}
