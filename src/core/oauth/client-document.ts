import type { PublicAddress } from './public-address.js';

/** The name that authorization servers show to people. */
export const CLIENT_NAME = 'Sandgate';

export interface PublishedClient {
  client_id: string;
  client_name: string;
  client_uri: string;
  redirect_uris: string[];
  grant_types: string[];
  response_types: string[];
  token_endpoint_auth_method: 'none';
}

/**
 * Our client metadata document, whose address is our client id (docs/design/oauth.md). It lists the shared callback alone: it is
 * presented only to servers that name themselves in each answer.
 */
export function clientDocument(address: PublicAddress): PublishedClient {
  return {
    client_id: address.clientDocumentUrl,
    client_name: CLIENT_NAME,
    client_uri: address.origin,
    redirect_uris: [address.callbackUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}
