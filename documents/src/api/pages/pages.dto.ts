import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import type { PageDetails } from '../../core/pages/page-details.js';
import type { PageEntity } from '../../core/pages/page.entity.js';
import type { ReadVersion } from '../../core/pages/read-version.js';
import { DocsvcError } from '../../domain/errors.js';
import type { Box, Table, TableCell, Word } from '../../domain/page-model.js';
import { OCR_MODES } from '../../domain/project-settings.js';
import { isInProportion } from '../../domain/tables/proportion.js';
import { BodyMayBeLeftOut, MayBeLeftOut } from '../http/left-out.js';
import { PageQuery } from '../http/page.js';

const MOST = 999_999_999;
const NUMBER = /^[1-9]\d{0,8}$/;
const NUMBER_FAULT = { message: 'must be a whole number from 1 on' };

/** Of which version. */
export class VersionQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Left out, the newest version that was read.' })
  @MayBeLeftOut()
  @Matches(NUMBER, NUMBER_FAULT)
  version?: string;
}

export class OnePageQuery extends VersionQuery {
  @ApiPropertyOptional({ type: 'string', enum: ['words'], description: '`words`: every word with its place.' })
  @MayBeLeftOut()
  @IsIn(['words'])
  include?: 'words';
}

export class PagesQuery extends IntersectionType(PageQuery, OnePageQuery) {}

export class TablesQuery extends IntersectionType(PageQuery, VersionQuery) {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Only tables that are on this page.' })
  @MayBeLeftOut()
  @Matches(NUMBER, NUMBER_FAULT)
  page?: string;
}

export class ImageQuery extends VersionQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 36, maximum: 200, default: 100, description: 'Dots per inch.' })
  @MayBeLeftOut()
  @Matches(/^(3[6-9]|[4-9]\d|1\d\d|200)$/, { message: 'must be a whole number from 36 to 200' })
  dpi?: string;
}

export class BoxView {
  @ApiProperty({ description: 'Fractions of the page as it is displayed, from its top left corner.' })
  x!: number;

  @ApiProperty()
  y!: number;

  @ApiProperty()
  width!: number;

  @ApiProperty()
  height!: number;
}

export class WordView {
  @ApiProperty()
  text!: string;

  @ApiProperty({ type: BoxView })
  box!: BoxView;

  @ApiProperty({ type: [Number], description: 'From and to in `text`; the end is not part of it.' })
  charRange!: number[];

  @ApiProperty({ type: 'string', enum: ['text_layer', 'ocr', 'cell', 'form_field'] })
  source!: Word['source'];

  @ApiProperty({ description: '0 to 1' })
  confidence!: number;

  @ApiPropertyOptional({ type: 'string', description: 'Address of the cell, of sheets alone.' })
  cell?: string;
}

export class PageView {
  @ApiProperty({ format: 'uuid' })
  documentVersionId!: string;

  @ApiProperty({ type: 'integer' })
  version!: number;

  @ApiProperty({ type: 'integer' })
  pageNumber!: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'As it is printed, where that differs.' })
  label!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  sheetName!: string | null;

  @ApiProperty({ description: 'Displayed, in `unit`.' })
  width!: number;

  @ApiProperty()
  height!: number;

  @ApiProperty({ type: 'string', enum: ['pt', 'px', 'cell'] })
  unit!: PageEntity['unit'];

  @ApiProperty({ type: 'integer', enum: [0, 90, 180, 270] })
  rotation!: number;

  @ApiProperty({ type: 'string', enum: ['text_layer', 'ocr', 'mixed', 'cell'] })
  source!: PageEntity['source'];

  @ApiProperty({ type: 'number', nullable: true, description: 'Mean of what was recognized, 0 to 1.' })
  ocrConfidence!: number | null;

  @ApiProperty({ description: 'Words of a line with one blank between, lines with a line feed.' })
  text!: string;

  @ApiPropertyOptional({ type: [WordView], description: 'With `include=words`.' })
  words?: WordView[];
}

export class TableBoxView {
  @ApiProperty({ type: 'integer' })
  pageNumber!: number;

