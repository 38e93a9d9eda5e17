import { canonicalJson } from '../digest/canonical-json.js';
import type { JsonObject, JsonValue } from '../json.js';
import { OFFLINE_CAP } from '../network/network-cap.js';
import type { PolicyDocument } from './document.js';
import { parsePolicyLenient } from './parse-policy.js';

/**
 * The form that is stored, returned as `content` and frozen into run specs: every default filled in, every optional key of a rule
 * present, `network` left out when it equals its default (docs/design/policy.md).
 */
export function canonicalPolicy(document: PolicyDocument): JsonObject {
  const { network, ...rest } = structuredClone(document);
  const content = rest as unknown as JsonObject;
  const isDefault = canonicalJson(network as unknown as JsonValue) === canonicalJson(OFFLINE_CAP);
  return isDefault ? content : { ...content, network: network as unknown as JsonValue };
}

/**
 * Stored content as it is shown and frozen: read leniently and written again, so that what an older version stored (managed
 * overrides, keys that are gone) means the same on a screen, in a run spec and at the gate. Throws `internal` when it is no policy.
 */
export function canonicalContent(stored: JsonValue): JsonObject {
  return canonicalPolicy(parsePolicyLenient(stored));
}
