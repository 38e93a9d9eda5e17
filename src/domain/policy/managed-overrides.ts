import type { ExactJson } from '../digest/exact-json.js';
import { isExactObject } from '../digest/exact-json.js';

/**
 * Old documents carried per-tool overrides beside the rules; reading them folds each into a rule at the head, in order
 * (docs/design/policy.md). An entry whose tool ends in `*` is dropped: it used to match only literally.
 */
export function foldManagedOverrides(content: ExactJson): ExactJson {
  if (!isExactObject(content) || !Array.isArray(content['managed_overrides'])) return content;
  const folded = content['managed_overrides'].filter(isExactObject).flatMap(({ tool, action }) => {
    if (typeof tool !== 'string' || tool.endsWith('*') || action === undefined) return [];
    return [{ match: [tool], action }];
  });
  const rules = content['tools'] ?? [];
  return { ...content, tools: Array.isArray(rules) ? [...folded, ...rules] : rules };
}
