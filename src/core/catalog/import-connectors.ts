import { v7 as uuidv7 } from 'uuid';
import type { ImportedConnector } from '../../domain/catalog/import-connectors.js';
import type { Database } from '../record/database.js';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

/** What an import did with its entries. */
export interface ImportCounts {
  added: number;
  refreshed: number;
  /** Entries whose slug belongs to a curated row. */
  kept: number;
}

/**
 * Stores imported connectors for everybody of the deployment, all or none. Rows that no import made keep what they are. Global rows
 * are out of reach of every request; the operator's own login may act as the system role, which alone writes them (docs/design/identity.md).
 */
export function importConnectors(db: Database, entries: readonly ImportedConnector[]): Promise<ImportCounts> {
  return translateDatabaseErrors(async () => {
    const client = await db.pool.connect();
    const counts: ImportCounts = { added: 0, refreshed: 0, kept: 0 };
    try {
      await client.query('begin');
      await client.query('set local role sandgate_system');
      for (const entry of entries) {
        const { rows } = await client.query<{ inserted: boolean }>(UPSERT, valuesOf(entry));
        const [row] = rows;
        if (row === undefined) counts.kept += 1;
        else if (row.inserted) counts.added += 1;
        else counts.refreshed += 1;
      }
      await client.query('commit');
      return counts;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  });
}

/** A row that this statement inserted has never been updated: its `xmax` is 0. */
const UPSERT = `
  insert into connector_catalog as c (id, slug, name, description, categories, egress, tier, url, transport, auth_mode, provenance)
  values ($1, $2, $3, $4, $5, $6, 'community', $7, $8, 'none',
          $9::jsonb || jsonb_build_object('imported_at', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
  on conflict (slug) where tenant_id is null do update
     set name = excluded.name, description = excluded.description, categories = excluded.categories, egress = excluded.egress,
         url = excluded.url, transport = excluded.transport, provenance = excluded.provenance, updated_at = now()
   where c.provenance ->> 'source' in ('mcp-registry', 'open-connector')
  returning xmax = 0 as inserted`;

function valuesOf(entry: ImportedConnector): unknown[] {
  return [
    uuidv7(),
    entry.slug,
    entry.name,
    entry.description,
    entry.categories,
    entry.egress,
    entry.url,
    entry.transport,
    JSON.stringify(entry.provenance),
  ];
}
