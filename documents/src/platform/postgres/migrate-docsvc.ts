import { migrate } from '../../../../src/platform/postgres/migrate.js';
import type { SchemaRelease } from '../../../../src/platform/postgres/schema-release.js';
import { MIGRATIONS, readFunctionFiles } from '../../../migrations/index.js';
import { ownVersion } from '../own-version.js';
import { DOCSVC } from './docsvc-product.js';

/**
 * Brings the database to the schema of this build, forward only, as the owner (the login of `url`).
 *
 * @returns names of the migrations and function files that ran; empty when there was nothing to do
 * @throws SandgateError as `migrate` of the control plane does
 */
export function migrateDocsvc(url: string): Promise<string[]> {
  return migrate(url, ownRelease(), undefined, DOCSVC);
}

/** The schema of this build. */
function ownRelease(): SchemaRelease {
  return { version: ownVersion(), migrations: MIGRATIONS, functions: readFunctionFiles() };
}
