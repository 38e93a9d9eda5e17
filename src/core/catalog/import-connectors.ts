import type { ImportedConnector } from '../../domain/catalog/import-connectors.js';
import type { Database } from '../record/database.js';
import { onlyRow } from '../record/query-row.js';
import { newRowId } from '../../platform/postgres/row-id.js';
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
    // A connection that is not given back but ended rolls back, whatever state it is in.
    let isSpoiled = true;
    try {
      await client.query('begin');
      await client.query('set local role sandgate_system');
      for (const entry of entries) {
        const { rows } = await client.query<{ inserted: boolean | null }>(IMPORT, valuesOf(entry));
        const { inserted } = onlyRow(rows, 'svc_import_connector');
        if (inserted === null) counts.kept += 1;
        else if (inserted) counts.added += 1;
        else counts.refreshed += 1;
      }
      await client.query('commit');
      isSpoiled = false;
      return counts;
    } finally {
      client.release(isSpoiled);
    }
  });
}

/** A row that this statement inserted has never been updated: its `xmax` is 0. */
const IMPORT = 'select svc_import_connector($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb) as inserted';

function valuesOf(entry: ImportedConnector): unknown[] {
  return [
    newRowId(),
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
