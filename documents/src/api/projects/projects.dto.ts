import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import type { JsonObject } from '../../../../src/domain/json.js';
import type { Project } from '../../core/projects/project-access.js';
import { DEFAULT_SETTINGS, ENGINES, OCR_MODES, type ProjectSettings } from '../../domain/project-settings.js';
import { AsGiven } from '../http/as-given.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { PageQuery } from '../http/page.js';
import { MAX_DESCRIPTION } from '../workspaces/workspaces.dto.js';

class SettingsView implements ProjectSettings {
  @ApiProperty({ type: 'string', enum: [...ENGINES], description: 'For extractions, which a later release brings.' })
  defaultEngine!: ProjectSettings['defaultEngine'];

  @ApiProperty({
    type: 'string',
    enum: [...OCR_MODES],
    description:
      '`auto` reads pictures of text where a page needs it, `off` never. `accurate` comes with a later release (501).',
  })
  ocrMode!: ProjectSettings['ocrMode'];

  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: 4,
    description: "Tesseract's names of languages, such as `eng`.",
  })
  ocrLanguages!: string[];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 36_500,
    description: 'Days that documents are kept; null: until they are deleted.',
  })
  retentionDays!: number | null;

  @ApiProperty({ description: 'A language tag for dates and numbers, such as `de-CH`.' })
  locale!: string;
}

class SettingsChanges {
  @ApiPropertyOptional({ type: 'string', enum: [...ENGINES] })
  defaultEngine?: string;

  @ApiPropertyOptional({ type: 'string', enum: [...OCR_MODES] })
  ocrMode?: string;

  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: 4 })
  ocrLanguages?: string[];

  @ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum: 36_500 })
  retentionDays?: number | null;

  @ApiPropertyOptional({ type: 'string', maxLength: 35 })
  locale?: string;
}

export class NewProject {
  @ApiProperty({ format: 'uuid' })
  @IsUUID()
  workspaceId!: string;

  @ApiProperty({
    description: '1 to 255 bytes, one line, no / or \\; unique in the workspace.',
    minLength: 1,
    maxLength: 255,
  })
  @IsString()
  name!: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;

  /** Held to the rules of settings by the domain. */
  @ApiPropertyOptional({ type: SettingsChanges })
  @MayBeLeftOut()
  @IsObject()
  @AsGiven()
  settings?: JsonObject;
}

export class ProjectChanges {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255 })
  @MayBeLeftOut()
  @IsString()
  name?: string;

  @ApiPropertyOptional({ type: 'string', nullable: true, maxLength: MAX_DESCRIPTION })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION)
  description?: string | null;

  /** Members that are left out stay as they are. */
  @ApiPropertyOptional({ type: SettingsChanges })
  @MayBeLeftOut()
  @IsObject()
  @AsGiven()
  settings?: JsonObject;
}

export class ProjectsQuery extends PageQuery {
  @ApiPropertyOptional({ type: 'string', format: 'uuid', description: 'Only projects of this workspace.' })
  @MayBeLeftOut()
  @IsUUID()
  workspaceId?: string;

  @ApiPropertyOptional({ type: 'string', description: 'Only projects of exactly this name.' })
  @MayBeLeftOut()
  @IsString()
  name?: string;
}

export class ProjectView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  workspaceId!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'string', nullable: true })
  description!: string | null;

  @ApiProperty({ type: SettingsView })
  settings!: ProjectSettings;

  @ApiProperty({ type: 'integer' })
  documentCount!: number;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: Date;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When it was archived; it is purged 30 days later.',
  })
  archivedAt!: Date | null;
}

export function viewProject(row: Project, documentCount: number): ProjectView {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    settings: { ...DEFAULT_SETTINGS, ...row.settings },
    documentCount,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
  };
}
