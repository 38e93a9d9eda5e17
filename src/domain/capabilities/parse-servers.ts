import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject } from '../json.js';
import type { FrozenTool } from '../run/spec.js';
import { IDENTITY_MEMBERS, type BundleServer, type ServerIdentity } from './bundle.js';
import { findPoison } from './poison-screen.js';

const MAX_SERVERS = 16;
const MAX_TOOLS = 64;
const MAX_TOOL_DESCRIPTION_CHARS = 32_768;
const MAX_NAME_SHOWN = 64;
/** No underscore: `mcp__<server>__<tool>` splits at the first `__`. */
const SERVER_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The structure of a bundle's servers with every default filled in (chapter 30 §10.1). @throws SandgateError `invalid_request` */
export function parseServers(value: unknown): BundleServer[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_SERVERS) {
    throw refusal('servers', `must be an array of 1 to ${MAX_SERVERS} servers`);
  }
  const servers = value.map((server: unknown, index) => parseServer(server, `servers[${index}]`));
  refuseTwice('servers', servers, 'server');
  return servers;
}

function parseServer(value: unknown, position: string): BundleServer {
  if (!isJsonObject(value)) throw refusal(position, 'must be an object');
  const place = nameShown(value, position, 'server');
  if (value['class'] !== 'sandbox') throw refusal(place, 'class: must be sandbox');
  const name = value['name'];
  if (typeof name !== 'string' || !SERVER_NAME.test(name)) {
    throw refusal(place, 'name: must be 1 to 64 of a-z 0-9 -, beginning with a letter or a digit');
  }
  const command = value['command'];
  if (typeof command !== 'string' || command.trim() === '') throw refusal(place, 'command: must be a non-blank string');
  const identity = parseIdentity(value['identity'], place);
  return {
    class: 'sandbox',
    name,
    command,
    args: parseArgs(value['args'], place),
    ...(identity === null ? {} : { identity }),
    tools: parseTools(value['tools'], place),
  };
}

function parseArgs(value: unknown, place: string): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((argument) => typeof argument === 'string')) return value;
  throw refusal(place, 'args: must be an array of strings');
}

function parseIdentity(value: unknown, place: string): ServerIdentity | null {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) throw refusal(place, 'identity: must be an object');
  const identity: ServerIdentity = {};
  for (const member of IDENTITY_MEMBERS) {
    const text = value[member];
    if (text === undefined || text === null) continue;
    if (typeof text !== 'string') throw refusal(place, `identity.${member}: must be a string`);
    identity[member] = text;
  }
  return identity;
}

function parseTools(value: unknown, place: string): FrozenTool[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_TOOLS) {
    throw refusal(place, `tools: must be an array of 1 to ${MAX_TOOLS} tools`);
  }
  const tools = value.map((tool: unknown, index) => parseTool(tool, place, index));
  refuseTwice(place, tools, 'tool');
  return tools;
}

function parseTool(value: unknown, server: string, index: number): FrozenTool {
  if (!isJsonObject(value)) throw refusal(server, `tools[${index}]: must be an object`);
  const place = `${server}, ${nameShown(value, `tools[${index}]`, 'tool')}`;
  const name = value['name'];
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    throw refusal(place, 'name: must be 1 to 128 of A-Z a-z 0-9 _ . -');
  }
  const outputSchema = parseSchema(value['output_schema'], place, 'output_schema');
  const annotations = value['annotations'] ?? null;
  if (annotations !== null && !isJsonObject(annotations)) throw refusal(place, 'annotations: must be an object');
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

/** The model reads what a schema says of its members too, so those texts are screened like the tool's own. */
function parseSchema(value: unknown, place: string, member: string): JsonObject | null {
  if (value === undefined || (value === null && member === 'output_schema')) return null;
  if (!isJsonObject(value)) throw refusal(place, `${member}: must be an object`);
  for (const { key, text } of textsOf(value)) {
    if (key === 'description' || key === 'title') refusePoison(text, place, `a ${key} in ${member}`);
  }
  refuseUnfinite(value, place, member);
  return value;
}

/** Every text with the name of its member. Without recursion: nesting is the author's choice. */
function* textsOf(root: JsonObject): Generator<{ key: string; text: string }> {
  const pending: { key: string; value: unknown }[] = [{ key: '', value: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value === 'string') yield { key: next.key, text: next.value };
    else if (typeof next.value === 'object' && next.value !== null) {
      for (const [key, value] of Object.entries(next.value)) pending.push({ key, value: value as unknown });
    }
  }
}

/** A literal such as 1e400 reads as infinity, which no JSON document can carry again. */
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
  if (poison !== null) throw refusal(place, `${member}: contains the hidden or control character ${poison}`);
}

function refuseTwice(place: string, named: readonly { name: string }[], what: string): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) throw refusal(place, `${what} name ${name} is used twice`);
    seen.add(name);
  }
}

function nameShown(value: JsonObject, position: string, what: string): string {
  const name = value['name'];
  return typeof name === 'string' && name !== '' ? `${what} ${name.slice(0, MAX_NAME_SHOWN)}` : position;
}

function refusal(place: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${place}: ${reason}`);
}
