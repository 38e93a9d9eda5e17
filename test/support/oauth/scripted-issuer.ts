import type { IncomingMessage, ServerResponse } from 'node:http';
import { readText, serveLocally, type LocalServer } from './local-server.js';

export interface TokenCall {
  parameters: Record<string, string>;
  authorization: string | undefined;
}

export interface ScriptedAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** An authorization server that gives the answers of a test, for behaviour that no real one shows. Nobody signs in to it. */
export interface ScriptedIssuer extends LocalServer {
  /** Its metadata; a test replaces members. */
  metadata: Record<string, unknown>;
  /** Paths under which the metadata stands. */
  places: Set<string>;
  /** Answers the token endpoint. */
  token: (call: TokenCall) => ScriptedAnswer | Promise<ScriptedAnswer>;
  tokenCalls: TokenCall[];
  /** Answers a registration. */
  register: (body: Record<string, unknown>) => ScriptedAnswer | Promise<ScriptedAnswer>;
  registrations: Record<string, unknown>[];
}

let tokens = 0;

/** A good answer of a token endpoint; every token is another. */
export function grant(more: Record<string, unknown> = {}): ScriptedAnswer {
  const number = ++tokens;
  return {
    status: 200,
    body: {
      access_token: `access-${number}`,
      refresh_token: `refresh-${number}`,
      token_type: 'Bearer',
      expires_in: 3600,
      ...more,
    },
  };
}

export async function startScriptedIssuer(): Promise<ScriptedIssuer> {
  const issuer: Partial<ScriptedIssuer> = {
    places: new Set(['/.well-known/oauth-authorization-server']),
    token: () => grant(),
    tokenCalls: [],
    registrations: [],
  };
  const local = await serveLocally((request, response) => void handle(issuer as ScriptedIssuer, request, response));
  issuer.register = () => ({ status: 201, body: { client_id: `client-${issuer.registrations?.length}` } });
  issuer.metadata = {
    issuer: local.url,
    authorization_endpoint: `${local.url}/authorize`,
    token_endpoint: `${local.url}/token`,
    registration_endpoint: `${local.url}/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
  return Object.assign(issuer, local) as ScriptedIssuer;
}

async function handle(issuer: ScriptedIssuer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const send = ({ status, body, headers }: ScriptedAnswer): void => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
  if (issuer.places.has(path)) return send({ status: 200, body: issuer.metadata });
  if (path === '/token') {
    const parameters = Object.fromEntries(new URLSearchParams(await readText(request)));
    const call = { parameters, authorization: request.headers.authorization };
    issuer.tokenCalls.push(call);
    return send(await issuer.token(call));
  }
  if (path === '/register') {
    const body = JSON.parse(await readText(request)) as Record<string, unknown>;
    issuer.registrations.push(body);
    return send(await issuer.register(body));
  }
  return send({ status: 404, body: {} });
}