  @ApiProperty({ type: BoxView })
  box!: BoxView;
}

export class TableView {
  @ApiProperty({ format: 'uuid' })
  documentVersionId!: string;

  @ApiProperty({ type: 'integer' })
  version!: number;

  @ApiProperty({ type: 'integer' })
  tableNumber!: number;

  @ApiProperty({ type: [Number], description: 'Pages on which it is.' })
  pages!: number[];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    description: 'Rows of the header.',
  })
  header!: string[][];

  @ApiProperty({ type: 'array', items: { type: 'array', items: { type: 'string' } } })
  rows!: string[][];

  @ApiProperty({ type: [TableBoxView] })
  boxes!: TableBoxView[];

  @ApiProperty({ type: 'string', enum: ['ruled', 'aligned', 'sheet'], description: 'By what it was found.' })
  found!: Table['found'];

  @ApiProperty({ type: 'string', nullable: true })
  sheetName!: string | null;

  @ApiProperty({ type: 'string', nullable: true })
  cellRange!: string | null;
}

/** What is left out stays as it was asked for last, else as the project says. */
@BodyMayBeLeftOut()
export class Reprocess {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MOST, description: 'Left out, the latest version.' })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MOST)
  version?: number;

  @ApiPropertyOptional({ type: 'string', enum: [...OCR_MODES] })
  @MayBeLeftOut()
  @IsString()
  ocrMode?: string;

  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: 4, description: "Tesseract's names of languages." })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(4)
  @IsString({ each: true })
  ocrLanguages?: string[];

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 1024,
    description: 'Opens an encrypted document; used once and never stored.',
  })
  @MayBeLeftOut()
  @IsString()
  @MinLength(1)
  @MaxLength(1024)
  password?: string;
}

export function viewPage({ version }: ReadVersion, row: PageEntity, details: PageDetails | null): PageView {
  return {
    documentVersionId: version.id,
    version: version.version,
    pageNumber: row.page_number,
    label: row.label,
    sheetName: row.sheet_name,
    width: row.width,
    height: row.height,
    unit: row.unit,
    rotation: row.rotation,
    source: row.source,
    ocrConfidence: row.ocr_confidence,
    text: row.text,
    ...(details === null ? {} : { words: details.words.map(viewWord) }),
  };
}

function viewWord({ text, box, from, to, source, confidence, cell }: Word): WordView {
  return {
    text,
    box: viewBox(box),
    charRange: [from, to],
    source,
    confidence,
    ...(cell === undefined ? {} : { cell }),
  };
}

export function viewTable({ version }: ReadVersion, tableNumber: number, table: Table): TableView {
  const grid = gridOf(tableNumber, table);
  return {
    documentVersionId: version.id,
    version: version.version,
    tableNumber,
    pages: [...new Set(table.boxes.map(({ pageNumber }) => pageNumber))],
    header: grid.slice(0, table.headerRows),
    rows: grid.slice(table.headerRows),
    boxes: table.boxes.map(({ pageNumber, box }) => ({ pageNumber, box: viewBox(box) })),
    found: table.found,
    sheetName: table.sheetName ?? null,
    cellRange: table.cellRange ?? null,
  };
}

/** @throws DocsvcError `too_large` for a table whose grid would be out of proportion to its cells, as none is that is read today */
function gridOf(tableNumber: number, { rows, columns, cells }: Table): string[][] {
  if (!isInProportion({ rows, columns }, cells.length))
    throw new DocsvcError(
      'too_large',
      `table ${tableNumber} has ${rows} rows and ${columns} columns for ${cells.length} cells and cannot be answered; reprocess the document`,
    );
  return filledGrid({ rows, columns, cells });
}

/** A cell that spans several stands in the first of them. */
function filledGrid({ rows, columns, cells }: Pick<Table, 'rows' | 'columns' | 'cells'>): string[][] {
  const grid = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ''));
  for (const { row, column, text } of cells satisfies TableCell[]) {
    const line = grid[row];
    if (line !== undefined && column < line.length) line[column] = text;
  }
  return grid;
}

function viewBox([x, y, width, height]: Box): BoxView {
  return { x, y, width, height };
}
