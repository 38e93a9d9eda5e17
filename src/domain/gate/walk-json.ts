import { isExactObject, type ExactJson } from '../digest/exact-json.js';

export interface JsonLimits {
  /** Levels; the root is one, each member or element one more. */
  maxDepth: number;
  /** The root and every member or element. */
  maxNodes: number;
}

export type JsonBreach = 'too_deep' | 'too_many';

/**
 * Visits every value once, without recursion and never more of them than the limits allow, so that hostile depth or width
 * costs nothing. Values at a limit pass.
 *
 * @returns the first limit that is exceeded, or null
 */
export function walkJson(
  root: ExactJson,
  limits: JsonLimits,
  visit: (value: ExactJson) => void = () => undefined,
): JsonBreach | null {
  let level: ExactJson[] = [root];
  let nodes = 1;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limits.maxDepth) return 'too_deep';
    const below: ExactJson[] = [];
    for (const value of level) {
      visit(value);
      const children = childrenOf(value);
      nodes += children.length;
      if (nodes > limits.maxNodes) return 'too_many';
      for (const child of children) below.push(child);
    }
    level = below;
  }
  return null;
}

function childrenOf(value: ExactJson): ExactJson[] {
  if (Array.isArray(value)) return value;
  return isExactObject(value) ? Object.values(value) : [];
}
