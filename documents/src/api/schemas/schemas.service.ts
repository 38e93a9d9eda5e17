import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { CLOCK, updateRow } from '../../../../src/platform/postgres/write-rows.js';
import { recordAudit } from '../../core/audit/record-audit.js';
import { requireProject } from '../../core/projects/project-access.js';
import { newestPage } from '../../core/record/newest-page.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { unlessTaken } from '../../core/record/unique-name.js';
import { admitSchema } from '../../core/schemas/admit-schema.js';
import { announceSchemaVersion } from '../../core/schemas/announce-schema-version.js';
import { holdSchema, requireSchema, requireSchemaVersion } from '../../core/schemas/schema-access.js';
import { SchemaVersionEntity, type SchemaSource } from '../../core/schemas/schema-version.entity.js';
import { SchemaEntity } from '../../core/schemas/schema.entity.js';
import { addSchemaVersion, makeSchema } from '../../core/schemas/write-schema.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { checkSchema } from '../../domain/schemas/check-schema.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { Caller } from '../http/caller.decorator.js';
import { requireVersion, Tagged, versionConflict } from '../http/etag.js';
import { answerPage, openPage, type Page, type PageQuery } from '../http/page.js';
import {
  viewSchema,
  viewSchemaRow,
  viewSchemaVersion,
  type NewSchema,
  type NewSchemaVersion,
  type SchemaChanges,
  type SchemaRowView,
  type SchemasQuery,
  type SchemaToValidate,
  type SchemaValidation,
  type SchemaVersionView,
  type SchemaView,
} from './schemas.dto.js';

const TAKEN = 'name: the project has another schema of this name';

/** Schemas of projects, and their versions (DI-010, DI-011). */
@Injectable()
export class SchemasService {
  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
  ) {}

  list(caller: Caller, projectId: string, query: SchemasQuery): Promise<Page<SchemaRowView>> {
    const name = query.name?.normalize('NFC');
    const list = `schemas of ${projectId} ${name ?? ''}`;
    const asked = openPage(caller, list, query);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const project = await requireProject(tx, caller, projectId);
      const where = { project_id: project.id, archived_at: IsNull(), ...(name === undefined ? {} : { name }) };
      return answerPage(caller, list, await newestPage(tx, SchemaEntity, where, asked), viewSchemaRow);
    });
  }

  /**
   * The schema with its first version; the one that is there, where it has this name and a version that says the same.
   *
   * @throws DocsvcError `schema_invalid` or `description_missing` with every fault, `conflict` for a name that is taken, `quota_exceeded`
   */
  create(
    caller: Caller,
    projectId: string,
    { name, description, jsonSchema }: NewSchema,
    source: SchemaSource = 'manual',
  ): Promise<Tagged<SchemaView>> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const project = await requireProject(tx, caller, projectId);
      const row = {
        projectId: project.id,
        name: normalizeName(name),
        description: description ?? null,
        source,
        schema: admitSchema(jsonSchema),
      };
      const { schema, version, isNew } = await makeSchema(tx, row, this.config.quotas.schemasPerProject);
      if (isNew) await recordAudit(tx, caller, { ...audited('schema.created', schema), detail: { source } });
      if (isNew) await announceSchemaVersion(tx, schema, version);
      return new Tagged(viewSchema(schema, version), schema.row_version);
    });
  }

  /** Says what is wrong with a schema; nothing is kept. */
  validate(caller: Caller, projectId: string, { jsonSchema }: SchemaToValidate): Promise<SchemaValidation> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      await requireProject(tx, caller, projectId);
      const { faults, fieldCount, depth } = checkSchema(jsonSchema);
      return { valid: faults.length === 0, errors: faults, fieldCount, depth };
    });
  }

  read(caller: Caller, id: string): Promise<Tagged<SchemaView>> {
    return this.record.inOrganization(caller.orgId, async (tx) => tagged(tx, await requireSchema(tx, caller, id)));
  }

  /** Name and description alone: what a schema says is changed by a version. */
  change(
    caller: Caller,
    id: string,
    asked: number | null,
    { name, description }: SchemaChanges,
  ): Promise<Tagged<SchemaView>> {
    return unlessTaken('schemas_name', TAKEN, () =>
      this.record.inOrganization(caller.orgId, async (tx) => {
        const before = await requireSchema(tx, caller, id);
        requireVersion(asked, before.row_version);
        const changes = {
          ...(name === undefined ? {} : { name: normalizeName(name) }),
          ...(description === undefined ? {} : { description }),
        };
        const row = await write(tx, before, changes);
        const detail = { members: Object.keys(changes) };
        await recordAudit(tx, caller, { ...audited('schema.changed', row), detail });
        return tagged(tx, row);
      }),
    );
  }

  /** Lists leave it out and its name is free again; its versions stay, for whoever has run with them. */
  archive(caller: Caller, id: string): Promise<Tagged<SchemaView>> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const before = await requireSchema(tx, caller, id);
      if (before.archived_at !== null) return tagged(tx, before);
      const row = await write(tx, before, { archived_at: CLOCK });
      await recordAudit(tx, caller, audited('schema.archived', row));
      return tagged(tx, row);
    });
  }

  versions(caller: Caller, id: string, query: PageQuery): Promise<Page<SchemaVersionView>> {
    const list = `versions of schema ${id}`;
    const asked = openPage(caller, list, query);
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const schema = await requireSchema(tx, caller, id);
      const page = await newestPage(tx, SchemaVersionEntity, { schema_id: schema.id }, asked);
      return answerPage(caller, list, page, viewSchemaVersion);
    });
  }

  /** @throws DocsvcError `version_conflict` for a base that is not the newest; `schema_invalid` or `description_missing` with every fault */
  addVersion(caller: Caller, id: string, { jsonSchema, baseVersion }: NewSchemaVersion): Promise<SchemaVersionView> {
    return this.record.inOrganization(caller.orgId, async (tx) => {
      const row = await holdSchema(tx, caller, id);
      const asked = { schema: admitSchema(jsonSchema), source: 'manual', baseVersion } as const;
      const { version, isNew } = await addSchemaVersion(tx, row, asked);
      const detail = { version: version.version, source: version.source };
      if (isNew) await recordAudit(tx, caller, { ...audited('schema.version_added', row), detail });
      if (isNew) await announceSchemaVersion(tx, row, version);
      return viewSchemaVersion(version);
    });
  }

  readVersion(caller: Caller, id: string): Promise<SchemaVersionView> {
    return this.record.inOrganization(caller.orgId, async (tx) =>
      viewSchemaVersion(await requireSchemaVersion(tx, caller, id)),
    );
  }
}

async function write(
  tx: RecordTransaction,
  { id, row_version: version }: SchemaEntity,
  changes: { name?: string; description?: string | null; archived_at?: () => string },
): Promise<SchemaEntity> {
  const values = { ...changes, row_version: version + 1, updated_at: CLOCK };
  const row = await updateRow(tx, SchemaEntity, { id, row_version: version }, values);
  if (row === null) throw versionConflict();
  return row;
}

async function tagged(tx: RecordTransaction, row: SchemaEntity): Promise<Tagged<SchemaView>> {
  const version = await tx.manager.findOneByOrFail(SchemaVersionEntity, { id: row.latest_version_id });
  return new Tagged(viewSchema(row, version), row.row_version);
}

function audited(action: string, { id, project_id: projectId }: SchemaEntity) {
  return { action, subjectKind: 'schema', subjectId: id, projectId };
}
