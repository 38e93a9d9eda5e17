import { isJsonObject } from '../../../domain/json.js';
import type { JsonObject, JsonValue } from '../../../domain/json.js';

/**
 * The input of `MultiEdit` for the changes of a `fileChange` item (docs/design/runner.md), each with its diff: whoever decides is
 * shown the whole of it (docs/design/gate.md). Null when nothing can be shown.
 */
export function editsOf(changes: JsonValue | undefined, cwd: string): JsonObject | null {
  if (!Array.isArray(changes) || changes.length === 0) return null;
  const edits: JsonObject[] = [];
  for (const change of changes) {
    if (!isJsonObject(change)) return null;
    const { path, kind, diff } = change;
    const op = isJsonObject(kind) ? kind['type'] : undefined;
    if (typeof path !== 'string' || typeof op !== 'string') return null;
    edits.push({ file_path: path, op, ...(typeof diff === 'string' ? { diff } : {}) });
    const moved = isJsonObject(kind) ? kind['move_path'] : undefined;
    if (typeof moved === 'string') edits.push({ file_path: moved, op: 'move_dest' });
  }
  return { edits, cwd };
}
