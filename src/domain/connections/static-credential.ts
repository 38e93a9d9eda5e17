import { SandgateError } from '../errors.js';
import type { ConnectionMetadata } from './connection.js';

/** Schemes that a static credential may be sent under; the empty one sends the bare token (docs/design/connections.md). */
export const CREDENTIAL_SCHEMES = ['Bearer', 'Basic', ''] as const;
export type CredentialScheme = (typeof CREDENTIAL_SCHEMES)[number];
export const SCHEME_SHAPE = 'must be Bearer, Basic, or empty for the bare token';

export const HEADER_NAME_PATTERN = '^[A-Za-z0-9_-]{1,64}$';
export const HEADER_NAME_SHAPE = 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -';
const HEADER_NAME = new RegExp(HEADER_NAME_PATTERN);
/** Headers of the protocol itself, and those that say where a request goes and how long it is. */
const RESERVED_HEADERS = new Set([
  'host',
  'content-length',
  'content-type',
  'accept',
  'mcp-session-id',
  'mcp-protocol-version',
  'transfer-encoding',
  'connection',
]);
/** What may stand in a header's value: visible ASCII, single blanks inside. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const DEFAULT_HEADER = 'authorization';
const DEFAULT_SCHEME = 'Bearer';

export interface StaticCredentialInput {
  /** Trimmed and not empty. */
  token: string;
  header_name?: string | null | undefined;
  scheme?: string | null | undefined;
}

export interface StaticCredential {
  /** The trimmed token: the one secret. */
  token: string;
  /** Members for the connection's metadata; what is default is left out. */
  metadata: Pick<ConnectionMetadata, 'header_name' | 'scheme'>;
}

/**
 * Reads the static credential of a request.
 *
 * @throws SandgateError `invalid_request` naming the member; the token itself is in no message
 */
export function parseStaticCredential({ token, ...input }: StaticCredentialInput): StaticCredential {
  const scheme = readScheme(input.scheme);
  const header = readHeaderName(input.header_name);
  if (scheme === 'Basic' && !token.includes(':')) {
    throw invalid('token: with scheme Basic it must be user:password');
  }
  if (scheme !== 'Basic') requireHeaderValue(token);
  return {
    token,
    metadata: {
      ...(header === DEFAULT_HEADER ? {} : { header_name: header }),
      ...(scheme === DEFAULT_SCHEME ? {} : { scheme }),
    },
  };
}

/** The one header that carries a static credential. A custom header stands instead of `authorization`, not beside it. */
export function staticHeaders(metadata: ConnectionMetadata, token: string): Record<string, string> {
  const scheme = metadata.scheme ?? DEFAULT_SCHEME;
  const sent = scheme === 'Basic' ? Buffer.from(token, 'utf8').toString('base64') : token;
  return { [metadata.header_name ?? DEFAULT_HEADER]: scheme === '' ? sent : `${scheme} ${sent}` };
}

/** Of a token that is sent as it is. @throws SandgateError `invalid_request` when it cannot stand in a header */
export function requireHeaderValue(token: string): void {
  if (!HEADER_VALUE.test(token))
    throw invalid('token: must consist of visible ASCII characters, because it is sent in a header');
}

/** @throws SandgateError `invalid_request` */
export function readScheme(scheme: unknown): CredentialScheme {
  const known = CREDENTIAL_SCHEMES.find((one) => one === (scheme ?? DEFAULT_SCHEME));
  if (known === undefined) throw invalid(`scheme: ${SCHEME_SHAPE}`);
  return known;
}

/** `authorization` when none is named. @throws SandgateError `invalid_request` */
export function readHeaderName(name: unknown): string {
  if (name === undefined || name === null) return DEFAULT_HEADER;
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) {
    throw invalid(`header_name: ${HEADER_NAME_SHAPE}`);
  }
  const lower = name.toLowerCase();
  if (RESERVED_HEADERS.has(lower))
    throw invalid(`header_name: ${lower} is set by the protocol and cannot carry a credential`);
  return lower === DEFAULT_HEADER ? DEFAULT_HEADER : name;
}

function invalid(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
