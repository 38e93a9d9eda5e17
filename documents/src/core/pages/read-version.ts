import { DocsvcError } from '../../domain/errors.js';
import { listVersions, readVersion, type VersionView } from '../documents/view-versions.js';
import type { RecordTransaction } from '../record/record.js';
import type { DocumentTableEntity } from './document-table.entity.js';
import { PageEntity } from './page.entity.js';

/** A version that was read, and where what it says is. */
export interface ReadVersion {
  version: VersionView;
  parseId: string;
}

const MOST_VERSIONS = 200;

/**
 * The version whose pages are asked for: a certain one, or the newest that was read.
 *
 * @throws DocsvcError `not_found`; for a version without pages what keeps it from having any: `conflict` while it is read, `password_required`,
 *   `unsupported_type`, `quarantined`
 */
export async function readableVersion(
  tx: RecordTransaction,
  documentId: string,
  number: number | null,
): Promise<ReadVersion> {
  if (number !== null) return withPages(await readVersion(tx, documentId, number));
  const versions = await listVersions(tx, documentId, { before: null, limit: MOST_VERSIONS });
  const [latest] = versions;
  if (latest === undefined) throw new DocsvcError('not_found', 'there is no such document');
  return withPages(versions.find(({ parseId }) => parseId !== null) ?? latest);
}

function withPages(version: VersionView): ReadVersion {
  const { parseId } = version;
  if (parseId === null) throw whyWithoutPages(version);
  return { version, parseId };
}

function whyWithoutPages({ version, status, error }: VersionView): DocsvcError {
  const what = `version ${version} has no pages`;
  const why = error === null ? what : `${what}: ${error.message}`;
  switch (status) {
    case 'stored':
      return new DocsvcError('unsupported_type', why);
    case 'quarantined':
      return new DocsvcError('quarantined', why);
    case 'failed':
      return new DocsvcError(error?.code === 'password_required' ? 'password_required' : 'conflict', why);
    default:
      return new DocsvcError('conflict', `${what} yet: it is ${status}; wait until it is ready`, {
        retryAfterSeconds: 2,
      });
  }
}

/** What is asked of a list in the order of numbers: what is behind one of them, up to a number of rows and of bytes. */
export interface NumberedPart {
  after: number;
  limit: number;
  /** Of what the rows say; one row is always given, however large it is. */
  bytes: number;
}

/** Rows of a list, and whether others follow. */
export interface NumberedRows<R> {
  rows: R[];
  hasNext: boolean;
}

function rowsOf<R>(found: (R & { has_next: boolean })[]): NumberedRows<R> {
  return { rows: found, hasNext: found.at(-1)?.has_next === true };
}

/** Pages in their order. */
export async function listPages(
  tx: RecordTransaction,
  parseId: string,
  { after, limit, bytes }: NumberedPart,
): Promise<NumberedRows<PageEntity>> {
  return rowsOf(
    await tx.query<PageEntity & { has_next: boolean }>('select * from docsvc_list_pages($1, $2, $3, $4)', [
      parseId,
      after,
      limit,
      bytes,
    ]),
  );
}

/** @throws DocsvcError `not_found`, saying so where the page is there and could not be read */
export async function findPage(
  tx: RecordTransaction,
  { version, parseId }: ReadVersion,
  pageNumber: number,
): Promise<PageEntity> {
  const page = await tx.manager.findOneBy(PageEntity, { parse_id: parseId, page_number: pageNumber });
  if (page !== null) return page;
  const lost = version.failedPages.includes(pageNumber);
  throw new DocsvcError('not_found', lost ? `page ${pageNumber} could not be read` : `there is no page ${pageNumber}`);
}

/** A table as it is kept, with its number. */
export type KeptTable = Pick<DocumentTableEntity, 'table_number' | 'content'>;

/** Tables in their order; of a certain page, where one is given. */
export async function listTables(
  tx: RecordTransaction,
  parseId: string,
  { after, limit, bytes, page }: NumberedPart & { page: number | null },
): Promise<NumberedRows<KeptTable>> {
  return rowsOf(
    await tx.query<KeptTable & { has_next: boolean }>('select * from docsvc_list_tables($1, $2, $3, $4, $5)', [
      parseId,
      after,
      page,
      limit,
      bytes,
    ]),
  );
}
