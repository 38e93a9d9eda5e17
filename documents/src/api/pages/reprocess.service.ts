import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { readVersion } from '../../core/documents/view-versions.js';
import { wake } from '../../core/driver/wake.js';
import { requeueVersion } from '../../core/ingest/ingest-moves.js';
import { sendPassword } from '../../core/ingest/password-desk.js';
import { DocsvcError } from '../../domain/errors.js';
import { changeSettings, DEFAULT_SETTINGS } from '../../domain/project-settings.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { readPlace, type AddedVersion } from '../documents/document-views.js';
import { findDocument } from '../documents/documents.service.js';
import { DocumentStore } from '../foundation/store.module.js';
import type { Reprocess } from './pages.dto.js';

/** Has versions read again. */
@Injectable()
export class ReprocessService {
  constructor(
    private readonly documents: DocumentStore,
    private readonly sealer: Sealer,
  ) {}

  /** @throws DocsvcError `not_found`, `conflict` while it is being read, `not_implemented` for OCR of a later release */
  reprocess(caller: Caller, documentId: string, { version, password, ...options }: Reprocess): Promise<AddedVersion> {
    changeSettings(DEFAULT_SETTINGS, { ...options });
    if (password !== undefined) this.sealer.require();
    return this.documents.inOrganization(caller, async (tx) => {
      const { projectId, latestVersion } = await findDocument(tx, caller, documentId);
      const { id: versionId, version: number, status } = await readVersion(tx, documentId, version ?? latestVersion);
      const attempt = await requeueVersion(tx, versionId, { ...options, withPassword: password !== undefined });
      if (attempt === null) {
        throw new DocsvcError(
          'conflict',
          `version ${number} is ${status}: wait until it is read, then have it read again`,
        );
      }
      if (password !== undefined) await sendPassword(tx, this.sealer, { versionId, attempt }, password);
      await recordAudit(tx, caller, {
        action: 'version.reprocessed',
        subjectKind: 'document',
        subjectId: documentId,
        projectId,
        detail: { version: number, attempt, ...options },
      });
      await wake(tx, 'ingest', versionId);
      return readPlace(tx, { documentId, versionId, version: number, projectId });
    });
  }
}
