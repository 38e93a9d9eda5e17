import { digestOfText } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';

/** An authorization server, as its metadata describes it and as far as we use it (RFC 8414). */
export interface AuthorizationServer {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  registrationEndpoint: string | null;
  scopesSupported: readonly string[];
  /** Whether it says in each answer who it is (RFC 9207). */
  namesItself: boolean;
  /** Whether it reads client metadata documents. */
  readsClientDocuments: boolean;
  /** How clients may prove themselves at the token endpoint; null when it does not say. */
  tokenAuthMethods: readonly string[] | null;
  /** `sha256:` of the document. */
  metadataDigest: string;
}

/** Where a document of an authorization server was found. */
export interface MetadataSource {
  /** Of the server whose metadata this claims to be. */
  server: URL;
  location: URL;
  /** Whether the address was made from the origin alone: whoever serves it speaks for every issuer of the origin. */
  ofOrigin: boolean;
}

/**
 * Judges the document that describes an authorization server (docs/design/oauth.md).
 *
 * @throws SandgateError `invalid_request` when the document cannot be used; it is final, no other one is tried
 */
export function readServerMetadata(document: JsonObject, text: string, source: MetadataSource): AuthorizationServer {
  const issuer = readIssuer(document, source);
  const method = listOfText(document['code_challenge_methods_supported']);
  if (method?.includes('S256') !== true) refuse(source, 'does not support PKCE with S256');
  const endpoint = (name: string): string => readEndpoint(document, name, issuer, source) ?? missing(source, name);
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    registrationEndpoint: readEndpoint(document, 'registration_endpoint', issuer, source),
    scopesSupported: listOfText(document['scopes_supported']) ?? [],
    namesItself: document['authorization_response_iss_parameter_supported'] === true,
    readsClientDocuments: document['client_id_metadata_document_supported'] === true,
    tokenAuthMethods: listOfText(document['token_endpoint_auth_methods_supported']),
    metadataDigest: digestOfText(text),
  };
}

/**
 * The issuer is on the origin that served it. A document below a path of the server speaks for that server only: on a host that
 * many share, one of them could otherwise claim to be another, and the check of `iss` (RFC 9207) would be worth nothing.
 */
function readIssuer(document: JsonObject, source: MetadataSource): string {
  const issuer = document['issuer'];
  if (typeof issuer !== 'string' || issuer.trim() === '') refuse(source, 'names no issuer');
  if (!URL.canParse(issuer) || new URL(issuer).origin !== source.location.origin) {
    refuse(source, 'names an issuer on another origin');
  }
  if (!source.ofOrigin && withoutSlash(issuer) !== withoutSlash(source.server.href)) {
    refuse(source, 'names another issuer than the one it was asked for');
  }
  return issuer;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** A browser is sent to one of these and secrets to another: nothing but http(s), and no step down from https. */
function readEndpoint(document: JsonObject, name: string, issuer: string, source: MetadataSource): string | null {
  const value = document[name];
  if (value === undefined || value === null) return null;
  const url =
    typeof value === 'string' && URL.canParse(value) ? new URL(value) : refuse(source, `has a malformed ${name}`);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && issuer.startsWith('http:'));
  if (!isSafe || url.username !== '' || url.password !== '' || url.hash !== '')
    refuse(source, `has an unusable ${name}`);
  return url.href;
}

function listOfText(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null;
}

function missing(source: MetadataSource, name: string): never {
  return refuse(source, `lacks ${name}`);
}

function refuse({ location }: MetadataSource, what: string): never {
  throw new SandgateError(
    'invalid_request',
    `discovery failed: the authorization server metadata of ${location.host} ${what}`,
  );
}
