const MIB = 1024 * 1024;
/** Of the rows of one statement, as JSON: each is in memory several times while it is sent, and once more in the database. */
export const MAX_STATEMENT_BYTES = 16 * MIB;

/**
 * Rows as lists of JSON, as many in each as one statement takes. A row that is larger has a statement to itself. They are asked for as they are
 * needed, so that never more than one list is held.
 */
export async function* statementsOf(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  let waiting: string[] = [];
  let bytes = 2;
  for await (const row of rows) {
    const json = JSON.stringify(row, storable);
    const size = Buffer.byteLength(json) + 1;
    if (waiting.length > 0 && bytes + size > MAX_STATEMENT_BYTES) {
      yield `[${waiting.join(',')}]`;
      [waiting, bytes] = [[], 2];
    }
    waiting.push(json);
    bytes += size;
  }
  if (waiting.length > 0) yield `[${waiting.join(',')}]`;
}

/** PostgreSQL takes neither NUL nor half a surrogate pair; what stands for them is as long, so that places in the text stay right. */
function storable(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))) return value;
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}
