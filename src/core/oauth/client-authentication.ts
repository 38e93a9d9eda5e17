/** Where the client id came from: typed by a person, our client metadata document, or dynamic registration. */
export type ClientIdSource = 'preregistered' | 'cimd' | 'dcr';

/** How a client proves itself at the token endpoint, as far as we can. */
export type TokenAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

/** The opened secret of a client; null for a public one. */
export interface ClientSecret {
  clientSecret: string | null;
  authMethod: TokenAuthMethod;
}
