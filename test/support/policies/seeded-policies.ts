import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../../src/domain/json.js';
import { parsePolicyYaml } from '../../../src/domain/policy/policy-yaml.js';

/** A policy that every organization starts with, from the folder `policies`. */
export function readSeededPolicy(name: string): ReturnType<typeof parsePolicyYaml> {
  return parsePolicyYaml(readFileSync(new URL(`../../../policies/${name}.yaml`, import.meta.url), 'utf8'));
}

/** The same as content, as a run freezes it. */
export function seededPolicyContent(name: string): JsonObject {
  return readSeededPolicy(name) as unknown as JsonObject;
}
