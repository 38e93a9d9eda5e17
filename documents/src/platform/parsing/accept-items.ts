import type {
  Box,
  FormField,
  Inspection,
  Line,
  Page,
  ParseFailure,
  Rule,
  Table,
  TableCell,
  Warning,
  Word,
} from '../../domain/page-model.js';
import { isInProportion, MAX_COLUMNS } from '../../domain/tables/proportion.js';
import type { LostPage, ReadPage, RenderedPage } from './page-requests.js';
import { WORD_MEMBERS } from './packed-page.js';
import { asFailure } from './read-answer.js';
import type { Sniffed } from './sniff-request.js';
import { FORMATS } from './sniff-request.js';

/*
 * Items as the programs of the jail print them. A document may have taken its program over, so nothing is believed: what is kept are the
 * members that are known, each of its type and inside its bounds, and anything else is an error of the whole answer.
 */

const MAX_PAGES = 1_000_000;
const MAX_TEXT = 64 * 1024 * 1024;
const MAX_LIST = 2_000_000;
const KINDS = ['pdf', 'image', 'spreadsheet', 'text', 'other'] as const;
const UNITS = ['pt', 'px', 'cell'] as const;
const ROTATIONS = [0, 90, 180, 270] as const;
const WORD_SOURCES = ['text_layer', 'ocr', 'cell', 'form_field'] as const;
const PAGE_SOURCES = ['text_layer', 'ocr', 'mixed', 'cell'] as const;
const FIELDS = ['text', 'checkbox', 'radio', 'choice', 'signature'] as const;
const FOUND = ['ruled', 'aligned', 'sheet'] as const;

type Members = Record<string, unknown>;

export function acceptSniffed(item: unknown): Sniffed {
  const { kind, format, contentType } = members(item);
  return { kind: oneOf(kind, KINDS), format: oneOf(format, FORMATS), contentType: text(contentType, 255) };
}

export function acceptInspection(item: unknown): Inspection {
  const { kind, contentType, pageCount, warnings } = members(item);
  return {
    kind: oneOf(kind, KINDS),
    contentType: text(contentType, 255),
    pageCount: pageCount === null ? null : whole(pageCount, MAX_PAGES),
    warnings: list(warnings, warning),
  };
}

export function acceptReadPage(item: unknown): ReadPage | LostPage {
  const { page, needsOcr, pageNumber, failure } = members(item);
  if (failure === undefined) return { page: acceptPage(page), needsOcr: needsOcr === true };
  return { pageNumber: whole(pageNumber, MAX_PAGES), failure: acceptFailure(failure) };
}

export function acceptRendered(item: unknown): RenderedPage {
  const { pageNumber, width, height, png } = members(item);
  return {
    pageNumber: whole(pageNumber, MAX_PAGES),
    width: whole(width, 100_000),
    height: whole(height, 100_000),
    png: base64(png),
  };
}

function acceptFailure(value: unknown): ParseFailure {
  return asFailure(members(value));
}

function acceptPage(value: unknown): Page {
  const page = members(value);
  const body = text(page['text'], MAX_TEXT);
  const words = list(page['words'], (one) => word(one, body.length));
  return {
    pageNumber: whole(page['pageNumber'], MAX_PAGES),
    ...optional('label', page['label'], (one) => text(one, 255)),
    width: number(page['width']),
    height: number(page['height']),
    unit: oneOf(page['unit'], UNITS),
    rotation: oneOf(page['rotation'], ROTATIONS),
    ...optional('sheetName', page['sheetName'], (one) => text(one, 255)),
    text: body,
    source: oneOf(page['source'], PAGE_SOURCES),
    ocrConfidence: page['ocrConfidence'] === null ? null : fraction(page['ocrConfidence']),
    words,
    lines: list(page['lines'], (one) => line(one, words.length)),
    rules: list(page['rules'], rule),
    fields: list(page['fields'], field),
    images: list(page['images'], box),
    tables: list(page['tables'], table),
    warnings: list(page['warnings'], warning),
  };
}

function word(value: unknown, length: number): Word {
  if (!Array.isArray(value) || value.length !== WORD_MEMBERS) throw new TypeError('not a word');
  const [said, x, y, width, height, from, to, source, confidence, fontSize, bold, cell] = value as unknown[];
  return {
    text: text(said, 65_536),
    box: box([x, y, width, height]),
    from: whole(from, length),
    to: whole(to, length),
    source: oneOf(source, WORD_SOURCES),
    confidence: fraction(confidence),
    ...optional('fontSize', fontSize ?? undefined, number),
    ...optional('bold', bold ?? undefined, flag),
    ...optional('cell', cell ?? undefined, address),
  };
}

function line(value: unknown, words: number): Line {
  const one = members(value);
  return { first: whole(one['first'], words), last: whole(one['last'], words), box: box(one['box']) };
}

