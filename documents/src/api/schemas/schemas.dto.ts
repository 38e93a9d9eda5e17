import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsObject, IsOptional, IsString, MaxLength, Min } from 'class-validator';
import type { JsonObject } from '../../../../src/domain/json.js';
import {
  SCHEMA_SOURCES,
  type SchemaSource,
  type SchemaVersionEntity,
} from '../../core/schemas/schema-version.entity.js';
import type { SchemaEntity } from '../../core/schemas/schema.entity.js';
import { AsGiven } from '../http/as-given.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { PageQuery } from '../http/page.js';
import { MAX_DESCRIPTION } from '../workspaces/workspaces.dto.js';

const JSON_SCHEMA = {
  type: 'object',
  additionalProperties: true,
  description:
    'JSON Schema 2020-12: an object at the root; type (unions with null too), properties, required, items, enum, const, format, pattern, ' +
    'bounds, anyOf of null and single values, and references to its own $defs. Every key of properties has a description. ' +
    'At most 5000 properties, 10 levels and 256 KiB.',
} as const;

export class SchemasQuery extends PageQuery {
  @ApiPropertyOptional({ type: 'string', description: 'Only the schema of exactly this name.' })
  @MayBeLeftOut()
  @IsString()
  name?: string;
}

export class NewSchema {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    description: '1 to 255 bytes, one line, no / or \\; unique among the schemas of the project that are not archived.',
  })
  @IsString()
  name!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;

  @ApiProperty(JSON_SCHEMA)
  @IsObject()
  @AsGiven()
  jsonSchema!: JsonObject;
}

export class SchemaChanges {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255 })
  @MayBeLeftOut()
  @IsString()
  name?: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;
}

export class NewSchemaVersion {
  @ApiProperty(JSON_SCHEMA)
  @IsObject()
  @AsGiven()
  jsonSchema!: JsonObject;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'The newest version that was read; 409 when there is a newer one.',
  })
  @IsInt()
  @Min(1)
  baseVersion!: number;
}

export class SchemaToValidate {
  @ApiProperty({ ...JSON_SCHEMA, description: 'Any JSON object; what is wrong with it is the answer.' })
  @IsObject()
  @AsGiven()
  jsonSchema!: JsonObject;
}

class SchemaFaultView {
  @ApiProperty({ description: 'A JSON pointer into the schema; empty for the root.' })
  path!: string;

  @ApiProperty({ type: 'string', enum: ['schema_invalid', 'description_missing', 'too_large'] })
  code!: string;

  @ApiProperty()
  message!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'What to write instead, where that can be told.' })
  suggestion!: string | null;
}

export class SchemaValidation {
  @ApiProperty()
  valid!: boolean;

  @ApiProperty({ type: [SchemaFaultView], description: 'Everything that is wrong, in the order of the schema.' })
  errors!: SchemaFaultView[];

  @ApiProperty({ type: 'integer', description: 'Keys of all properties, definitions counted wherever they are used.' })
  fieldCount!: number;

  @ApiProperty({ type: 'integer', description: 'Objects and lists inside each other, the root included.' })
  depth!: number;
}

export class SchemaVersionView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  schemaId!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  version!: number;

  @ApiProperty({ type: 'object', additionalProperties: true })
  jsonSchema!: JsonObject;

  @ApiProperty({ description: 'SHA-256 of what it says, as 64 hexadecimal digits.' })
  digest!: string;

  @ApiProperty({ type: 'string', enum: [...SCHEMA_SOURCES], description: 'By hand, from words, or from a sheet.' })
  source!: SchemaSource;

  @ApiProperty({ type: 'integer' })
  fieldCount!: number;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;
}

export class SchemaRowView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty({ type: 'integer', minimum: 1 })
  latestVersion!: number;

  @ApiProperty({ format: 'uuid' })
  latestVersionId!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: Date;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When it was archived: lists leave it out, its versions stay.',
  })
  archivedAt!: Date | null;
}

export class SchemaView extends SchemaRowView {
  @ApiProperty({
    type: SchemaVersionView,
    description: 'The newest version; after a creation, the one that says this.',
  })
  schemaVersion!: SchemaVersionView;
}

export function viewSchemaRow(row: SchemaEntity): SchemaRowView {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    latestVersion: row.latest_version,
    latestVersionId: row.latest_version_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
  };
}

export function viewSchema(row: SchemaEntity, version: SchemaVersionEntity): SchemaView {
  return { ...viewSchemaRow(row), schemaVersion: viewSchemaVersion(version) };
}

export function viewSchemaVersion(row: SchemaVersionEntity): SchemaVersionView {
  return {
    id: row.id,
    schemaId: row.schema_id,
    version: row.version,
    jsonSchema: row.json_schema,
    digest: row.digest.toString('hex'),
    source: row.source,
    fieldCount: row.field_count,
    createdAt: row.created_at,
  };
}
