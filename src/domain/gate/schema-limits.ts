import { isExactObject, type ExactJson, type ExactObject } from '../digest/exact-json.js';
import type { JsonObject } from '../json.js';
import { walkJson, type JsonBreach } from './walk-json.js';

const MAX_SCHEMA_BYTES = 262_144;
const SCHEMA_LIMITS = { maxDepth: 32, maxNodes: 20_000 };
const MAX_PATTERNS = 64;
const MAX_ARGUMENT_BYTES = 1_048_576;
const ARGUMENT_LIMITS = { maxDepth: 64, maxNodes: 10_000 };

/** A frozen schema within its limits, as compact JSON, or why it must not be compiled. */
export type GuardedSchema = { kind: 'compilable'; text: string } | { kind: 'refused'; reason: string };

/**
 * Checks a frozen schema by counting, before anything is compiled (CP-316): depth, nodes, keywords that hold
 * patterns, references that leave the document, and its size last.
 */
export function guardSchema(schema: JsonObject): GuardedSchema {
  let patterns = 0;
  let leaves = false;
  const breach = walkJson(schema, SCHEMA_LIMITS, (value) => {
    if (!isExactObject(value)) return;
    patterns += patternsIn(value);
    leaves ||= isForeign(value['$ref']) || isForeign(value['$dynamicRef']);
  });
  if (breach !== null) return refused(SCHEMA_BREACHES[breach]);
  if (patterns > MAX_PATTERNS) return refused(`it has more than ${MAX_PATTERNS} keywords with patterns`);
  if (leaves) return refused('it refers to something outside itself');
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return refused(`it is larger than ${MAX_SCHEMA_BYTES} bytes`);
  return { kind: 'compilable', text };
}

const SCHEMA_BREACHES: Record<JsonBreach, string> = {
  too_deep: `it nests deeper than ${SCHEMA_LIMITS.maxDepth} levels`,
  too_many: `it has more than ${SCHEMA_LIMITS.maxNodes} values`,
};

function refused(reason: string): GuardedSchema {
  return { kind: 'refused', reason };
}

/** A property that happens to be called `pattern` counts too: only a compiler could tell keywords from properties. */
function patternsIn(value: ExactObject): number {
  const properties = Object.hasOwn(value, 'patternProperties') ? value['patternProperties'] : undefined;
  return (
    Number(Object.hasOwn(value, 'pattern')) +
    Number(Object.hasOwn(value, 'propertyNames')) +
    (isExactObject(properties) ? Object.keys(properties).length : 0)
  );
}

/** A value that is not a string is not a reference. */
function isForeign(reference: ExactJson | undefined): boolean {
  return typeof reference === 'string' && !reference.startsWith('#');
}

/**
 * What the arguments of a frozen tool exceed, as the one marker that the refusal shows instead of pointers; null within limits.
 *
 * @param text the arguments as compact JSON
 */
export function argumentBreach(input: ExactJson, text: string): string | null {
  if (text.length > MAX_ARGUMENT_BYTES || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) {
    return `(larger than ${MAX_ARGUMENT_BYTES} bytes)`;
  }
  const breach = walkJson(input, ARGUMENT_LIMITS);
  return breach === null ? null : ARGUMENT_BREACHES[breach];
}

const ARGUMENT_BREACHES: Record<JsonBreach, string> = {
  too_deep: `(deeper than ${ARGUMENT_LIMITS.maxDepth} levels)`,
  too_many: `(more than ${ARGUMENT_LIMITS.maxNodes} values)`,
};
