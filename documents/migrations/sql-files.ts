import { readFileSync } from 'node:fs';

/**
 * Text of an SQL file of this folder, from the sources as from the built output, which has the files at the same places.
 *
 * @param path as in `tables/documents.sql`
 */
export function readSql(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
