import { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from '../../../../src/domain/json.js';
import type { CompiledSchema } from '../schemas/compile-schema.js';
import type { NormalNode } from '../schemas/normal-schema.js';
import { pointerTo } from '../json-pointer.js';
import { csvCell } from './csv-cell.js';

/** The data of one result, and the document that it is of; null where it is of several. */
export interface DocumentData {
  documentName: string | null;
  data: JsonObject;
}

/** Values by the path of their leaf, with `*` in place of the number of an item. */
export type Cells = ReadonlyMap<string, JsonPrimitive>;

/** What stands in no list, and the lists, whose rows are not made yet. */
interface Collected {
  base: [path: string, value: JsonPrimitive][];
  lists: { items: readonly JsonValue[]; node: NormalNode; path: string }[];
}

const DOCUMENT = 'documentName';

/**
 * Writes results in the shape of a schema as lines of CSV: a column for each value that the schema looks for, a row for each item of its lists. What
 * stands outside of a list is repeated in its rows; lists that stand beside each other follow each other.
 */
export class ResultTable {
  private readonly paths: readonly string[];

  /** @param raw leaves cells as they are, also those that a spreadsheet would run */
  constructor(
    private readonly schema: Pick<CompiledSchema, 'root' | 'leaves'>,
    private readonly raw = false,
  ) {
    this.paths = schema.leaves.map(({ path }) => path);
  }

  /** The titles of the columns: names of properties from the root on, joined by dots. */
  header(): string {
    const titles = this.schema.leaves.map(({ names }) => names.join('.'));
    return this.line([DOCUMENT, ...titles]);
  }

  /** Line by line, as all of them may be much larger than the data. Without any value one is left, which names the document. */
  *lines({ documentName, data }: DocumentData): Generator<string> {
    for (const cells of explodeRows(this.schema.root, data)) {
      yield this.line([documentName ?? '', ...this.paths.map((path) => textOf(cells.get(path)))]);
    }
  }

  private line(texts: readonly string[]): string {
    return texts.map((text) => csvCell(text, this.raw)).join(',');
  }
}

/** Data as rows: one for each item of its lists, and one where it has none. A row is good until the next one is asked for. */
export function* explodeRows(root: NormalNode, data: JsonObject): Generator<Cells> {
  const cells = new Map<string, JsonPrimitive>();
  const rows = explode(root, data, '', cells);
  while (rows.next().done !== true) yield cells;
}

/** Puts row after row into the cells: what stands around a list is written once, and taken out behind its last row. */
function* explode(
  node: NormalNode,
  value: JsonValue | undefined,
  path: string,
  cells: Map<string, JsonPrimitive>,
): Generator<void> {
  const { base, lists } = collect(node, value, path);
  for (const [at, one] of base) cells.set(at, one);
  let hasRows = false;
  for (const { items, node: inner, path: at } of lists) {
    for (const item of items) {
      hasRows = true;
      yield* explode(inner, item, at, cells);
    }
  }
  if (!hasRows) yield;
  for (const [at] of base) cells.delete(at);
}

function collect(node: NormalNode, value: JsonValue | undefined, path: string): Collected {
  if (node.kind === 'scalar') return { base: [[path, primitiveOf(value)]], lists: [] };
  if (node.kind === 'list') {
    const items = Array.isArray(value) ? value : [];
    return { base: [], lists: [{ items, node: node.items, path: `${path}/*` }] };
  }
  const members = isJsonObject(value) ? value : {};
  const parts = node.properties.map(({ name, node: inner }) =>
    collect(inner, Object.hasOwn(members, name) ? members[name] : undefined, pointerTo(path, name)),
  );
  return { base: parts.flatMap(({ base }) => base), lists: parts.flatMap(({ lists }) => lists) };
}

function primitiveOf(value: JsonValue | undefined): JsonPrimitive {
  return value === undefined || typeof value === 'object' ? null : value;
}

function textOf(value: JsonPrimitive | undefined): string {
  return value === undefined || value === null ? '' : String(value);
}
