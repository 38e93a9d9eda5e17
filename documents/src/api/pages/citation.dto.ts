import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

class PageFormat {
  @ApiProperty()
  width!: number;

  @ApiProperty()
  height!: number;

  @ApiProperty({ type: 'string', enum: ['pt', 'px', 'cell'] })
  unit!: string;

  @ApiProperty({ type: 'integer', enum: [0, 90, 180, 270] })
  rotation!: number;
}

class BoundingBox {
  @ApiProperty()
  x!: number;

  @ApiProperty()
  y!: number;

  @ApiProperty()
  width!: number;

  @ApiProperty()
  height!: number;
}

class CharRange {
  @ApiProperty({ type: 'integer', minimum: 0 })
  from!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Exclusive.' })
  to!: number;
}

/** Where something stands that was found in a document. */
export class Citation {
  @ApiProperty({ format: 'uuid' })
  documentId!: string;

  @ApiProperty()
  documentName!: string;

  @ApiProperty({ format: 'uuid' })
  documentVersionId!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  pageNumber!: number;

  @ApiPropertyOptional({ description: 'As printed on the page, where that differs.' })
  pageLabel?: string;

  @ApiProperty()
  page!: PageFormat;

  @ApiProperty({
    type: [BoundingBox],
    description: 'Fractions of the displayed page from its top left corner; one for each line of what was found.',
  })
  boundingBoxes!: BoundingBox[];

  @ApiProperty({ maxLength: 300, description: 'Verbatim.' })
  excerpt!: string;

  @ApiProperty({ description: "In the page's text." })
  charRange!: CharRange;

  @ApiProperty({
    type: 'string',
    enum: ['exact', 'normalized', 'fuzzy', 'inferred'],
    description:
      '`fuzzy`: for words that no document has, some like them were found. `normalized`: a value follows from what is printed. `inferred`: from ' +
      'what stands there together.',
  })
  match!: string;

  @ApiProperty({ type: 'string', enum: ['text_layer', 'ocr', 'form_field', 'cell'] })
  source!: string;

  @ApiPropertyOptional()
  sheetName?: string;

  @ApiPropertyOptional({ description: 'Such as `A2:F26`.' })
  cellRange?: string;
}
