import { digestOf } from '../digest/digest.js';
import { isExactObject, type ExactJson } from '../digest/exact-json.js';
import type { FrozenTool } from '../run/spec.js';
import { asDoubles, definitionOf, type SnapshotTool } from './snapshot-tool.js';

/** A tool as a run froze it; one that comes from a snapshot carries its digest. */
export type FrozenDefinition = FrozenTool & Partial<Pick<SnapshotTool, 'definition_digest'>>;

/** How an offered definition differs from the frozen one; both as digests, null for a tool that is not offered. */
export interface DefinitionDrift {
  offered: string | null;
  frozen: string;
}

/**
 * Whether the server still offers a tool as it was frozen; null when it does. Members in another order, white space, annotations
 * and the order of the tools make no difference; a changed name, description or schema does, and so does a name offered twice.
 */
export function findDrift(frozen: FrozenDefinition, offered: readonly ExactJson[]): DefinitionDrift | null {
  const exact = frozen.definition_digest !== undefined;
  const expected = frozen.definition_digest ?? digestOf(storedDefinition(frozen));
  const found = offered.filter((tool) => isExactObject(tool) && tool['name'] === frozen.name).map(definitionOf);
  const digests = found.map((definition) => digestOf(exact ? definition : asDoubles(definition)));
  const [first] = digests;
  if (digests.length === 1 && first === expected) return null;
  return { offered: digests.find((digest) => digest !== expected) ?? first ?? null, frozen: expected };
}

function storedDefinition({ name, description, input_schema, output_schema }: FrozenTool): ExactJson {
  return { name, description, input_schema, ...(output_schema === undefined ? {} : { output_schema }) };
}
