import { DocsvcError, type ErrorDetail } from '../../domain/errors.js';
import type { RecordTransaction } from '../record/record.js';

/** Documents of one run at most. */
export const MOST_DOCUMENTS = 1000;

/** Which documents a run is to read; without any list all of the project. */
export interface ChosenDocuments {
  documentIds?: readonly string[] | undefined;
  documentVersionIds?: readonly string[] | undefined;
}

/**
 * The versions that a run reads, as they are at this moment: of each document the newest that was read or still is, and those that are named.
 *
 * @throws DocsvcError `no_documents` where there are none, naming documents without one; `not_found` for ids of other projects; `too_large` for a
 *   project of more documents than a run may have
 */
export async function chooseVersions(
  tx: RecordTransaction,
  projectId: string,
  { documentIds, documentVersionIds = [] }: ChosenDocuments,
): Promise<string[]> {
  const named = [...new Set(documentVersionIds)];
  const isAll = documentIds === undefined && named.length === 0;
  const versions = [
    ...(isAll ? await ofProject(tx, projectId) : await ofDocuments(tx, projectId, [...new Set(documentIds ?? [])])),
    ...(await ofNamed(tx, projectId, named)),
  ];
  if (versions.length === 0) throw new DocsvcError('no_documents', 'there is no document that can be read');
  assertFewEnough(versions);
  return [...new Set(versions)];
}

interface ChosenRow {
  document_id: string;
  version_id: string | null;
}

function choose(tx: RecordTransaction, projectId: string, ids: string[] | null): Promise<ChosenRow[]> {
  return tx.query<ChosenRow>('select * from docsvc_choose_versions($1, $2, $3)', [projectId, ids, MOST_DOCUMENTS + 1]);
}

async function ofProject(tx: RecordTransaction, projectId: string): Promise<string[]> {
  const rows = await choose(tx, projectId, null);
  assertFewEnough(rows);
  return rows.flatMap(({ version_id }) => (version_id === null ? [] : [version_id]));
}

function assertFewEnough({ length }: readonly unknown[]): void {
  if (length <= MOST_DOCUMENTS) return;
  throw new DocsvcError('too_large', `a run reads at most ${MOST_DOCUMENTS} documents: name some in documentIds`);
}

async function ofDocuments(tx: RecordTransaction, projectId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = new Map((await choose(tx, projectId, ids)).map((row) => [row.document_id, row.version_id]));
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw new DocsvcError('not_found', `there is no document ${unknown} in this project`);
  const unread = ids.filter((id) => found.get(id) === null);
  if (unread.length > 0) throw refuse(unread);
  return ids.flatMap((id) => found.get(id) ?? []);
}

function refuse(unread: readonly string[]): DocsvcError {
  const message = 'no version of it was read, and none is being read';
  const details = unread.map((id): ErrorDetail => ({ path: `documentIds: ${id}`, code: 'no_documents', message }));
  return new DocsvcError('no_documents', `documentIds: of ${unread[0]} ${message.replace(' of it', '')}`, { details });
}

async function ofNamed(tx: RecordTransaction, projectId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ id: string }>('select docsvc_known_versions($1, $2) as id', [projectId, ids]);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return ids;
  throw new DocsvcError('not_found', `there is no version ${unknown} in this project`);
}
