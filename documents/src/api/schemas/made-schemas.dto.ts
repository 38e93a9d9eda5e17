import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import type { JsonObject } from '../../../../src/domain/json.js';
import { SHEET_SHAPES, type SheetShape } from '../../domain/schemas/sheets/infer-schema.js';
import { MayBeLeftOut } from '../http/left-out.js';
import { SchemaRowView, SchemaVersionView } from './schemas.dto.js';

const MAX_WORDS = 8_000;
const MAX_SAMPLES = 5;
const MAX_ROW = 1_048_576;

class SchemaToSave {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255, description: 'Its name, where it is saved.' })
  @MayBeLeftOut()
  @IsString()
  name?: string;

  @ApiPropertyOptional({ default: false, description: 'Whether it becomes a schema of the project.' })
  @MayBeLeftOut()
  @IsBoolean()
  save?: boolean;
}

export class SchemaFromWords extends SchemaToSave {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_WORDS,
    description: 'What to look for, as in `vendor name, total in EUR, line items with description, quantity, price`.',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_WORDS)
  description!: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    maxItems: MAX_SAMPLES,
    description: 'Samples of the project; the rationale says how they name each field.',
  })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_SAMPLES)
  @ArrayUnique()
  @IsUUID(undefined, { each: true })
  documentIds?: string[];
}

export class SchemaFromSheet extends SchemaToSave {
  @ApiPropertyOptional({ format: 'uuid', description: 'A spreadsheet of the project that was read.' })
  @MayBeLeftOut()
  @IsUUID()
  documentId?: string;

  @ApiPropertyOptional({ type: 'string', description: 'The first sheet that has a table, without it.' })
  @MayBeLeftOut()
  @IsString()
  sheetName?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_ROW,
    description: 'Row of the sheet in which the header ends; found without it.',
  })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MAX_ROW)
  headerRow?: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: [...SHEET_SHAPES],
    description:
      '`rows`: a list with an item for each row; `record`: one thing. A template of names and types is a record without it.',
  })
  @MayBeLeftOut()
  @IsIn(SHEET_SHAPES)
  shape?: SheetShape;
}

class FieldReasonView {
  @ApiProperty({ description: 'A JSON pointer into the schema.' })
  path!: string;

  @ApiProperty()
  reason!: string;
}

class SchemaWarningView {
  @ApiProperty({ description: 'A JSON pointer into the schema; empty for the whole.' })
  path!: string;

  @ApiProperty({ type: 'string', enum: ['unknown_noun', 'renamed', 'nothing_named'] })
  code!: string;

  @ApiProperty()
  message!: string;
}

export class MadeSchemaView {
  @ApiProperty({ type: 'object', additionalProperties: true })
  jsonSchema!: JsonObject;

  @ApiProperty({ type: [FieldReasonView], description: 'Why each field is what it is.' })
  rationale!: FieldReasonView[];

  @ApiProperty({ type: [SchemaWarningView], description: 'What to look at before it is used.' })
  warnings!: SchemaWarningView[];

  @ApiProperty({ type: 'string', enum: ['local'], description: '`local`: a grammar and a lexicon, no model.' })
  engine!: 'local';

  @ApiProperty({ type: SchemaRowView, nullable: true, description: 'The schema, where it was saved.' })
  schema!: SchemaRowView | null;

  @ApiProperty({ type: SchemaVersionView, nullable: true, description: 'Its version that says this.' })
  schemaVersion!: SchemaVersionView | null;
}
