import type { JsonObject } from '../../../../../src/domain/json.js';
import { pointerTo } from '../../json-pointer.js';
import { kindNamed } from '../words/read-notes.js';
import { keyOf, wordsOf } from '../words/name-field.js';
import { freeKey, valueSchema, type MadeSchema } from '../words/made-schema.js';
import { unitKind } from '../words/units.js';
import { columnKind, type ColumnKind } from './column-kind.js';
import { columnsOf, type SheetColumn, type SheetTable } from './sheet-columns.js';

export const SHEET_SHAPES = ['rows', 'record'] as const;
/** A list with a row for each of the sheet, or one record with the columns as its members. */
export type SheetShape = (typeof SHEET_SHAPES)[number];

export interface SheetReading {
  /** Null leaves it to the sheet: a template is a record, everything else has rows. */
  shape: SheetShape | null;
  /** Row of the sheet, from 1, in which the header ends. */
  headerRow: number | null;
}

/** A member that a sheet asks for. */
interface SheetField extends ColumnKind {
  header: string;
  description: string;
  reason: string;
}

const FIELD_HEADER = /^(?:field|property|column|key|attribute|field name|data field)s?$/iu;
/** Of a template only beside a column of types: lists of things have names and descriptions too. */
const NAME_HEADER = /^names?$/iu;
const TYPE_HEADER = /^(?:type|data type|kind|format)$/iu;
const ABOUT_HEADER = /^(?:description|meaning|comment|comments|notes?|explanation|definition)$/iu;
const EXAMPLE_HEADER = /^(?:example|examples|sample|sample value|value|e\.g\.)$/iu;

/**
 * A schema from a table of a sheet (DI-013). A table with a row for each thing gives a list `rows`, or with the shape `record` one thing; a
 * template, whose lines are a name with its type, its description or an example, gives one record.
 */
export function inferSchema(table: SheetTable, { shape, headerRow }: SheetReading): MadeSchema {
  const columns = columnsOf(table, headerRow);
  const lines = shape === 'rows' ? null : templateFields(columns);
  const fields = lines ?? columns.map(fieldOfColumn);
  const isRecord = lines !== null || shape === 'record';
  const made: MadeSchema = { jsonSchema: {}, rationale: [], warnings: [] };
  if (isRecord) {
    made.jsonSchema = { type: 'object', properties: propertiesOf(fields, '/properties', made) };
    return made;
  }
  const items = { type: 'object', properties: propertiesOf(fields, '/properties/rows/items/properties', made) };
  const of = table.sheetName === undefined ? 'a table' : `the sheet "${table.sheetName}"`;
  const rows = { type: 'array', description: `Each of the rows, as in ${of}.`, items };
  made.jsonSchema = { type: 'object', properties: { rows } };
  return made;
}

function propertiesOf(fields: readonly SheetField[], at: string, made: MadeSchema): JsonObject {
  const properties = new Map<string, JsonObject>();
  fields.forEach(({ header, description, reason, ...kind }, column) => {
    const wanted = keyOf(wordsOf(withoutUnit(header))) ?? keyOf(wordsOf(header)) ?? `column${column + 1}`;
    const key = freeKey(wanted, properties);
    const path = pointerTo(at, key);
    if (header === '') {
      made.warnings.push({ path, code: 'unknown_noun', message: `column ${column + 1} has no header` });
    } else if (key !== wanted) {
      made.warnings.push({ path, code: 'renamed', message: `there is a ${wanted} already, so this one is ${key}` });
    }
    made.rationale.push({ path, reason, labels: header === '' ? [] : [header] });
    properties.set(key, { ...valueSchema(kind, true), description });
  });
  return Object.fromEntries(properties);
}

function fieldOfColumn({ header, values }: SheetColumn): SheetField {
  const found = columnKind(header, values);
  const unit = found.unit ?? unitInHeader(header);
  const isMoney = found.kind === 'integer' && unit !== null && unitKind(unit) === 'currency';
  const kind = isMoney ? 'money' : found.kind;
  const count = values.filter((value) => value !== '').length;
  return {
    ...{ ...found, kind, unit, header, description: describe(header, { ...found, unit }, '') },
    reason: `${kind}${found.values === null ? '' : ' of few values'}, by ${count} values of the column`,
  };
}

/** The lines of a template as its fields; null for a table that is none. */
function templateFields(columns: readonly SheetColumn[]): SheetField[] | null {
  const [names, second] = columns;
  if (names === undefined || second === undefined || columns.length > 4) return null;
  const [type, about, example] = [TYPE_HEADER, ABOUT_HEADER, EXAMPLE_HEADER].map((pattern) =>
    columns.slice(1).find(({ header }) => pattern.test(header)),
  );
  const isTypes =
    type !== undefined && type.values.filter((text) => kindNamed(text) !== null).length * 2 >= type.values.length;
  const isField = FIELD_HEADER.test(names.header) && type === undefined && (about ?? example) !== undefined;
  const isNamed = isField || (isTypes && (FIELD_HEADER.test(names.header) || NAME_HEADER.test(names.header)));
  const isTyped = columns.length === 2 && areTypes([second.header, ...second.values]);
  if (!isNamed && !isTyped) return null;
  // Without a header its first line is a field too.
  const rows = isNamed ? columns : columns.map(({ header, values }) => ({ header, values: [header, ...values] }));
  const typed = isNamed ? type : rows[1];
  return (rows[0]?.values ?? []).flatMap((name, line) =>
    name === '' ? [] : [fieldOfLine(name, typed?.values[line], about?.values[line], example?.values[line])],
  );
}

function areTypes(texts: readonly string[]): boolean {
  const said = texts.filter((text) => text !== '');
  return said.length > 1 && said.every((text) => kindNamed(text) !== null);
}

function fieldOfLine(name: string, type = '', about = '', example = ''): SheetField {
  const named = kindNamed(type);
  const found = columnKind(name, example === '' ? [] : [example]);
  const unit = found.unit ?? unitInHeader(name);
  const kind = { ...found, kind: named ?? found.kind, unit };
  const reason = named !== null ? 'as the template says' : example === '' ? 'by its name' : 'by the example';
  return { ...kind, header: name, description: describe(name, kind, about), reason: `${kind.kind}, ${reason}` };
}

/** What the sheet calls it, word for word, with its unit and what the sheet says of it. */
function describe(header: string, { unit, values }: ColumnKind, about: string): string {
  const name = header === '' ? 'A column without a header' : `"${header}"`;
  const [inUnit, oneOf] = [unit === null ? '' : ` in ${unit}`, values === null ? '' : `, one of ${values.join(', ')}`];
  return `${name}${inUnit}${oneOf}.${about === '' ? '' : ` ${about}`}`;
}

const IN_BRACKETS = /[([]\s*([^)\]]+?)\s*[)\]]/u;

function unitInHeader(header: string): string | null {
  const inside =
    IN_BRACKETS.exec(header)?.[1] ?? /(?:,|\sin)\s+(\S+)$|\s(\p{Sc}|%)$/iu.exec(header)?.slice(1).join('') ?? '';
  return unitKind(inside) === null ? null : inside;
}

function withoutUnit(header: string): string {
  const unit = unitInHeader(header);
  if (unit === null) return header;
  const plain = header.replace(IN_BRACKETS, ' ').trim();
  return plain.endsWith(unit) ? plain.slice(0, -unit.length).replace(/(?:(?:,|\sin)\s+|\s+)$/iu, '') : plain;
}
