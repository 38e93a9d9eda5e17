import type { ConnectorDefinition } from '../../domain/catalog/connector.js';
import type { AuthKind, ConnectionStatus } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { TenantTransaction } from '../record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { insertRows } from '../../platform/postgres/write-rows.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
import { ConnectorEntity } from './connector.entity.js';

/** The newest bundle that carries the entry's name. */
export interface EntryBundle {
  id: string;
  name: string;
  version: number;
}

/** The connection that a viewer would use for the entry. */
export interface EntryConnection {
  id: string;
  status: ConnectionStatus;
  auth_kind: AuthKind;
}

export type CatalogRow = ConnectorEntity & { bundle: EntryBundle | null; connection: EntryConnection | null };

const LIST = 'select (found.connector).*, found.bundle, found.connection from svc_list_connectors($1, $2) as found';

/** Entries that the organization sees: verified, community, its own, each by name. */
export function listConnectors(tx: TenantTransaction, userId: string | null): Promise<CatalogRow[]> {
  return tx.query<CatalogRow>(LIST, [userId, null]);
}

/** The entry that the organization sees under a slug; null when there is none. */
export async function findConnector(
  tx: TenantTransaction,
  slug: string,
  userId: string | null,
): Promise<CatalogRow | null> {
  if (!isStorableText(slug)) return null;
  const [row] = await tx.query<CatalogRow>(LIST, [userId, slug]);
  return row ?? null;
}

/** Slugs that an entry of the organization would clash with, or hide. */
export async function takenSlugs(tx: TenantTransaction, stem: string): Promise<Set<string>> {
  const rows = await tx.query<{ slug: string }>('select svc_list_taken_slugs($1) as slug', [stem]);
  return new Set(rows.map(({ slug }) => slug));
}

/** Takes an entry of the organization away again. */
export async function deleteCustom(tx: TenantTransaction, id: string): Promise<void> {
  await tx.manager.delete(ConnectorEntity, { id });
}

/**
 * Stores an entry of the organization. Tier and provenance are not the request's to choose (docs/design/connections.md).
 *
 * @throws SandgateError `conflict` when the organization has an entry of that slug; a global one is shadowed instead
 */
export async function insertCustom(tx: TenantTransaction, entry: ConnectorDefinition): Promise<ConnectorEntity> {
  try {
    const row = Object.assign(new ConnectorEntity(), {
      ...entry,
      id: newRowId(),
      tenant_id: tx.organizationId,
      tier: 'custom' as const,
      provenance: { source: 'custom' as const, source_ref: null, upstream_id: null, status: null, imported_at: null },
      disabled_at: null,
    });
    await insertRows(tx, ConnectorEntity, [row]);
    return row;
  } catch (error) {
    if (!isUniqueViolation(error, 'connector_catalog_own_slug')) throw error;
    throw new SandgateError('conflict', `slug: this organization has a connector ${entry.slug} already`, {
      cause: error,
    });
  }
}
