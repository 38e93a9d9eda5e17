import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject } from '../json.js';
import type { FrozenTool } from '../run/spec.js';
import { findPoison, findPoisonWithin } from './poison-screen.js';

/** Tools of one server, whether it runs in a sandbox or is brokered (docs/design/tools.md, docs/design/connections.md). */
export const MAX_TOOLS = 64;
const MAX_TOOL_DESCRIPTION_CHARS = 32_768;
const MAX_NAME_SHOWN = 64;
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * One tool of a server as it may be frozen, with every default filled in.
 * @param server names the server in the refusal
 * @throws SandgateError `invalid_request` that names the tool and what is wrong with it
 */
export function parseTool(value: unknown, server: string, index: number): FrozenTool {
  if (!isJsonObject(value)) throw refusal(server, `tools[${index}]: must be an object`);
  const place = `${server}, ${nameShown(value, `tools[${index}]`, 'tool')}`;
  const name = value['name'];
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    throw refusal(place, 'name: must be 1 to 128 of A-Z a-z 0-9 _ . -');
  }
  const outputSchema = parseSchema(value['output_schema'], place, 'output_schema');
  const annotations = value['annotations'] ?? null;
  if (annotations !== null && !isJsonObject(annotations)) throw refusal(place, 'annotations: must be an object');
  if (annotations !== null) refusePoisonIn(annotations, place, 'annotations');
  refuseUnfinite(annotations, place, 'annotations');
  return {
    name,
    description: parseToolDescription(value['description'], place),
    input_schema: parseSchema(value['input_schema'], place, 'input_schema') ?? {},
    ...(outputSchema === null ? {} : { output_schema: outputSchema }),
    ...(annotations === null ? {} : { annotations }),
  };
}

function parseToolDescription(value: unknown, place: string): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') throw refusal(place, 'description: must be a string');
  if (value.length > MAX_TOOL_DESCRIPTION_CHARS && [...value].length > MAX_TOOL_DESCRIPTION_CHARS) {
    throw refusal(place, `description: has more than ${MAX_TOOL_DESCRIPTION_CHARS} characters`);
  }
  refusePoison(value, place, 'description');
  return value;
}

/** The model reads a schema whole: names of members, choices, defaults and examples are screened like the tool's own description. */
function parseSchema(value: unknown, place: string, member: string): JsonObject | null {
  if (value === undefined || (value === null && member === 'output_schema')) return null;
  if (!isJsonObject(value)) throw refusal(place, `${member}: must be an object`);
  refusePoisonIn(value, place, member);
  refuseUnfinite(value, place, member);
  return value;
}

function refusePoisonIn(root: JsonObject, place: string, member: string): void {
  const found = findPoisonWithin(root);
  if (found !== null) throw poisoned(place, `a ${found.what} in ${member}`, found.poison);
}

/** A literal such as 1e400 reads as infinity, which JSON cannot write. */
function refuseUnfinite(root: unknown, place: string, member: string): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw refusal(place, `${member}: holds a number that is too large to store`);
    }
    if (typeof value === 'object' && value !== null) pending.push(...(Object.values(value) as unknown[]));
  }
}

function refusePoison(text: string, place: string, member: string): void {
  const poison = findPoison(text);
  if (poison !== null) throw poisoned(place, member, poison);
}

function poisoned(place: string, member: string, poison: string): SandgateError {
  return refusal(place, `${member}: contains the hidden or control character ${poison}`);
}

/** @throws SandgateError `invalid_request` */
export function refuseTwice(place: string, named: readonly { name: string }[], what: string): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) throw refusal(place, `${what} name ${name} is used twice`);
    seen.add(name);
  }
}

/** How a refusal names a server or a tool: by its name where it has one. */
export function nameShown(value: JsonObject, position: string, what: string): string {
  const name = value['name'];
  return typeof name === 'string' && name !== '' ? `${what} ${name.slice(0, MAX_NAME_SHOWN)}` : position;
}

export function refusal(place: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${place}: ${reason}`);
}
