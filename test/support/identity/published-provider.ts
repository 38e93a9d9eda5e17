import { generateKeyPairSync } from 'node:crypto';
import { serveLocally } from '../oauth/local-server.js';

/** An identity provider of which only what it publishes is there; a test changes that. */
export interface PublishedProvider {
  issuer: string;
  /** In place of members of the sound metadata; undefined leaves one out. */
  change: Record<string, unknown>;
  /** What a request to stage it holds. */
  body(more?: Record<string, unknown>): Record<string, unknown>;
  close(): Promise<void>;
}

export async function publishProvider(): Promise<PublishedProvider> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'ES256', use: 'sig' }] };
  const server = await serveLocally((request, response) => {
    const document = request.url === '/jwks' ? jwks : { ...metadataOf(server.url), ...provider.change };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  const issuer = server.url;
  const body = (more: Record<string, unknown> = {}) => ({
    issuer,
    client_id: 'sandgate',
    client_secret: 'secret-of-the-client',
    token_endpoint_auth: 'client_secret_basic',
    ...more,
  });
  const provider: PublishedProvider = { issuer, change: {}, body, close: () => server.close() };
  return provider;
}

function metadataOf(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  };
}
