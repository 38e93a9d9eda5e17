import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsIn, IsObject, IsString, MaxLength, MinLength, ArrayMaxSize } from 'class-validator';
import type { JsonObject, JsonValue } from '../../../../src/domain/json.js';
import { DOCUMENT_KINDS, type DocumentKind } from '../../core/documents/document.entity.js';
import {
  VERSION_STAGES,
  VERSION_STATUSES,
  type VersionStage,
  type VersionStatus,
} from '../../core/documents/document-version.entity.js';
import { MAX_LABELS } from '../../domain/documents/annotations.js';
import { AsGiven } from '../http/as-given.js';
import { IsInstant } from '../http/instant.js';
import { PageQuery } from '../http/page.js';
import { Annotations } from './annotations.dto.js';
import { MayBeLeftOut } from '../http/left-out.js';

export class DocumentsQuery extends PageQuery {
  @ApiPropertyOptional({ type: 'string', enum: [...VERSION_STATUSES], description: 'Of the latest version.' })
  @MayBeLeftOut()
  @IsIn(VERSION_STATUSES)
  status?: VersionStatus;

  @ApiPropertyOptional({ type: 'string', enum: [...DOCUMENT_KINDS] })
  @MayBeLeftOut()
  @IsIn(DOCUMENT_KINDS)
  kind?: DocumentKind;

  @ApiPropertyOptional({ maxLength: 255 })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(255)
  label?: string;

  @ApiPropertyOptional({ maxLength: 255, description: 'With what the name begins.' })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(255)
  namePrefix?: string;

  @ApiPropertyOptional({ format: 'date-time' })
  @MayBeLeftOut()
  @IsInstant()
  updatedAfter?: string;
}

/** A file that comes whole: in `contentBase64`, or from `sourceUrl`. A form has a part `file` instead. */
export class NewDocumentBody extends Annotations {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 255,
    description: 'Left out, the last part of the address, or the name of the file.',
  })
  @MayBeLeftOut()
  @IsString()
  @MinLength(1)
  name?: string;

  @ApiPropertyOptional({ description: 'The bytes, at most 32 MiB of them.' })
  @MayBeLeftOut()
  @IsString()
  contentBase64?: string;

  @ApiPropertyOptional({
    format: 'uri',
    maxLength: 2048,
    description: 'An address of the public internet, fetched once.',
  })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(2048)
  sourceUrl?: string;
}

export class DocumentPatch {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255 })
  @MayBeLeftOut()
  @IsString()
  @MinLength(1)
  name?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'In place of what is there; at most 16 KiB as JSON.',
  })
  @MayBeLeftOut()
  @IsObject()
  @AsGiven()
  metadata?: JsonObject;

  @ApiPropertyOptional({ type: [String], maxItems: MAX_LABELS, description: 'In place of those that are there.' })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_LABELS)
  @IsString({ each: true })
  labels?: string[];
}

export class DownloadQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'The latest one without it.' })
  @MayBeLeftOut()
  @IsString()
  version?: string;
}

export class Document {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({
    type: 'string',
    enum: [...DOCUMENT_KINDS],
    description: 'What its bytes are; `other` until they were looked at.',
  })
  kind!: DocumentKind;

  @ApiProperty({ type: String, nullable: true })
  contentType!: string | null;

  @ApiProperty({ type: 'string', enum: [...VERSION_STATUSES], description: 'Of the latest version.' })
  status!: VersionStatus;

  @ApiProperty({ type: 'integer' })
  latestVersion!: number;

  @ApiProperty({ format: 'uuid' })
  latestVersionId!: string;

  @ApiProperty({ type: 'integer', format: 'int64' })
  sizeBytes!: number;

  @ApiProperty({ type: 'integer', nullable: true })
  pageCount!: number | null;

  @ApiProperty({ type: 'object', additionalProperties: true })
  metadata!: JsonObject;

  @ApiProperty({ type: [String] })
  labels!: string[];

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ type: String, format: 'date-time' })
  updatedAt!: Date;
}

export class VersionProgress {
  @ApiProperty({ type: 'integer' })
  pagesDone!: number;

  @ApiProperty({ type: 'integer', nullable: true })
  pagesTotal!: number | null;
}

export class VersionFailure {
  @ApiProperty()
  code!: string;

  @ApiProperty()
  message!: string;
}

export class DocumentVersion {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  documentId!: string;

  @ApiProperty({ type: 'integer' })
  version!: number;

  @ApiProperty({ type: 'string', enum: [...VERSION_STATUSES] })
  status!: VersionStatus;

  @ApiProperty({ type: 'string', enum: [...VERSION_STAGES], nullable: true })
  stage!: VersionStage | null;

  @ApiProperty({ type: VersionProgress })
  progress!: VersionProgress;

  @ApiProperty({ type: 'integer', format: 'int64' })
  sizeBytes!: number;

  @ApiProperty({ type: String, nullable: true, description: 'Hexadecimal; null until the bytes were read.' })
  sha256!: string | null;

  @ApiProperty({ type: String, nullable: true })
  contentType!: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  pageCount!: number | null;

  @ApiProperty({ type: 'integer' })
  ocrPages!: number;

  @ApiProperty({ type: [Number] })
  failedPages!: number[];

  @ApiProperty({ type: String, nullable: true })
  language!: string | null;

  @ApiProperty({ type: 'array', items: {} })
  warnings!: JsonValue[];

  @ApiProperty({ type: VersionFailure, nullable: true })
  error!: VersionFailure | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readyAt!: Date | null;
}

/** The answer of whatever makes a version. */
export class AddedVersion {
  @ApiProperty({ type: Document })
  document!: Document;

  @ApiProperty({ type: DocumentVersion })
  version!: DocumentVersion;
}

export class DownloadAddress {
  @ApiProperty({ description: 'Good for 15 minutes, without a token; takes `Range`.' })
  url!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;
}
