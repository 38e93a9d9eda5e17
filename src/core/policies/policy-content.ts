import { canonicalContent } from '../../domain/policy/canonical-form.js';
import { defectsOfContent } from '../../domain/policy/compile-policy.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { PolicyVersionEntity } from './policy.entity.js';
import type { PolicyAt } from './policy-versions.js';

/** What a version says, as it is shown and as runs freeze it. */
export function contentOf(version: PolicyVersionEntity): JsonObject {
  return canonicalContent(version.content as JsonObject);
}

/**
 * What runs freeze and what becomes a new version: the content of a valid one.
 * @throws SandgateError `invalid_request` naming what makes the version invalid (a deny pattern that does not compile, content of no policy)
 */
export function validContentOf({ policy, version }: PolicyAt): JsonObject {
  const defects = defectsOfContent(version.content as JsonObject);
  if (defects.length === 0) return contentOf(version);
  throw new SandgateError(
    'invalid_request',
    `policy: version ${version.version} of ${policy.name} is not valid; publish one that is: ${defects.join('; ')}`,
  );
}
