import { canonicalJson } from '../digest/canonical-json.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { PolicyDocument } from './document.js';
import { OFFLINE_CAP } from './document.js';

/**
 * The form that is stored, returned as `content` and frozen into run specs: every default filled in, every optional key of a rule
 * present, `network` left out when it equals its default (chapter 30 §2.4).
 */
export function canonicalPolicy(document: PolicyDocument): JsonObject {
  const { network, ...rest } = structuredClone(document);
  const content = rest as unknown as JsonObject;
  const isDefault = canonicalJson(network as unknown as JsonValue) === canonicalJson(OFFLINE_CAP);
  return isDefault ? content : { ...content, network: network as unknown as JsonValue };
}
