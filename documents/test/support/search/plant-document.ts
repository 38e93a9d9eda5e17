import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { countWords, writeChunks } from '../../../src/core/search/write-chunks.js';
import type { Record } from '../../../src/core/record/record.js';
import { chunkPage } from '../../../src/domain/chunks/chunk-page.js';

export interface PlantedDocument {
  documentId: string;
  versionId: string;
  parseId: string;
}

export interface DocumentText {
  name: string;
  /** The texts of its pages. */
  pages: readonly string[];
  language?: string;
  kind?: 'pdf' | 'image' | 'spreadsheet' | 'text';
  labels?: readonly string[];
}

/** Places where documents are planted. */
export interface PlantingGround {
  /** As the owner of the database. */
  owner: pg.Pool;
  record: Record;
  orgId: string;
  projectId: string;
}

/** A document with one ready version, as the pipeline leaves it, without words and boxes. */
export async function plantDocument(ground: PlantingGround, text: DocumentText): Promise<PlantedDocument> {
  const { owner, orgId, projectId } = ground;
  const documentId = randomUUID();
  await owner.query(
    'insert into documents (id, org_id, project_id, name, kind, labels) values ($1, $2, $3, $4, $5, $6)',
    [documentId, orgId, projectId, text.name, text.kind ?? 'text', text.labels ?? []],
  );
  return { documentId, ...(await plantVersion(ground, documentId, 1, text)) };
}

/** A further ready version of a document, which is from then on the one that is searched. */
export async function plantVersion(
  { owner, record, orgId, projectId }: PlantingGround,
  documentId: string,
  version: number,
  { pages, language = 'en' }: Pick<DocumentText, 'pages' | 'language'>,
): Promise<Omit<PlantedDocument, 'documentId'>> {
  const [versionId, parseId] = [randomUUID(), randomUUID()];
  await owner.query(
    `insert into document_versions (id, org_id, project_id, document_id, version, blob_key, size_bytes, status, ready_at)
     values ($1, $2, $3, $4, $5, $6, 1, 'ready', now())`,
    [versionId, orgId, projectId, documentId, version, versionId],
  );
  await owner.query(
    `insert into parses (id, version_id, attempt, org_id, project_id, sha256, options_digest, status, page_count, language)
     values ($1, $7, 1, $2, $3, $4, '', 'running', $5, $6)`,
    [parseId, orgId, projectId, randomBytes(32), pages.length, language, versionId],
  );
  await owner.query(
    `insert into pages (org_id, parse_id, page_number, width, height, unit, text, source)
     select $1, $2, n, 612, 792, 'pt', page, 'text_layer' from unnest($3::text[]) with ordinality as p (page, n)`,
    [orgId, parseId, pages],
  );
  const chunks = pages.flatMap((page, index) =>
    [...chunkPage(page)].map((range) => ({ pageNumber: index + 1, page, ...range })),
  );
  await record.inOrganization(orgId, async (tx) => {
    const rows = chunks.map(({ page, pageNumber, from, to }, index) => ({
      ...{ chunkNumber: index + 1, pageNumber, charsFrom: from, charsTo: to, cellRange: null, language },
      body: page.slice(from, to),
    }));
    await writeChunks(tx, parseId, rows);
    await countWords(tx, parseId);
  });
  await owner.query(`update parses set status = 'ready', finished_at = now() where id = $1`, [parseId]);
  await owner.query('update document_versions set parse_id = $2 where id = $1', [versionId, parseId]);
  await owner.query(
    'update documents set latest_version_id = $2, searchable_version_id = $2, updated_at = now() where id = $1',
    [documentId, versionId],
  );
  return { versionId, parseId };
}
