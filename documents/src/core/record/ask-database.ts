import type { Record as DocsvcRecord } from './record.js';

/** Resolves once the database has answered. @throws DocsvcError `unavailable` */
export async function askDatabase(record: Pick<DocsvcRecord, 'query'>): Promise<void> {
  await record.query('select 1');
}
