import { generateKeyPairSync, hash, sign, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readText, serveLocally, type LocalServer } from '../oauth/local-server.js';

export const CLIENT_ID = 'sandgate-test.client';
export const CLIENT_SECRET = 'a secret/with + signs';

/** What somebody who signs in is known by; claims of their ID token. */
export type Claims = Record<string, unknown>;

export interface SigningKey {
  kid: string | undefined;
  alg: string;
  privateKey: KeyObject;
  jwk: Record<string, unknown>;
}

export interface TokenRequest {
  parameters: Record<string, string>;
  authorization: string | undefined;
}

/** How the next ID tokens deviate from good ones. */
export interface Deviation {
  claims?: (claims: Claims) => Claims;
  header?: (header: Claims) => Claims;
  /** Of the finished token. */
  token?: (token: string) => unknown;
  /** Of the answer of the token endpoint. */
  answer?: (answer: Claims) => unknown;
  status?: number;
  headers?: Record<string, string>;
  key?: SigningKey;
  accessToken?: string;
  /** Happens before the token endpoint answers. */
  before?: () => Promise<unknown>;
}

let keys = 0;

export function makeKey(alg = 'RS256', options: { bits?: number; kid?: string | null } = {}): SigningKey {
  const kid = options.kid === null ? undefined : (options.kid ?? `key-${++keys}`);
  const curve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg];
  const pair =
    curve === undefined
      ? generateKeyPairSync('rsa', { modulusLength: options.bits ?? 2048 })
      : generateKeyPairSync('ec', { namedCurve: curve });
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), use: 'sig', alg, ...(kid === undefined ? {} : { kid }) };
  return { kid, alg, privateKey: pair.privateKey, jwk };
}

/** A token by the wire format itself, so that every part of it can be wrong. */
export function signToken(header: Claims, claims: unknown, { alg, privateKey }: SigningKey): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(claims)}`;
  const signature = sign(`sha${alg.slice(2)}`, Buffer.from(input), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
    ...(alg.startsWith('PS') ? { padding: 6, saltLength: Number(alg.slice(2)) / 8 } : {}),
  });
  return `${input}.${signature.toString('base64url')}`;
}

/** An identity provider that speaks the wire format and can be made to say anything. */
export class ScriptedProvider {
  metadata: Record<string, unknown>;
  keys: SigningKey[] = [makeKey()];
  /** Published instead of the keys. */
  jwks: unknown = null;
  /** Of the one who signs in. */
  person: Claims = { sub: 'ada', email: 'Ada@Example.org ', email_verified: true, name: 'Ada' };
  deviation: Deviation = {};
  readonly tokenRequests: TokenRequest[] = [];
  /** Requests of each path. */
  readonly asked = new Map<string, number>();
  /** Paths that answer something else; null drops the connection. */
  readonly broken = new Map<string, { status: number; headers?: Record<string, string>; body?: string } | null>();
  private readonly codes = new Map<string, URLSearchParams>();

  private constructor(private readonly local: LocalServer) {
    this.metadata = {
      issuer: local.url,
      authorization_endpoint: `${local.url}/authorize`,
      token_endpoint: `${local.url}/token`,
      jwks_uri: `${local.url}/jwks`,
      end_session_endpoint: `${local.url}/logout`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    };
  }

  static async start(): Promise<ScriptedProvider> {
    let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
    const local = await serveLocally((request, response) => handle(request, response));
    const provider = new ScriptedProvider(local);
    handle = (request, response) => void provider.handle(request, response);
    return provider;
  }

  get url(): string {
    return this.local.url;
  }

  /** As it should be, with the same keys. */
  reset(): void {
    this.deviation = {};
    this.jwks = null;
    this.broken.clear();
    this.tokenRequests.length = 0;
    this.asked.clear();
    this.person = { sub: 'ada', email: 'Ada@Example.org ', email_verified: true, name: 'Ada' };
  }

  /** The person signs in. @returns where the provider sends the browser */
  authorize(location: string): string {
    const { searchParams } = new URL(location);
    const code = `code-${this.codes.size}-${hash('sha256', location).slice(0, 8)}`;
    this.codes.set(code, searchParams);
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', searchParams.get('state') ?? '');
    return back.href;
  }

  countOf(path: string): number {
    return this.asked.get(path) ?? 0;
  }

  close(): Promise<void> {
    return this.local.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    this.asked.set(path, this.countOf(path) + 1);
    const broken = this.broken.get(path);
    if (broken === null) return void request.socket.destroy();
    if (broken !== undefined)
      return void response
        .writeHead(broken.status, { 'content-type': 'application/json', ...broken.headers })
        .end(broken.body ?? '{}');
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    if (path === '/.well-known/openid-configuration') return send(200, this.metadata);
    if (path === '/jwks') return send(200, this.jwks ?? { keys: this.keys.map(({ jwk }) => jwk) });
    if (path !== '/token') return send(404, {});
    const parameters = Object.fromEntries(new URLSearchParams(await readText(request)));
    this.tokenRequests.push({ parameters, authorization: request.headers.authorization });
    const { status, headers, before } = this.deviation;
    await before?.();
    send(status ?? 200, this.answer(parameters), headers);
  }

  private answer(parameters: Record<string, string>): unknown {
    const asked = this.codes.get(parameters['code'] ?? '');
    const challenge = hash('sha256', parameters['code_verifier'] ?? '', 'base64url');
    if (asked === undefined || asked.get('code_challenge') !== challenge) return { error: 'invalid_grant' };
    this.codes.delete(parameters['code'] ?? '');
    const { answer, accessToken = 'an-access-token' } = this.deviation;
    const good = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: 'a-refresh-token',
      id_token: this.idToken(asked.get('nonce') ?? '', asked.get('client_id') ?? ''),
    };
    return answer === undefined ? good : answer(good);
  }

  private idToken(nonce: string, audience: string): unknown {
    const { claims, header, token, key = this.keys[0] } = this.deviation;
    if (key === undefined) throw new Error('the provider has no key');
    const now = Math.floor(Date.now() / 1000);
    const good: Claims = { iss: this.url, aud: audience, iat: now, exp: now + 300, nonce, ...this.person };
    const head: Claims = { alg: key.alg, typ: 'JWT', ...(key.kid === undefined ? {} : { kid: key.kid }) };
    const signed = signToken(header?.(head) ?? head, claims?.(good) ?? good, key);
    return token === undefined ? signed : token(signed);
  }
}
