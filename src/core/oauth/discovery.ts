import { canonicalResource } from '../../domain/connections/canonical-resource.js';
import { SandgateError } from '../../domain/errors.js';
import { parseJsonObject, type JsonObject } from '../../domain/json.js';
import { EgressError } from '../../platform/egress/egress-error.js';
import { INITIALIZE_PARAMS } from '../../platform/mcp/handshake.js';
import { requestText } from '../../platform/mcp/rpc-message.js';
import type { OAuthHttp } from './oauth-http.js';
import { readServerMetadata, type AuthorizationServer, type MetadataSource } from './server-metadata.js';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const SERVER_METADATA = '/.well-known/oauth-authorization-server';
const OPENID_METADATA = '/.well-known/openid-configuration';
/** The request with which a client without a credential would begin. */
const INITIALIZE = requestText(0, 'initialize', INITIALIZE_PARAMS);

/** What a discovery found: who authorizes for the resource. */
export interface Discovered {
  /** Canonical id of the resource. */
  resource: string;
  server: AuthorizationServer;
}

/**
 * Finds the authorization server of an MCP server (docs/design/oauth.md, RFC 9728, RFC 8414). Done when a flow starts, never at its
 * callback.
 *
 * @throws SandgateError `invalid_request` whose text says what was wrong, without anything that a server wrote
 */
export async function discover(http: OAuthHttp, mcpUrl: string): Promise<Discovered> {
  const refusal = http.admit(mcpUrl);
  if (refusal !== null) throw failed(`base_url rejected: ${refusal}`);
  const resource = canonicalResource(mcpUrl);
  const server = (await findAuthorizationServer(http, mcpUrl, resource)) ?? new URL(new URL(mcpUrl).origin);
  return { resource, server: await describeServer(http, server) };
}

/** Null when no document of the resource names one. */
async function findAuthorizationServer(http: OAuthHttp, mcpUrl: string, resource: string): Promise<URL | null> {
  const hint = await askServer(http, mcpUrl);
  const { origin, pathname } = new URL(resource);
  const path = pathname === '/' ? '' : pathname;
  const candidates = [hint, `${origin}${RESOURCE_METADATA}${path}`, `${origin}${RESOURCE_METADATA}`];
  for (const candidate of new Set(candidates)) {
    if (candidate === null) continue;
    const document = await readDocument(http, candidate);
    if (document === null || !describes(document.json['resource'], resource)) continue;
    const server = firstServer(document.json['authorization_servers']);
    if (server !== null) return server;
  }
  return null;
}

/**
 * Asks the server itself without a credential: the challenge may say where its metadata is. One that offers no stream knows no GET
 * and challenges only what is posted.
 */
async function askServer(http: OAuthHttp, mcpUrl: string): Promise<string | null> {
  return (await askBy(http, mcpUrl, 'GET')) ?? (await askBy(http, mcpUrl, 'POST'));
}

async function askBy(http: OAuthHttp, url: string, method: 'GET' | 'POST'): Promise<string | null> {
  try {
    const answer = await http.send({
      method,
      url,
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: INITIALIZE } : {}),
      redirects: method === 'GET' ? 'follow' : 'refuse',
      headersOnly: true,
    });
    const challenge = answer.headers.get('www-authenticate') ?? '';
    const hint = /\bresource_metadata\s*=\s*"([^"\s]+)"/i.exec(challenge)?.[1] ?? null;
    return hint !== null && URL.canParse(hint) ? hint : null;
  } catch (cause) {
    if (!(cause instanceof EgressError)) throw cause;
    // A server that refuses the request may still publish metadata; behind a refused address nothing is asked.
    if (isRefusal(cause)) throw failed(`base_url rejected: ${cause.message}`, cause);
    return null;
  }
}

function isRefusal({ reason }: EgressError): boolean {
  return reason === 'address' || reason === 'plain_http' || reason === 'url';
}

/** Metadata of another resource is ignored: it could send the credential to a server of its choice. */
function describes(stated: unknown, resource: string): boolean {
  return typeof stated === 'string' && URL.canParse(stated) && canonicalResource(stated) === resource;
}

function firstServer(listed: unknown): URL | null {
  const first: unknown = Array.isArray(listed) ? listed[0] : null;
  if (typeof first !== 'string' || !URL.canParse(first)) return null;
  const url = new URL(first);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}

/** The first document that answers is final. */
async function describeServer(http: OAuthHttp, server: URL): Promise<AuthorizationServer> {
  let why: EgressError | undefined;
  for (const source of sources(server)) {
    const document = await readDocument(http, source.location.href, (cause) => (why = cause));
    if (document !== null) return readServerMetadata(document.json, document.text, source);
  }
  const found = `no authorization server metadata was found at ${server.host}`;
  throw failed(why === undefined ? found : `${found}: ${why.message}`, why);
}

/** The server's own documents before those of its origin. */
function sources(server: URL): MetadataSource[] {
  const { origin } = server;
  const path = server.pathname.replace(/\/+$/, '');
  const below = [`${SERVER_METADATA}${path}`, `${OPENID_METADATA}${path}`, `${path}${OPENID_METADATA}`];
  const of = (address: string, ofOrigin: boolean): MetadataSource => ({
    server,
    location: new URL(`${origin}${address}`),
    ofOrigin,
  });
  return [
    ...(path === '' ? [] : below.map((address) => of(address, false))),
    of(SERVER_METADATA, true),
    of(OPENID_METADATA, true),
  ];
}

/** Null when there is none: another status, no JSON object, an address that is refused, a server that does not answer. */
async function readDocument(
  http: OAuthHttp,
  url: string,
  onFailure?: (cause: EgressError) => void,
): Promise<{ json: JsonObject; text: string } | null> {
  try {
    const answer = await http.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      redirects: 'follow',
    });
    const json = answer.status === 200 ? parseJsonObject(answer.text) : null;
    return json === null ? null : { json, text: answer.text };
  } catch (cause) {
    if (!(cause instanceof EgressError)) throw cause;
    onFailure?.(cause);
    return null;
  }
}

function failed(what: string, cause?: unknown): SandgateError {
  return new SandgateError('invalid_request', `discovery failed: ${what}`, { cause });
}
