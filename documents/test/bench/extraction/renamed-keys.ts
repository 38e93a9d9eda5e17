import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { pointerTo } from '../../../src/domain/json-pointer.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import type { ExtractedDocument } from '../../../src/domain/extraction/model/extraction-result.js';
import type { Reading } from '../../../src/domain/extraction/model/reading.js';
import type { AllWeights } from '../../../src/domain/extraction/scalars/score.js';
import type { CompiledSchema } from '../../../src/domain/schemas/compile-schema.js';
import type { NormalNode, NormalObject } from '../../../src/domain/schemas/normal-schema.js';

/** Extracts by the same schema with keys that say nothing (`k1`, `k2` …); only descriptions are left. The result has the old keys again. */
export function extractByRenamedKeys(
  { root }: Pick<CompiledSchema, 'root'>,
  reading: Reading,
  weights?: AllWeights,
): ExtractedDocument {
  const names = new Map<string, string>();
  const renamed = renameObject(root, names);
  return restored(extractDocument({ root: renamed }, reading, weights), names);
}

function renameObject(node: NormalObject, names: Map<string, string>): NormalObject {
  const properties = node.properties.map((property) => {
    const name = `k${names.size + 1}`;
    names.set(name, property.name);
    return { ...property, name, node: renameNode(property.node, names) };
  });
  return { ...node, properties };
}

function renameNode(node: NormalNode, names: Map<string, string>): NormalNode {
  if (node.kind === 'object') return renameObject(node, names);
  return node.kind === 'list' ? { ...node, items: renameNode(node.items, names) } : node;
}

function restored(result: ExtractedDocument, names: ReadonlyMap<string, string>): ExtractedDocument {
  const path = (pointer: string): string =>
    pointer
      .split('/')
      .slice(1)
      .reduce((at, part) => pointerTo(at, names.get(part) ?? part), '');
  return {
    ...result,
    data: restoredObject(result.data, names),
    fields: Object.fromEntries(Object.entries(result.fields).map(([key, field]) => [path(key), field])),
    completeness: result.completeness.map((one) => ({ ...one, path: path(one.path) })),
  };
}

function restoredObject(value: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [names.get(name) ?? name, restoredValue(member, names)]),
  );
}

function restoredValue(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((one) => restoredValue(one, names));
  return isJsonObject(value) ? restoredObject(value, names) : value;
}
