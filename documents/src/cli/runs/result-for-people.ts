import { explodeRows, type Cells } from '../../domain/csv/result-rows.js';
import type { CompiledSchema, SchemaList } from '../../domain/schemas/compile-schema.js';
import { inline } from '../terminal/escape.js';
import { renderRows, type Style } from '../terminal/output.js';
import type { DocumentResult } from './result-lines.js';

const VALUE = { Field: 'field', Value: 'value', Confidence: 'confidence' };

/** A result as a person reads it: what stands outside of lists with its confidence, then list after list. */
export function renderResult(result: DocumentResult, schema: CompiledSchema, style: Style): string {
  const rows = Array.from(explodeRows(schema.root, result.data as never), (cells) => new Map(cells));
  const single = schema.leaves
    .filter(({ list }) => list === null)
    .map(({ path, names }) => ({
      field: names.join('.'),
      value: rows[0]?.get(path) ?? null,
      confidence: result.fields[path]?.confidence.toFixed(2),
    }));
  const lists = schema.lists.filter(({ list }) => list === null);
  const parts = [
    headline(result),
    ...(single.length === 0 ? [] : [renderRows(single, VALUE, style)]),
    ...lists.map((list) => renderList(list, rows, schema, style)),
  ];
  return parts.join('\n\n');
}

function headline({ documentName, status, confidence: { min, mean } }: DocumentResult): string {
  const name = documentName === null ? 'all documents' : inline(documentName);
  if (min === null || mean === null) return `${name} (${status})`;
  return `${name} (${status}, confidence ${mean.toFixed(2)}, lowest ${min.toFixed(2)})`;
}

function renderList(list: SchemaList, rows: readonly Cells[], { leaves }: CompiledSchema, style: Style): string {
  const within = leaves.filter(({ path }) => path.startsWith(`${list.path}/`));
  const own = rows.filter((row) => within.some(({ path }) => row.has(path)));
  const title = `${inline(list.names.join('.'))}: ${own.length} rows`;
  if (own.length === 0) return title;
  const titles = within.map(({ names }) => names.slice(list.names.length).join('.') || 'value');
  const columns = Object.fromEntries(titles.map((name, at) => [name, `c${at}`]));
  const shown = own.map((row) => Object.fromEntries(within.map(({ path }, at) => [`c${at}`, row.get(path) ?? null])));
  return `${title}\n${renderRows(shown, columns, style)}`;
}
