import { findPoison } from '../capabilities/poison-screen.js';
import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import type { ConnectorDefinition, Provenance } from './connector.js';
import { freeSlug, slugOf } from './connector-slug.js';
import { MAX_CONNECTOR_NAME, parseConnectorUrl } from './parse-connector.js';

export type ImportSource = 'mcp-registry' | 'open-connector';

/** An entry of another catalog, in the form in which it is stored for the whole deployment (docs/design/connections.md). */
export interface ImportedConnector extends ConnectorDefinition {
  provenance: Omit<Provenance, 'imported_at'>;
}

export interface ImportDocuments {
  /** A listing of the MCP registry: `{servers: [{server, _meta}]}`. */
  registry: JsonValue;
  /** Providers that speak REST alone: `{providers: [{id, name, description, url, categories}]}`. */
  providers: JsonValue;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const REMOTE_TYPES = ['streamable-http', 'http'];
const MAX_DESCRIPTION = 2000;
const FALLBACK_SLUG = 'connector';

/**
 * Turns other catalogs into connectors: the same documents give the same entries with the same slugs, in the same order. An entry
 * with hidden or control characters is left out whole: whoever hides text in one member is not trusted with the others.
 *
 * @throws SandgateError `invalid_request` for a document of another shape
 */
export function readImport({ registry, providers }: Partial<ImportDocuments>): ImportedConnector[] {
  const taken = new Set<string>();
  const servers = byName(listOf(registry, 'servers')).flatMap((entry) => readServer(entry, taken));
  // A registry entry of the same slug wins: it can be connected, and a mere description of an interface cannot.
  const known = new Set(taken);
  const rest = byName(listOf(providers, 'providers')).flatMap((entry) => readProvider(entry, known, taken));
  return [...servers, ...rest];
}

function listOf(document: JsonValue | undefined, member: string): JsonObject[] {
  if (document === undefined) return [];
  const list = isJsonObject(document) ? document[member] : document;
  if (!Array.isArray(list)) throw new SandgateError('invalid_request', `the document has no list ${member}`);
  return list
    .filter(isJsonObject)
    .map((entry) => (isJsonObject(entry['server']) ? entry : { server: entry, _meta: entry['_meta'] ?? null }));
}

/** By the upstream's own id, so that the order of a listing decides nothing. */
function byName(entries: JsonObject[]): JsonObject[] {
  return entries.toSorted((a, b) => (upstreamId(a) < upstreamId(b) ? -1 : 1));
}

function upstreamId({ server }: JsonObject): string {
  if (!isJsonObject(server)) return '';
  return textOf(server['id']) ?? textOf(server['name']) ?? '';
}

function readServer(entry: JsonObject, taken: Set<string>): ImportedConnector[] {
  const { server } = entry;
  if (!isJsonObject(server) || !isCurrent(entry['_meta'] ?? null)) return [];
  const name = textOf(server['name']);
  const title = textOf(server['title']) ?? name?.split('/').at(-1) ?? null;
  if (name === null || title === null || isPoisoned(server)) return [];
  const slug = freeSlug(slugOf(title, FALLBACK_SLUG), (candidate) => taken.has(candidate));
  taken.add(slug);
  const url = remoteOf(server['remotes']);
  return [
    {
      ...described(slug, title, server),
      url,
      egress: url === null ? [] : [new URL(url).host],
      transport: url === null ? 'rest_action' : 'streamable_http',
      provenance: provenance('mcp-registry', name, server),
    },
  ];
}

function readProvider(
  { server: provider }: JsonObject,
  known: ReadonlySet<string>,
  taken: Set<string>,
): ImportedConnector[] {
  if (!isJsonObject(provider)) return [];
  const title = textOf(provider['name']);
  if (title === null || isPoisoned(provider)) return [];
  const stem = slugOf(title, FALLBACK_SLUG);
  if (known.has(stem)) return [];
  const slug = freeSlug(stem, (candidate) => taken.has(candidate));
  taken.add(slug);
  const url = httpsUrl(provider['url']);
  return [
    {
      ...described(slug, title, provider),
      url,
      egress: url === null ? [] : [new URL(url).host],
      transport: 'rest_action',
      provenance: provenance('open-connector', textOf(provider['id']) ?? title, provider),
    },
  ];
}

/** An import does not say how to sign in; connecting or a probe finds out. */
function described(slug: string, title: string, entry: JsonObject): ConnectorDefinition {
  return {
    slug,
    name: title.slice(0, MAX_CONNECTOR_NAME).toWellFormed(),
    icon: null,
    description: textOf(entry['description'])?.slice(0, MAX_DESCRIPTION).toWellFormed() ?? null,
    categories: textsOf(entry['categories']).slice(0, 16),
    scopes: [],
    egress: [],
    url: null,
    transport: 'rest_action',
    auth_mode: 'none',
    auth_hints: {},
    tool_hints: [],
    sandbox_launch: null,
  };
}

function provenance(source: ImportSource, upstream: string, entry: JsonObject): ImportedConnector['provenance'] {
  return { source, source_ref: textOf(entry['version']), upstream_id: upstream, status: 'active' };
}

function isCurrent(meta: JsonValue): boolean {
  const official = isJsonObject(meta) ? meta[OFFICIAL] : null;
  return isJsonObject(official ?? null) && isActive(official as JsonObject);
}

function isActive({ status, isLatest }: JsonObject): boolean {
  return status === 'active' && isLatest === true;
}

/** The first remote that speaks streamable HTTP at an address of its own; an address with variables has to be filled in by a person. */
function remoteOf(remotes: JsonValue | undefined): string | null {
  if (!Array.isArray(remotes)) return null;
  const remote = remotes.filter(isJsonObject).find(({ type }) => REMOTE_TYPES.some((known) => known === type));
  return httpsUrl(remote?.['url']);
}

function httpsUrl(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || value.includes('{')) return null;
  try {
    const url = parseConnectorUrl(value, 'url');
    return url.toLowerCase().startsWith('https:') ? url : null;
  } catch (error) {
    if (error instanceof SandgateError) return null;
    throw error;
  }
}

function isPoisoned(entry: JsonObject): boolean {
  const texts = [entry['name'], entry['title'], entry['description'], ...textsOf(entry['categories'])];
  return texts.some((text) => typeof text === 'string' && findPoison(text) !== null);
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
