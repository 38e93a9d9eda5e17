import { Between, MoreThan } from 'typeorm';
import { DocsvcError } from '../../domain/errors.js';
import { listVersions, readVersion, type VersionView } from '../documents/view-versions.js';
import type { RecordTransaction } from '../record/record.js';
import { DocumentTableEntity } from './document-table.entity.js';
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

/** Pages behind one of them, in their order. */
export function listPages(
  tx: RecordTransaction,
  parseId: string,
  { after, limit }: { after: number; limit: number },
): Promise<PageEntity[]> {
  return tx.manager.find(PageEntity, {
    where: { parse_id: parseId, page_number: MoreThan(after) },
    order: { page_number: 'ASC' },
    take: limit,
  });
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

/** Tables behind one of them, in their order; of certain pages, where these are given. */
export function listTables(
  tx: RecordTransaction,
  parseId: string,
  { after, limit, page }: { after: number; limit: number; page: number | null },
): Promise<DocumentTableEntity[]> {
  return tx.manager.find(DocumentTableEntity, {
    where: {
      parse_id: parseId,
      table_number: MoreThan(after),
      ...(page === null ? {} : { first_page: Between(1, page), last_page: MoreThan(page - 1) }),
    },
    order: { table_number: 'ASC' },
    take: limit,
  });
}
