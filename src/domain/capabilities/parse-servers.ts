import { isJsonObject } from '../json.js';
import type { FrozenTool } from '../run/spec.js';
import { IDENTITY_MEMBERS, type BundleServer, type ServerIdentity } from './bundle.js';
import { MAX_TOOLS, nameShown, parseTool, refusal, refuseTwice } from './parse-tool.js';

const MAX_SERVERS = 16;
/** No underscore: `mcp__<server>__<tool>` splits at the first `__`. */
const SERVER_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The structure of a bundle's servers with every default filled in (docs/design/tools.md). @throws SandgateError `invalid_request` */
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
