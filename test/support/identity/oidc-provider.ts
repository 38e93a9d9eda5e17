import Provider, { type ClientMetadata } from 'oidc-provider';
import { serveLocally, type LocalServer } from '../oauth/local-server.js';
import { CLIENT_ID, CLIENT_SECRET } from './scripted-provider.js';

/** `oidc-provider` with people who have addresses and groups, and a client of ours. */
export interface PeopleProvider extends LocalServer {
  /** Claims of whoever signs in under a name; those of others are made up. */
  people: Map<string, Record<string, unknown>>;
}

/** @param publicUrl where our API is reached */
export async function startPeopleProvider(
  publicUrl: string,
  client: Partial<ClientMetadata> = {},
): Promise<PeopleProvider> {
  let handle: (...at: Parameters<ReturnType<Provider['callback']>>) => unknown = () => undefined;
  const local = await serveLocally((request, response) => void handle(request, response));
  const people = new Map<string, Record<string, unknown>>();
  const provider = new Provider(local.url, {
    cookies: { keys: ['only-of-this-test'] },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${publicUrl}/v1/auth/callback`],
        ...client,
      },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true, name: id, ...people.get(id) }),
    }),
  });
  handle = provider.callback();
  return Object.assign(local, { people });
}
