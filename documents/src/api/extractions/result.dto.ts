import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { JsonObject } from '../../../../src/domain/json.js';
import type { ListCompleteness } from '../../domain/extraction/model/extraction-result.js';
import { Citation } from '../pages/citation.dto.js';
import { RunErrorView, RunWarningView } from './extraction-views.dto.js';

class SignalsView {
  @ApiProperty({ minimum: 0, maximum: 1, description: 'How surely its words were read.' })
  read!: number;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'How clearly its place was found.' })
  find!: number;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'How well it fits the schema.' })
  fit!: number;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'What else agrees with it.' })
  agree!: number;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'How literally it stands where it is cited.' })
  ground!: number;
}

/** What is said of one leaf of the data. */
export class ExtractedFieldView {
  @ApiProperty({ minimum: 0, maximum: 1, description: 'How probably the value is right; of null, that there is none.' })
  confidence!: number;

  @ApiProperty({ type: [Citation] })
  citations!: Citation[];

  @ApiProperty({ type: 'string', enum: ['local'] })
  origin!: 'local';

  @ApiProperty({ type: 'string', nullable: true, description: 'What is printed.' })
  raw!: string | null;

  @ApiPropertyOptional({ description: 'How the value follows from what is printed.' })
  normalizedBy?: string;

  @ApiPropertyOptional({ description: 'The label, heading or column that named it.' })
  foundBy?: string;

  @ApiPropertyOptional({ type: SignalsView, description: 'With `include=signals`.' })
  signals?: SignalsView;
}

class CompletenessView implements ListCompleteness {
  @ApiProperty({ description: 'JSON pointer of the list in the data.' })
  path!: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  returnedRows!: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null where nothing tells.' })
  expectedRows!: number | null;

  @ApiProperty({
    type: 'string',
    enum: ['table_rows', 'numbering', 'stated_total', 'segments', null],
    nullable: true,
    description: 'Where the number is known from.',
  })
  method!: ListCompleteness['method'];

  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: 'Pages of it without a row; in a combined run counted through all documents.',
  })
  missingPages!: number[];

  @ApiProperty()
  complete!: boolean;
}

class ConfidenceOfResult {
  @ApiProperty({ type: 'number', nullable: true, description: 'Null where there is no leaf.' })
  min!: number | null;

  @ApiProperty({ type: 'number', nullable: true })
  mean!: number | null;
}

const DATA = { type: 'object', additionalProperties: true, description: 'In the shape of the schema.' } as const;
const FIELDS = {
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(ExtractedFieldView) },
  description: 'By JSON pointer into the data; every leaf, nulls too.',
} as const;

@ApiExtraModels(ExtractedFieldView)
class PlacedDocument {
  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Null in a combined run, as what follows.',
  })
  documentId!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  documentName!: string | null;

  @ApiProperty({ type: 'string', format: 'uuid', nullable: true })
  documentVersionId!: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  version!: number | null;
}

export class DocumentResultView extends PlacedDocument {
  @ApiPropertyOptional({ type: 'array', items: { type: 'string', format: 'uuid' }, description: 'In a combined run.' })
  documentVersionIds?: string[];

  @ApiProperty({ type: 'string', enum: ['completed', 'partial'] })
  status!: 'completed' | 'partial';

  @ApiProperty(DATA)
  data!: JsonObject;

  @ApiProperty(FIELDS)
  fields!: Record<string, ExtractedFieldView>;

  @ApiProperty({ type: [CompletenessView], description: 'One for each list.' })
  completeness!: CompletenessView[];

  @ApiProperty({ type: ConfidenceOfResult })
  confidence!: ConfidenceOfResult;

  @ApiProperty({ type: [String], description: 'JSON pointers of leaves below minConfidence of the run.' })
  needsReview!: string[];

  @ApiProperty({ type: [RunWarningView] })
  warnings!: RunWarningView[];
}

class FailedDocumentView extends PlacedDocument {
  @ApiProperty({ type: 'string' })
  code!: RunErrorView['code'];

  @ApiProperty()
  message!: string;
}

export class ExtractionResultView {
  @ApiProperty({ format: 'uuid' })
  extractionId!: string;

  @ApiProperty({ type: 'string', enum: ['completed', 'partial'] })
  status!: 'completed' | 'partial';

  @ApiProperty({ format: 'uuid' })
  schemaVersionId!: string;

  @ApiProperty()
  externalId!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  attempt!: number;

  @ApiProperty({ type: 'string', enum: ['local'] })
  engine!: 'local';

  @ApiProperty({ type: [FailedDocumentView], description: 'Documents that came to nothing.' })
  failures!: FailedDocumentView[];

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Results that went with their documents.' })
  purged!: number;

  @ApiProperty({ type: [DocumentResultView] })
  results!: DocumentResultView[];

  @ApiPropertyOptional({ ...DATA, description: 'That of the result, where there is exactly one.' })
  data?: JsonObject;

  @ApiPropertyOptional({ ...FIELDS, description: 'Those of the result, where there is exactly one.' })
  fields?: Record<string, ExtractedFieldView>;
}
