import { v7 as uuidv7 } from 'uuid';
import type { ConnectorDefinition } from '../../domain/catalog/connector.js';
import type { AuthKind, ConnectionStatus } from '../../domain/connections/connection.js';
import { SandgateError } from '../../domain/errors.js';
import type { TenantTransaction } from '../record/database.js';
import { isUniqueViolation } from '../../platform/postgres/database-errors.js';
import { isStorableText } from '../../domain/storage/storable-text.js';
import type { ConnectorRow } from './connector-row.js';

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

export type CatalogRow = ConnectorRow & { bundle: EntryBundle | null; connection: EntryConnection | null };

/**
 * Row-level isolation leaves the organization's rows and the global ones; of two with one slug the organization's own is visible. `$1` is the
 * user who looks, null for the operator: others' personal connections stay out.
 */
const VISIBLE = `
  select c.*,
         (select json_build_object('id', b.id, 'name', b.name, 'version', b.version)
            from capability_bundles b where b.name = c.slug order by b.version desc limit 1) as bundle,
         (select json_build_object('id', i.id, 'status', i.status, 'auth_kind', i.auth_kind)
            from integration_connections i
           where i.provider = 'mcp_http' and i.status <> 'revoked' and i.metadata ->> 'base_url' = c.url
             and (i.owner_type = 'organization' or i.owner_user_id = $1)
           order by array_position(array['active', 'error'], i.status), i.created_at desc, i.id desc limit 1) as connection
    from connector_catalog c
   where c.disabled_at is null
     and (c.tenant_id is not null or not exists (
           select 1 from connector_catalog own
            where own.tenant_id is not null and own.slug = c.slug and own.disabled_at is null))`;

/** Entries that the organization sees: verified, community, its own, each by name. */
export function listConnectors(tx: TenantTransaction, userId: string | null): Promise<CatalogRow[]> {
  return tx.query<CatalogRow>(
    `${VISIBLE} order by array_position(array['verified', 'community'], c.tier), lower(c.name), c.slug`,
    [userId],
  );
}

/** The entry that the organization sees under a slug; null when there is none. */
export async function findConnector(
  tx: TenantTransaction,
  slug: string,
  userId: string | null,
): Promise<CatalogRow | null> {
  if (!isStorableText(slug)) return null;
  const [row] = await tx.query<CatalogRow>(`${VISIBLE} and c.slug = $2`, [userId, slug]);
  return row ?? null;
}

/** Slugs that an entry of the organization would clash with, or hide. */
export async function takenSlugs(tx: TenantTransaction, stem: string): Promise<Set<string>> {
  const rows = await tx.query<{ slug: string }>(
    `select slug from connector_catalog where slug = $1 or starts_with(slug, $1 || '-')`,
    [stem],
  );
  return new Set(rows.map(({ slug }) => slug));
}

/** Takes an entry of the organization away again. */
export async function deleteCustom(tx: TenantTransaction, id: string): Promise<void> {
  await tx.query('delete from connector_catalog where id = $1', [id]);
}

/**
 * Stores an entry of the organization. Tier and provenance are not the request's to choose (docs/design/connections.md).
 *
 * @throws SandgateError `conflict` when the organization has an entry of that slug; a global one is shadowed instead
 */
export async function insertCustom(tx: TenantTransaction, entry: ConnectorDefinition): Promise<ConnectorRow> {
  try {
    const [row] = await tx.query<ConnectorRow>(
      `insert into connector_catalog (id, tenant_id, slug, name, icon, description, categories, scopes, egress, tier, url, transport,
                                      auth_mode, auth_hints, tool_hints, sandbox_launch, provenance)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'custom', $10, $11, $12, $13, $14, $15, $16) returning *`,
      [
        uuidv7(),
        tx.organizationId,
        entry.slug,
        entry.name,
        entry.icon,
        entry.description,
        entry.categories,
        entry.scopes,
        entry.egress,
        entry.url,
        entry.transport,
        entry.auth_mode,
        JSON.stringify(entry.auth_hints),
        JSON.stringify(entry.tool_hints),
        entry.sandbox_launch === null ? null : JSON.stringify(entry.sandbox_launch),
        JSON.stringify({ source: 'custom', source_ref: null, upstream_id: null, status: null, imported_at: null }),
      ],
    );
    if (row === undefined) throw new Error('an insert of one row returned none');
    return row;
  } catch (error) {
    if (!isUniqueViolation(error, 'connector_catalog_own_slug')) throw error;
    throw new SandgateError('conflict', `slug: this organization has a connector ${entry.slug} already`, {
      cause: error,
    });
  }
}
