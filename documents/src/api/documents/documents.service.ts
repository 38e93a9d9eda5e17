import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { changeDocument, deleteDocument } from '../../core/documents/change-document.js';
import { listDocuments, readDocument, type DocumentView } from '../../core/documents/view-documents.js';
import { requireProject } from '../../core/projects/project-access.js';
import type { RecordTransaction } from '../../core/record/record.js';
import { checkMetadata, normalizeLabels } from '../../domain/documents/annotations.js';
import { Tagged } from '../http/etag.js';
import { answerPage, openPage, type Page } from '../http/page.js';
import { DocumentStore } from '../foundation/store.module.js';
import { viewDocument } from './document-views.js';
import type { Document, DocumentPatch, DocumentsQuery } from './documents.dto.js';

/** Documents of a project. */
@Injectable()
export class DocumentsService {
  constructor(private readonly documents: DocumentStore) {}

  /** @throws DocsvcError `not_found` */
  async list(caller: Caller, projectId: string, query: DocumentsQuery): Promise<Page<Document>> {
    const { limit: _limit, cursor: _cursor, updatedAfter, ...filters } = query;
    const list = `documents of ${projectId}`;
    const page = openPage(caller, list, query);
    const since = updatedAfter === undefined ? undefined : new Date(updatedAfter);
    const found = await this.documents.inOrganization(caller, async (tx) => {
      await requireProject(tx, caller, projectId);
      return listDocuments(tx, projectId, { ...filters, updatedAfter: since }, page);
    });
    return answerPage(caller, list, found, viewDocument);
  }

  /** @throws DocsvcError `not_found` */
  async read(caller: Caller, id: string): Promise<Tagged<Document>> {
    const document = await this.documents.inOrganization(caller, (tx) => findDocument(tx, caller, id));
    return new Tagged(viewDocument(document), document.rowVersion);
  }

  /** @throws DocsvcError `not_found`, `version_conflict`, `conflict` when another document has the name */
  async change(caller: Caller, id: string, patch: DocumentPatch, ifMatch: number | null): Promise<Tagged<Document>> {
    const { name, metadata, labels } = patch;
    const change = {
      name,
      metadata: metadata === undefined ? undefined : checkMetadata(metadata),
      labels: labels === undefined ? undefined : normalizeLabels(labels),
    };
    const document = await this.documents.inOrganization(caller, async (tx) => {
      const { projectId } = await findDocument(tx, caller, id);
      await changeDocument(tx, id, change, ifMatch);
      const detail = { changed: Object.keys(patch) };
      await recordAudit(tx, caller, {
        action: 'document.changed',
        subjectKind: 'document',
        subjectId: id,
        projectId,
        detail,
      });
      return readDocument(tx, id);
    });
    return new Tagged(viewDocument(document), document.rowVersion);
  }

  /** @throws DocsvcError `not_found`, `version_conflict` */
  async remove(caller: Caller, id: string, ifMatch: number | null): Promise<void> {
    await this.documents.inOrganization(caller, async (tx) => {
      const { projectId, name } = await findDocument(tx, caller, id);
      await deleteDocument(tx, id, ifMatch);
      await recordAudit(tx, caller, {
        action: 'document.deleted',
        subjectKind: 'document',
        subjectId: id,
        projectId,
        detail: { name },
      });
    });
  }
}

/** A document in a project that the caller may use. @throws DocsvcError `not_found` */
export async function findDocument(tx: RecordTransaction, caller: Caller, id: string): Promise<DocumentView> {
  const document = await readDocument(tx, id);
  await requireProject(tx, caller, document.projectId, 'there is no such document');
  return document;
}
