import type { JsonObject } from '../../../../src/domain/json.js';
import { DocsvcError } from '../../domain/errors.js';
import { pageOf, type PageRequest, type RowPage } from '../record/newest-page.js';
import type { RecordTransaction } from '../record/record.js';
import type { DocumentKind } from './document.entity.js';
import type { VersionStatus } from './document-version.entity.js';

/** A document with what its latest version says of it. */
export interface DocumentView {
  id: string;
  projectId: string;
  name: string;
  kind: DocumentKind;
  contentType: string | null;
  status: VersionStatus;
  latestVersion: number;
  latestVersionId: string;
  sizeBytes: number;
  pageCount: number | null;
  metadata: JsonObject;
  labels: string[];
  rowVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

/** What a list of documents is narrowed by; what is undefined narrows nothing. */
export interface DocumentFilters {
  status?: VersionStatus | undefined;
  kind?: DocumentKind | undefined;
  label?: string | undefined;
  namePrefix?: string | undefined;
  updatedAfter?: Date | undefined;
}

/** Documents of a project, newest first. */
export async function listDocuments(
  tx: RecordTransaction,
  projectId: string,
  filters: DocumentFilters,
  { after, limit }: PageRequest,
): Promise<RowPage<DocumentView>> {
  const rows = await tx.query<DocumentSql>(
    `select d.* from docsvc_view_documents(array(
       select docsvc_list_documents($1, $2, $3, $4, $5, $6, $7, $8))) d`,
    [
      projectId,
      filters.status ?? null,
      filters.kind ?? null,
      filters.label ?? null,
      filters.namePrefix?.normalize('NFC') ?? null,
      filters.updatedAfter ?? null,
      after,
      limit + 1,
    ],
  );
  return pageOf(rows.map(toView), limit);
}

/** @throws DocsvcError `not_found`, also when it is deleted */
export async function readDocument(tx: RecordTransaction, id: string): Promise<DocumentView> {
  const [row] = await tx.query<DocumentSql>('select * from docsvc_view_documents(array[$1::uuid])', [id]);
  if (row === undefined) throw new DocsvcError('not_found', 'there is no such document');
  return toView(row);
}

interface DocumentSql {
  id: string;
  project_id: string;
  name: string;
  kind: DocumentKind;
  content_type: string | null;
  status: VersionStatus;
  latest_version: number;
  latest_version_id: string;
  size_bytes: string;
  page_count: number | null;
  metadata: JsonObject;
  labels: string[];
  row_version: number;
  created_at: Date;
  updated_at: Date;
}

function toView(row: DocumentSql): DocumentView {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    kind: row.kind,
    contentType: row.content_type,
    status: row.status,
    latestVersion: row.latest_version,
    latestVersionId: row.latest_version_id,
    sizeBytes: Number(row.size_bytes),
    pageCount: row.page_count,
    metadata: row.metadata,
    labels: row.labels,
    rowVersion: row.row_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