function rule(value: unknown): Rule {
  const { x1, y1, x2, y2 } = members(value);
  return { x1: number(x1), y1: number(y1), x2: number(x2), y2: number(y2) };
}

function field(value: unknown): FormField {
  const one = members(value);
  return {
    name: text(one['name'], 4096),
    kind: oneOf(one['kind'], FIELDS),
    value: one['value'] === null ? null : text(one['value'], 65_536),
    box: box(one['box']),
  };
}

/** Its grid is as large as its cells are worth, or whoever writes it out runs out of memory. */
function table(value: unknown): Table {
  const one = members(value);
  const [rows, columns] = [whole(one['rows'], MAX_LIST), whole(one['columns'], MAX_COLUMNS)];
  const cells = list(one['cells'], (cell) => tableCell(cell, { rows, columns }));
  if (!isInProportion({ rows, columns }, cells.length)) throw new TypeError('a table with hardly any cells');
  return {
    firstPage: whole(one['firstPage'], MAX_PAGES),
    lastPage: whole(one['lastPage'], MAX_PAGES),
    columns,
    headerRows: whole(one['headerRows'], rows),
    rows,
    cells,
    boxes: list(one['boxes'], (part) => {
      const { pageNumber, box: place } = members(part);
      return { pageNumber: whole(pageNumber, MAX_PAGES), box: box(place) };
    }),
    found: oneOf(one['found'], FOUND),
    ...optional('sheetName', one['sheetName'], (name) => text(name, 255)),
    ...optional('cellRange', one['cellRange'], (range) => text(range, 32)),
  };
}

function tableCell(value: unknown, { rows, columns }: { rows: number; columns: number }): TableCell {
  const one = members(value);
  return {
    row: whole(one['row'], rows - 1),
    column: whole(one['column'], columns - 1),
    rowSpan: whole(one['rowSpan'], MAX_LIST),
    columnSpan: whole(one['columnSpan'], MAX_COLUMNS),
    text: text(one['text'], 1024 * 1024),
    pageNumber: whole(one['pageNumber'], MAX_PAGES),
    box: box(one['box']),
    ...optional('cell', one['cell'], address),
  };
}

function warning(value: unknown): Warning {
  const one = members(value);
  const code = text(one['code'], 64);
  if (!/^[a-z_]+$/.test(code)) throw new TypeError('a warning without a code');
  return {
    code,
    message: text(one['message'], 1000),
    ...optional('pageNumber', one['pageNumber'], (page) => whole(page, MAX_PAGES)),
  };
}

/** A box may leave its page by what rounding costs. */
function box(value: unknown): Box {
  if (!Array.isArray(value) || value.length !== 4) throw new TypeError('not a box');
  const [x, y, width, height] = value.map(number);
  if (![x, y, width, height].every((one) => one !== undefined && one >= -0.01 && one <= 1.01))
    throw new TypeError('not a box');
  return [x ?? 0, y ?? 0, width ?? 0, height ?? 0];
}

function members(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return value as Members;
}

function list<T>(value: unknown, accept: (one: unknown) => T): T[] {
  if (!Array.isArray(value) || value.length > MAX_LIST) throw new TypeError('not a list');
  return value.map(accept);
}

/** PostgreSQL keeps neither NUL nor half a character. */
function text(value: unknown, most: number): string {
  if (typeof value !== 'string' || value.length > most) throw new TypeError('not a text');
  return value.includes('\0') || !value.isWellFormed() ? value.replaceAll('\0', ' ').toWellFormed() : value;
}

function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError('not a number');
  return value;
}

function whole(value: unknown, most: number): number {
  const one = number(value);
  if (!Number.isInteger(one) || one < 0 || one > most) throw new TypeError('not a number of something');
  return one;
}

function fraction(value: unknown): number {
  const one = number(value);
  if (one < 0 || one > 1) throw new TypeError('not a fraction');
  return one;
}

function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError('not a flag');
  return value;
}

function address(value: unknown): string {
  const one = text(value, 16);
  if (!/^[A-Z]{1,3}\d{1,7}$/.test(one)) throw new TypeError('not the address of a cell');
  return one;
}

function base64(value: unknown): string {
  const one = text(value, 256 * 1024 * 1024);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(one)) throw new TypeError('not base64');
  return one;
}

function oneOf<const T>(value: unknown, all: readonly T[]): T {
  const found = all.find((one) => one === value);
  if (found === undefined) throw new TypeError('not one of the known words');
  return found;
}

function optional<K extends string, T>(name: K, value: unknown, accept: (one: unknown) => T): Partial<Record<K, T>> {
  return value === undefined ? {} : ({ [name]: accept(value) } as Partial<Record<K, T>>);
}
