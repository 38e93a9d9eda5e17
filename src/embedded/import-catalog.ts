import { readImport, type ImportDocuments } from '../domain/catalog/import-connectors.js';
import { importConnectors, type ImportCounts } from '../core/catalog/import-connectors.js';
import { withOperatorDatabase } from './operator-database.js';

/** Imports listings of other catalogs. Reads the given documents and nothing else. */
export function importCatalog(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  documents: Partial<ImportDocuments>,
): Promise<ImportCounts> {
  const entries = readImport(documents);
  return withOperatorDatabase(env, dataDir, (db) => importConnectors(db, entries));
}
