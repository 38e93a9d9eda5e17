import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { UPLOAD_STATUSES, type UploadStatus } from '../../core/uploads/upload-session.entity.js';
import { Annotations } from '../documents/annotations.dto.js';
import { MAX_FILE_BYTES, MAX_PART_BYTES, MAX_PARTS } from '../../domain/uploads/part-plan.js';
import { MayBeLeftOut } from '../http/left-out.js';

const SHA256 = /^[0-9a-f]{64}$/i;
/** Addresses that one request signs. */
export const MAX_SIGNED_PARTS = 100;

export class NewUploadBody extends Annotations {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    description: 'Name of the document; one that the project has already gets a new version.',
  })
  @IsString()
  @MinLength(1)
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, maximum: MAX_FILE_BYTES })
  @IsInt()
  sizeBytes!: number;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    maximum: MAX_PART_BYTES,
    description: 'Larger parts than the service would take.',
  })
  @MayBeLeftOut()
  @IsInt()
  partSizeBytes?: number;

  @ApiPropertyOptional({ pattern: '^[0-9a-fA-F]{64}$', description: 'SHA-256 of the whole file.' })
  @MayBeLeftOut()
  @Matches(SHA256, { message: 'must be a SHA-256 of 64 hexadecimal digits' })
  sha256?: string;
}

export class SignPartsBody {
  @ApiProperty({ type: [Number], minItems: 1, maxItems: MAX_SIGNED_PARTS })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_SIGNED_PARTS)
  @IsInt({ each: true })
  partNumbers!: number[];
}

export class StatedPartBody {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_PARTS })
  @IsInt()
  @Min(1)
  @Max(MAX_PARTS)
  partNumber!: number;

  @ApiProperty({ maxLength: 100 })
  @IsString()
  @MaxLength(100)
  etag!: string;
}

export class CompleteUploadBody {
  @ApiPropertyOptional({
    type: [StatedPartBody],
    maxItems: MAX_PARTS,
    description: 'ETags as the client got them; left out, the parts that were received count as they are.',
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_PARTS)
  @ValidateNested({ each: true })
  @Type(() => StatedPartBody)
  parts?: StatedPartBody[];

  @ApiPropertyOptional({
    pattern: '^[0-9a-fA-F]{64}$',
    description: 'SHA-256 of the whole file, checked while it is read.',
  })
  @MayBeLeftOut()
  @Matches(SHA256, { message: 'must be a SHA-256 of 64 hexadecimal digits' })
  sha256?: string;
}

export class PartCursorQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'Member `nextPartCursor` of the page before.' })
  @MayBeLeftOut()
  @Matches(/^\d{1,5}$/, { message: 'must be a part number' })
  partCursor?: string;
}

export class PartUrl {
  @ApiProperty({ type: 'integer' })
  partNumber!: number;

  @ApiProperty({ description: 'Send the bytes of the part here with PUT, without a token.' })
  url!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, description: 'Headers to send with it.' })
  headers!: Record<string, string>;

  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;
}

export class UploadFailure {
  @ApiProperty()
  code!: string;

  @ApiProperty()
  message!: string;
}

export class UploadSession {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Once it is complete.' })
  documentId!: string | null;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: 'integer', format: 'int64' })
  sizeBytes!: number;

  @ApiProperty({ type: 'integer', format: 'int64', description: 'Of every part but the last.' })
  partSizeBytes!: number;

  @ApiProperty({ type: 'integer' })
  partCount!: number;

  @ApiProperty({ type: 'string', enum: [...UPLOAD_STATUSES] })
  status!: UploadStatus;

  @ApiProperty({ type: UploadFailure, nullable: true })
  error!: UploadFailure | null;

  @ApiProperty({ type: 'string', enum: ['presigned', 'direct'] })
  transport!: 'presigned' | 'direct';

  @ApiProperty({ type: String, format: 'date-time', description: 'Seven days after the last part.' })
  expiresAt!: Date;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;
}

export class OpenedUpload extends UploadSession {
  @ApiProperty({ type: [PartUrl], description: 'The first 100; ask for more with `POST /api/uploads/{id}/parts`.' })
  partUrls!: PartUrl[];
}

export class ReceivedPart {
  @ApiProperty({ type: 'integer' })
  partNumber!: number;

  @ApiProperty({ type: 'integer', format: 'int64' })
  sizeBytes!: number;

  @ApiProperty({ description: 'The SHA-256 of its bytes.' })
  etag!: string;
}

export class PartNumbers {
  @ApiProperty({ type: 'integer' })
  first!: number;

  @ApiProperty({ type: 'integer' })
  last!: number;
}

export class UploadProgress extends UploadSession {
  @ApiProperty({ type: [ReceivedPart], description: 'At most 1,000; `partCursor` asks for those behind them.' })
  receivedParts!: ReceivedPart[];

  @ApiProperty({ type: 'integer', nullable: true })
  nextPartCursor!: number | null;

  @ApiProperty({ type: [PartNumbers], description: 'Everything that has to be sent yet.' })
  missingRanges!: PartNumbers[];
}

export class SentPartAnswer {
  @ApiProperty({ type: 'integer' })
  partNumber!: number;

  @ApiProperty({ description: 'As in the header `ETag`, without quotes.' })
  etag!: string;
}
