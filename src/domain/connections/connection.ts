import type { JsonObject } from '../json.js';

/** Kinds of connection: a code host by personal token, a code-host app installation, a remote MCP server (docs/design/connections.md). */
export const PROVIDERS = ['codehost', 'codehost_app', 'mcp_http'] as const;
export type ConnectionProvider = (typeof PROVIDERS)[number];

export const CONNECTION_STATUSES = ['pending', 'active', 'suspended', 'error', 'revoked'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** How a connection proves itself upstream; `none` arises from the catalog alone. */
export type AuthKind = 'static' | 'oauth' | 'none';

export type ConnectionOwnerType = 'organization' | 'user';

/** State of an OAuth grant that is no secret. Writers keep the members that they do not own. */
export interface OAuthState {
  /** Canonical id of the resource. */
  resource: string;
  /** Scopes asked for. */
  scopes: string[];
  issuer?: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  client_id?: string;
  client_id_source?: 'preregistered' | 'cimd' | 'dcr';
  redirect_uri?: string;
  registration_id?: string;
  /** The endpoint of the first snapshot, which the callback takes. */
  pending_snapshot?: { url: string };
  catalog_slug?: string;
  /** Last successful activation by the database's clock; written by the activating statement alone. */
  activated_at?: string;
  /** A sentence for a person while the status is `error`. */
  error?: string;
  [further: string]: JsonObject[string] | undefined;
}

/** A connection without its secrets: the row as it is stored, which is nearly what the API answers. */
export interface ConnectionRecord {
  id: string;
  tenant_id: string;
  provider: ConnectionProvider;
  external_account_id: string;
  display_name: string;
  granted_scopes: string[];
  resource_selection: JsonObject;
  status: ConnectionStatus;
  metadata: ConnectionMetadata;
  auth_kind: AuthKind;
  oauth: OAuthState | null;
  registration_id: string | null;
  owner_type: ConnectionOwnerType;
  owner_user_id: string | null;
  created_by_user_id: string | null;
  /** Starts at 1; grows when an OAuth connection that was ever activated is authorized again, and by nothing else. */
  authorization_generation: number;
  created_at: Date;
  updated_at: Date;
}

/** What the kinds of connection keep beside their columns. */
export interface ConnectionMetadata {
  /** Audience of the credential, as it was typed. */
  base_url?: string;
  /** The exact endpoint for snapshots and calls. */
  endpoint_url?: string;
  catalog_slug?: string;
  /** Only when the credential does not travel in `authorization`. */
  header_name?: string;
  /** Only when it is not `Bearer`. */
  scheme?: string;
  login?: string;
  app_id?: string;
  installation_id?: string;
  app_slug?: string;
  account_login?: string;
  registration_id?: string;
  [further: string]: JsonObject[string] | undefined;
}

/** The endpoint of an `mcp_http` connection, for snapshots and calls. Null for a connection without one. */
export function endpointOf(connection: Pick<ConnectionRecord, 'metadata'>): string | null {
  return connection.metadata.endpoint_url ?? connection.metadata.base_url ?? null;
}
