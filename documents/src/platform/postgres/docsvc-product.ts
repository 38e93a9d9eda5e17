import type { DatabaseProduct } from '../../../../src/platform/postgres/database-product.js';

/** How the database of the documents service differs from that of the control plane. */
export const DOCSVC: DatabaseProduct = Object.freeze({
  name: 'the documents service',
  applicationPrefix: 'docsvc',
  organizationSetting: 'docsvc.org_id',
  roles: Object.freeze(['docsvc_app', 'docsvc_system'] as const),
  functionPrefix: 'docsvc_',
  migrationLock: 7_236_402,
  startCommand: 'npm start -w documents',
  urlVariable: 'DOCSVC_DATABASE_URL',
  allowBypassVariable: 'DOCSVC_ALLOW_RLS_BYPASS',
  otherSchemaAdvice:
    'export the documents you need with that version (docsvc download), then start this one with a new database, another ' +
    'DOCSVC_DATABASE_URL or DOCSVC_DATA_DIR',
});
