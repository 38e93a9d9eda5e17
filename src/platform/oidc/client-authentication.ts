import type { ClientAuth } from 'openid-client';

/** How a client proves itself at a token endpoint. */
export interface ClientProof {
  method: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Null for a public client. */
  secret: string | null;
}

/** The id stands in the body in any case; a secret travels by HTTP Basic unless the configuration says otherwise. */
export function authenticateClient({ method, secret }: ClientProof): ClientAuth {
  return (_server, client, body, headers) => {
    body.set('client_id', client.client_id);
    if (secret === null || method === 'none') return;
    if (method === 'client_secret_post') {
      body.set('client_secret', secret);
      return;
    }
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

/** As forms encode it (RFC 6749 §2.3.1) and no more: servers that do not decode are then met by ids with `-`, `.` and `_` too. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice('='.length);
}
