import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { PARSED_KINDS } from '../../domain/page-model.js';
import { IsInstant } from '../http/instant.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { Citation } from '../pages/citation.dto.js';

const LONGEST_QUERY = 2000;
const DEFAULT_LIMIT = 10;
const MOST_RESULTS = 50;
const MOST_OF_A_FILTER = 100;
const LONGEST_LABEL = 255;
/** It holds the words of the query with their weights. */
const LONGEST_CURSOR = 32_768;

export const SEARCH_MODES = ['hybrid', 'lexical', 'semantic'] as const;

class SearchFiltersBody {
  @ApiPropertyOptional({ type: [String], format: 'uuid', minItems: 1, maxItems: MOST_OF_A_FILTER })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_OF_A_FILTER)
  @IsUUID(undefined, { each: true })
  documentIds?: string[];

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: MOST_OF_A_FILTER,
    description: 'Documents with at least one of them.',
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_OF_A_FILTER)
  @IsString({ each: true })
  @MaxLength(LONGEST_LABEL, { each: true })
  labels?: string[];

  @ApiPropertyOptional({ type: [String], enum: [...PARSED_KINDS], minItems: 1 })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PARSED_KINDS.length)
  @IsIn(PARSED_KINDS, { each: true })
  kinds?: (typeof PARSED_KINDS)[number][];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    minItems: 1,
    maxItems: MOST_OF_A_FILTER,
    description: 'Numbers of pages, from 1.',
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_OF_A_FILTER)
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(1_000_000, { each: true })
  pages?: number[];

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Documents that changed later.' })
  @MayBeLeftOut()
  @IsInstant()
  updatedAfter?: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['latest', 'all'],
    default: 'latest',
    description: '`latest`: of each document the newest version that could be read.',
  })
  @MayBeLeftOut()
  @IsIn(['latest', 'all'])
  versions?: 'latest' | 'all';
}

export class SearchRequest {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: LONGEST_QUERY,
    description: 'A question or words, as a person writes.',
  })
  @IsString()
  @Length(1, LONGEST_QUERY)
  query!: string;

  @ApiPropertyOptional({ type: 'boolean', default: false, description: 'Adds where on its page each result stands.' })
  @MayBeLeftOut()
  @IsBoolean()
  includeCitations?: boolean;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MOST_RESULTS, default: DEFAULT_LIMIT })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MOST_RESULTS)
  limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: LONGEST_CURSOR,
    description: 'Member `nextCursor` of the answer before, with the same query and filters.',
  })
  @MayBeLeftOut()
  @IsString()
  @Length(1, LONGEST_CURSOR)
  cursor?: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: [...SEARCH_MODES],
    default: 'hybrid',
    description: 'By words in any case; `hybrid` says so with `degraded`. `semantic` comes with a later release (501).',
  })
  @MayBeLeftOut()
  @IsIn(SEARCH_MODES)
  mode?: (typeof SEARCH_MODES)[number];

  @ApiPropertyOptional({ type: SearchFiltersBody })
  @MayBeLeftOut()
  @ValidateNested()
  @Type(() => SearchFiltersBody)
  filters?: SearchFiltersBody;
}

class SearchResult {
  @ApiProperty({ format: 'uuid' })
  documentId!: string;

  @ApiProperty()
  documentName!: string;

  @ApiProperty({ format: 'uuid' })
  documentVersionId!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  version!: number;

  @ApiProperty({ type: 'integer', minimum: 1 })
  pageNumber!: number;

  @ApiProperty({ maxLength: 500, description: 'Verbatim, around what was found.' })
  excerpt!: string;

  @ApiProperty({ minimum: 0, maximum: 1 })
  score!: number;

  @ApiPropertyOptional()
  sheetName?: string;

  @ApiPropertyOptional({ description: 'Such as `A2:F26`.' })
  cellRange?: string;

  @ApiPropertyOptional({ type: [Citation], description: 'With `includeCitations`.' })
  citations?: Citation[];
}

export class SearchAnswerView {
  @ApiProperty()
  query!: string;

  @ApiProperty({ type: 'string', enum: ['lexical'], description: 'How was searched.' })
  mode!: 'lexical';

  @ApiProperty({ description: 'More was asked for than searching by words.' })
  degraded!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0 })
  tookMilliseconds!: number;

  @ApiProperty({
    type: [SearchResult],
    description: 'Best first; at most 3 of a page and, without `documentIds`, 5 of a document.',
  })
  results!: SearchResult[];

  @ApiProperty({ type: 'string', nullable: true, description: 'For the next page; null at the end.' })
  nextCursor!: string | null;
}

export type SearchResultView = SearchAnswerView['results'][number];
