import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { JsonObject } from '../../../../src/domain/json.js';
import { MOST_DOCUMENTS } from '../../core/extractions/choose-versions.js';
import {
  EXTRACTION_MODES,
  EXTRACTION_STATUSES,
  type ExtractionMode,
  type ExtractionStatus,
} from '../../core/extractions/extraction.entity.js';
import { ENGINES } from '../../domain/project-settings.js';
import { AsGiven, SpelledAsKept } from '../http/as-given.js';
import { IsInstant } from '../http/instant.js';
import { BodyMayBeLeftOut, MayBeLeftOut } from '../http/left-out.js';
import { PageQuery } from '../http/page.js';

const MOST_PAGES = 1_000_000;
const LONGEST_EXTERNAL_ID = 255;

const EXTERNAL_ID = {
  type: 'string',
  minLength: 1,
  maxLength: LONGEST_EXTERNAL_ID,
  description:
    'The key of the run in its project: another request with it is answered with this run. Left out, the id of the run.',
} as const;

const IDS = {
  type: 'array',
  items: { type: 'string', format: 'uuid' },
  minItems: 1,
  maxItems: MOST_DOCUMENTS,
} as const;

export class PageRangeMembers {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MOST_PAGES })
  @IsInt()
  @Min(1)
  @Max(MOST_PAGES)
  first!: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MOST_PAGES, description: 'Left out: to the end.' })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MOST_PAGES)
  last?: number;
}

export class NewExtraction {
  @ApiProperty({ format: 'uuid', description: 'A version of a schema of the project.' })
  @IsUUID()
  @SpelledAsKept()
  schemaVersionId!: string;

  @ApiPropertyOptional(EXTERNAL_ID)
  @MayBeLeftOut()
  @IsString()
  @Length(1, LONGEST_EXTERNAL_ID)
  externalId?: string;

  @ApiPropertyOptional({
    ...IDS,
    description:
      'Documents, each in the newest version that was read or still is. Without this and documentVersionIds: all of the project.',
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_DOCUMENTS)
  @IsUUID(undefined, { each: true })
  @SpelledAsKept()
  documentIds?: string[];

  @ApiPropertyOptional({ ...IDS, description: 'Certain versions of documents.' })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_DOCUMENTS)
  @IsUUID(undefined, { each: true })
  @SpelledAsKept()
  documentVersionIds?: string[];

  @ApiPropertyOptional({
    type: 'string',
    enum: [...EXTRACTION_MODES],
    default: 'per_document',
    description: '`per_document`: a result for each. `combined`: one, as if all were one document.',
  })
  @MayBeLeftOut()
  @IsIn(EXTRACTION_MODES)
  mode?: ExtractionMode;

  @ApiPropertyOptional({
    type: 'string',
    enum: [...ENGINES],
    description:
      'Left out: what the settings of the project say. `auto` is `local` as long as no model is configured; `llm` and `hybrid` come with a later ' +
      'release (501).',
  })
  @MayBeLeftOut()
  @IsIn(ENGINES)
  engine?: (typeof ENGINES)[number];

  @ApiPropertyOptional({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Values below it are listed in needsReview of the result.',
  })
  @MayBeLeftOut()
  @IsNumber()
  @Min(0)
  @Max(1)
  minConfidence?: number;

  @ApiPropertyOptional({ type: PageRangeMembers, description: 'Of every document; without it all pages.' })
  @MayBeLeftOut()
  @IsObject()
  @ValidateNested()
  @Type(() => PageRangeMembers)
  pageRange?: PageRangeMembers;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Anything, at most 16 KiB as JSON; answered as it is.',
  })
  @MayBeLeftOut()
  @IsObject()
  @AsGiven()
  metadata?: JsonObject;
}

@BodyMayBeLeftOut()
export class RetryBody {
  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    description: 'Takes over what came to a result in the attempt before.',
  })
  @MayBeLeftOut()
  @IsBoolean()
  onlyFailed?: boolean;
}

export class ExtractionsQuery extends PageQuery {
  @ApiPropertyOptional({ type: 'string', enum: [...EXTRACTION_STATUSES] })
  @MayBeLeftOut()
  @IsIn(EXTRACTION_STATUSES)
  status?: ExtractionStatus;

  @ApiPropertyOptional({ type: 'string', format: 'uuid', description: 'Only runs with a version of this schema.' })
  @MayBeLeftOut()
  @IsUUID()
  schemaId?: string;

  @ApiPropertyOptional({ type: 'string', minLength: 1, maxLength: LONGEST_EXTERNAL_ID })
  @MayBeLeftOut()
  @IsString()
  @Length(1, LONGEST_EXTERNAL_ID)
  externalId?: string;

  @ApiPropertyOptional({ type: 'string', format: 'date-time' })
  @MayBeLeftOut()
  @IsInstant()
  createdAfter?: string;
}

export const RESULT_FORMATS = ['json', 'jsonl', 'csv'] as const;

export class ResultQuery {
  @ApiPropertyOptional({ type: 'string', enum: ['signals'], description: 'What each confidence is made of.' })
  @MayBeLeftOut()
  @IsIn(['signals'])
  include?: 'signals';

  @ApiPropertyOptional({
    type: 'string',
    enum: [...RESULT_FORMATS],
    default: 'json',
    description: '`jsonl`: a line for each result. `csv`: the data alone, a row for each item of lists.',
  })
  @MayBeLeftOut()
  @IsIn(RESULT_FORMATS)
  format?: (typeof RESULT_FORMATS)[number];

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'An earlier attempt; without it the newest.' })
  @MayBeLeftOut()
  @Matches(/^[1-9]\d{0,8}$/, { message: 'must be a whole number from 1' })
  attempt?: string;
}
