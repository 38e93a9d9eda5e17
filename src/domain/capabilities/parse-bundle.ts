import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject } from '../json.js';
import type { BundleServer } from './bundle.js';
import { parseServers } from './parse-servers.js';
import { findPoison } from './poison-screen.js';

/** A bundle before it has a version. */
export interface BundleDraft {
  name: string;
  description: string | null;
  servers: BundleServer[];
}

export const MAX_DEFINITION_BYTES = 2_097_152;
const MAX_DESCRIPTION_CHARS = 4096;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * Reads a bundle in the order name, brokered servers, structure; unknown members are left out (docs/design/tools.md). Schemas are
 * stored as they are: their limits apply when a tool is called.
 * @throws SandgateError `invalid_request` naming server, tool and reason
 */
export function parseBundle(body: JsonObject): BundleDraft {
  const name = parseName(body['name']);
  refuseBrokered(body['servers']);
  const description = parseDescription(body['description']);
  const servers = parseServers(body['servers']);
  const bytes = Buffer.byteLength(JSON.stringify({ servers }));
  if (bytes > MAX_DEFINITION_BYTES) {
    throw refusal(`servers: the definition is ${bytes} bytes, more than ${MAX_DEFINITION_BYTES}`);
  }
  return { name, description, servers };
}

function parseName(value: unknown): string {
  const name = typeof value === 'string' ? value.trim() : '';
  if (NAME.test(name)) return name;
  throw refusal('name: must be 1 to 64 of a-z 0-9 _ -, beginning with a letter or a digit');
}

function refuseBrokered(servers: unknown): void {
  if (!Array.isArray(servers)) return;
  const brokered: unknown = servers.find((server) => isJsonObject(server) && server['class'] === 'brokered');
  if (!isJsonObject(brokered)) return;
  const name = typeof brokered['name'] === 'string' ? ` ${brokered['name'].slice(0, 64)}` : '';
  throw refusal(
    `servers: server${name} is brokered; brokered tools are now connection requirements plus snapshots, and a bundle holds sandbox servers only`,
  );
}

function parseDescription(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw refusal('description: must be a string');
  if (value.length > MAX_DESCRIPTION_CHARS) {
    throw refusal(`description: has more than ${MAX_DESCRIPTION_CHARS} characters`);
  }
  const poison = findPoison(value);
  if (poison !== null) throw refusal(`description: contains the hidden or control character ${poison}`);
  return value;
}

function refusal(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
