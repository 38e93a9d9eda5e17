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

/** Values that stand in no list, and for each list its rows. */
interface Collected {
  base: Map<string, JsonPrimitive>;
  lists: Cells[][];
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

  /** Without any value one line is left, which names the document. */
  lines({ documentName, data }: DocumentData): string[] {
    return explodeRows(this.schema.root, data).map((cells) =>
      this.line([documentName ?? '', ...this.paths.map((path) => textOf(cells.get(path)))]),
    );
  }

  private line(texts: readonly string[]): string {
    return texts.map((text) => csvCell(text, this.raw)).join(',');
  }
}

/** Data as rows: one for each item of its lists, and one where it has none. */
export function explodeRows(root: NormalNode, data: JsonObject): Cells[] {
  return explode(root, data, '');
}

function explode(node: NormalNode, value: JsonValue | undefined, path: string): Cells[] {
  const { base, lists } = collect(node, value, path);
  const rows = lists.flat();
  return rows.length === 0 ? [base] : rows.map((row) => new Map([...base, ...row]));
}

function collect(node: NormalNode, value: JsonValue | undefined, path: string): Collected {
  if (node.kind === 'scalar') return { base: new Map([[path, primitiveOf(value)]]), lists: [] };
  if (node.kind === 'list') {
    const items = Array.isArray(value) ? value : [];
    return { base: new Map(), lists: [items.flatMap((item) => explode(node.items, item, `${path}/*`))] };
  }
  const members = isJsonObject(value) ? value : {};
  const parts = node.properties.map(({ name, node: inner }) =>
    collect(inner, Object.hasOwn(members, name) ? members[name] : undefined, pointerTo(path, name)),
  );
  return { base: new Map(parts.flatMap(({ base }) => [...base])), lists: parts.flatMap(({ lists }) => lists) };
}

function primitiveOf(value: JsonValue | undefined): JsonPrimitive {
  return value === undefined || typeof value === 'object' ? null : value;
}

function textOf(value: JsonPrimitive | undefined): string {
  return value === undefined || value === null ? '' : String(value);
}
