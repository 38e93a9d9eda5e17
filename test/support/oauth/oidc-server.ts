import Provider from 'oidc-provider';
import { serveLocally, type LocalServer } from './local-server.js';

/** `oidc-provider`, with dynamic registration, resource indicators and rotation of refresh tokens. */
export interface OidcServer extends LocalServer {
  provider: Provider;
  /** Grant types of the token requests that were answered well, in order. */
  granted: string[];
  /** Seconds that a new access token lives. */
  accessTokenSecs: number;
  /** Whether it takes the token for that resource. */
  accepts(token: string, resource: string): Promise<boolean>;
}

export async function startOidcServer(): Promise<OidcServer> {
  let handle: (...at: Parameters<ReturnType<Provider['callback']>>) => unknown = () => undefined;
  const local = await serveLocally((request, response) => void handle(request, response));
  const state = { granted: [] as string[], accessTokenSecs: 3600 };
  const provider = new Provider(local.url, {
    cookies: { keys: ['only-of-this-test'] },
    scopes: ['openid', 'offline_access', 'read', 'write'],
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'read write',
          audience: resource,
          accessTokenTTL: server.accessTokenSecs,
          accessTokenFormat: 'opaque',
        }),
        useGrantedResource: () => true,
      },
    },
    rotateRefreshToken: true,
    pkce: { required: () => true },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  provider.on('grant.success', (context) => {
    state.granted.push(String(context.oidc.params?.['grant_type']));
  });
  const server: OidcServer = Object.assign(state, local, {
    provider,
    accepts: async (token: string, resource: string) => {
      const found = await provider.AccessToken.find(token);
      return found?.isValid === true && found.aud === resource;
    },
  });
  handle = provider.callback();
  return server;
}
