import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { recordAudit } from '../../core/audit/record-audit.js';
import { readDocument } from '../../core/documents/view-documents.js';
import { requireProject } from '../../core/projects/project-access.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { admitSchema } from '../../core/schemas/admit-schema.js';
import { readSample, readSheet } from '../../core/schemas/read-samples.js';
import type { SchemaSource } from '../../core/schemas/schema-version.entity.js';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { inferSchema } from '../../domain/schemas/sheets/infer-schema.js';
import { confirmLabels } from '../../domain/schemas/words/confirm-labels.js';
import { describeSchema } from '../../domain/schemas/words/describe-schema.js';
import type { SheetTable } from '../../domain/schemas/sheets/sheet-columns.js';
import type { MadeSchema } from '../../domain/schemas/words/made-schema.js';
import type { Caller } from '../http/caller.decorator.js';
import { bringsForm } from '../http/file-form.js';
import type { MadeSchemaView, SchemaFromSheet, SchemaFromWords } from './made-schemas.dto.js';
import { SchemasService } from './schemas.service.js';
import { SheetForms, type FormSheet } from './sheet-forms.js';

interface ToSave {
  name?: string;
  save?: boolean;
}

/** Schemas that are made from words or from a sheet, without a model (DI-012, DI-013). */
@Injectable()
export class MadeSchemasService {
  constructor(
    private readonly record: Record,
    private readonly schemas: SchemasService,
    private readonly sheets: SheetForms,
  ) {}

  /** @throws DocsvcError `invalid_request` for words that name nothing, `schema_invalid` for more than a schema may hold */
  async generate(caller: Caller, projectId: string, body: SchemaFromWords): Promise<MadeSchemaView> {
    const saved = nameToSave(body);
    const made = describeSchema(body.description);
    if (made.rationale.length === 0) throw invalidMember('description', 'names nothing to look for');
    const samples = await this.record.inOrganization(caller.orgId, async (tx) => {
      await requireProject(tx, caller, projectId);
      const texts: string[] = [];
      for (const documentId of body.documentIds ?? []) {
        await readOf(tx, caller, projectId, documentId, 'pages.read');
        texts.push(await readSample(tx, documentId));
      }
      return texts;
    });
    const rationale = confirmLabels(made.rationale, samples);
    return this.answer(caller, projectId, { ...made, rationale }, saved, 'generated');
  }

  /**
   * From a spreadsheet of the project, or from one that the request brings as a form.
   *
   * @throws DocsvcError `invalid_request` for one without such a sheet
   */
  async infer(
    caller: Caller,
    projectId: string,
    body: SchemaFromSheet,
    request: FastifyRequest,
  ): Promise<MadeSchemaView> {
    const { asked, table } = bringsForm(request)
      ? await this.sheetOfForm(caller, projectId, request)
      : { asked: body, table: await this.sheetOfProject(caller, projectId, body) };
    const saved = nameToSave(asked);
    const made = inferSchema(table, { shape: asked.shape ?? null, headerRow: asked.headerRow ?? null });
    return this.answer(caller, projectId, made, saved, 'inferred');
  }

  private async sheetOfForm(caller: Caller, projectId: string, request: FastifyRequest): Promise<FormSheet> {
    await this.record.inOrganization(caller.orgId, (tx) => requireProject(tx, caller, projectId));
    return this.sheets.read(request);
  }

  private async sheetOfProject(caller: Caller, projectId: string, body: SchemaFromSheet): Promise<SheetTable> {
    const { documentId, sheetName } = body;
    nameToSave(body);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      await requireProject(tx, caller, projectId);
      if (documentId === undefined) {
        throw invalidMember('documentId', 'is missing: name a spreadsheet of the project, or send one as a form');
      }
      await readOf(tx, caller, projectId, documentId, 'tables.read');
      return readSheet(tx, documentId, sheetName);
    });
  }

  private async answer(
    caller: Caller,
    projectId: string,
    { jsonSchema, rationale, warnings }: MadeSchema,
    name: string | null,
    source: SchemaSource,
  ): Promise<MadeSchemaView> {
    admitSchema(jsonSchema);
    const told = { jsonSchema, rationale: rationale.map(({ path, reason }) => ({ path, reason })), warnings };
    if (name === null) return { ...told, engine: 'local', schema: null, schemaVersion: null };
    const { body } = await this.schemas.create(caller, projectId, { name, jsonSchema }, source);
    const { schemaVersion, ...schema } = body;
    return { ...told, engine: 'local', schema, schemaVersion };
  }
}

/** Checked before anything is read. */
function nameToSave({ name, save }: ToSave): string | null {
  if (save !== true) return null;
  if (name === undefined) throw invalidMember('name', 'is missing: a schema that is saved has a name');
  return normalizeName(name);
}

/** Puts the reading of a document of the project on the audit. @throws DocsvcError `not_found` for one of another project */
async function readOf(
  tx: RecordTransaction,
  caller: Caller,
  projectId: string,
  documentId: string,
  action: string,
): Promise<void> {
  const document = await readDocument(tx, documentId);
  if (document.projectId !== projectId) throw new DocsvcError('not_found', 'there is no such document');
  await recordAudit(tx, caller, { action, subjectKind: 'document', subjectId: documentId, projectId });
}
