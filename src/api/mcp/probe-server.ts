import { isExactObject, type ExactJson } from '../../domain/digest/exact-json.js';
import { findPoison } from '../../domain/capabilities/poison-screen.js';
import { readToolListing } from '../../domain/mcp/snapshot-tool.js';
import { SandgateError } from '../../domain/errors.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import { McpConnection, type CallContext } from '../../platform/mcp/connection.js';
import { ExchangeError } from '../../platform/mcp/exchange-error.js';
import { begin, greet } from '../../platform/mcp/handshake.js';
import { listTools, type OfferedTools } from '../../platform/mcp/list-tools.js';
import { discover } from '../../core/oauth/discovery.js';
import { OAuthHttp } from '../../core/oauth/oauth-http.js';
import type { ProbedServer, ProbedTool } from './mcp.dto.js';

const MAX_PREVIEW = 64;
const MAX_DESCRIPTION_CHARS = 1000;
const PROBE_TIMEOUT_MS = 15_000;

/**
 * Asks a server without a credential how it wants to be connected: nothing is stored, and everything that goes
 * wrong is part of the answer (docs/design/connections.md).
 */
export async function probeServer(client: GuardedClient, url: string, signal: AbortSignal): Promise<ProbedServer> {
  const refused = client.admitUrl(url);
  if (refused !== null) return unreachable(url, `base_url rejected: ${refused}`);
  const connection = new McpConnection({ client, url, requestTimeoutMs: PROBE_TIMEOUT_MS });
  const context = { headers: {}, signal };
  try {
    const greeting = await greet(connection, context);
    if (!greeting.supported) {
      return unreachable(url, `the server negotiated unsupported protocol version ${greeting.protocolVersion}`);
    }
    if (!greeting.hasTools) return unreachable(url, 'the server does not offer tools');
    await begin(connection, greeting.protocolVersion, context);
    return openServer(url, await listTools(connection, context));
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const { failure } = error;
    if (failure.kind === 'status' && failure.status === 401) return guardedServer(client, url, failure.challenge);
    return unreachable(url, error.message);
  } finally {
    await connection.end(context satisfies CallContext);
  }
}

function openServer(url: string, { tools, complete }: OfferedTools): ProbedServer {
  const preview = tools.slice(0, MAX_PREVIEW).flatMap(previewOf);
  return {
    ...blank(url),
    reachable: true,
    auth_mode: 'none',
    tools_preview: preview,
    tools_truncated: !complete || tools.length > MAX_PREVIEW,
    notes: [
      'The server answers without a credential.',
      ...(complete ? [] : ['Its listing does not end within the pages that are read; connecting would be refused.']),
      ...(complete ? whyNoSnapshot(tools) : []),
    ],
  };
}

/** Why a snapshot of the same listing would be refused, so that people learn it before they connect. */
function whyNoSnapshot(tools: readonly ExactJson[]): string[] {
  try {
    readToolListing(tools);
    return [];
  } catch (error) {
    if (error instanceof SandgateError) return [`Connecting would be refused: ${error.message}`];
    throw error;
  }
}

async function guardedServer(client: GuardedClient, url: string, challenge: string | null): Promise<ProbedServer> {
  const answer: ProbedServer = {
    ...blank(url),
    reachable: true,
    static_possible: true,
    auth_hints: hintsOf(challenge),
  };
  try {
    const { server } = await discover(new OAuthHttp(client), url);
    return {
      ...answer,
      auth_mode: 'oauth',
      oauth_available: true,
      oauth: {
        issuer: server.issuer,
        authorization_endpoint: server.authorizationEndpoint,
        scopes_supported: [...server.scopesSupported],
      },
      notes: [
        'The server asks for a credential and says who issues it.',
        ...(server.registrationEndpoint === null && !server.readsClientDocuments
          ? ['Its issuer registers no clients by itself: connecting needs a client_id that was registered by hand.']
          : []),
      ],
    };
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    return {
      ...answer,
      auth_mode: 'api_key',
      notes: ['The server asks for a credential and does not say who issues it.', error.message],
    };
  }
}

function hintsOf(challenge: string | null): ProbedServer['auth_hints'] {
  const scheme = /^\s*(bearer|basic)\b/i.exec(challenge ?? '')?.[1]?.toLowerCase();
  if (scheme === 'basic') return { scheme: 'Basic', composite: 'user:password' };
  return scheme === 'bearer' ? { scheme: 'Bearer' } : {};
}

/** Names and descriptions are not trusted: characters that hide text are left out, and long texts are cut. */
function previewOf(tool: ExactJson): ProbedTool[] {
  if (!isExactObject(tool)) return [];
  const { name, description } = tool;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return [];
  const text = typeof description === 'string' && findPoison(description) === null ? description : '';
  return [{ name, description: text.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed() }];
}

function unreachable(url: string, why: string): ProbedServer {
  return { ...blank(url), notes: [why] };
}

function blank(url: string): ProbedServer {
  return {
    url,
    transport: 'streamable_http',
    reachable: false,
    auth_mode: null,
    oauth_available: false,
    static_possible: false,
    tools_preview: [],
    tools_truncated: false,
    oauth: null,
    auth_hints: {},
    notes: [],
  };
}
