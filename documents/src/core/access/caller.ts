import type { Scope } from '../../domain/access/scopes.js';

/** Whoever sent a request: a client of an organization, with what its token lets it do. */
export interface Caller {
  readonly orgId: string;
  /** The row of the client. */
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly Scope[];
  /** Null: every workspace of the organization. */
  readonly workspaceIds: readonly string[] | null;
  /** Null: every project of these workspaces. */
  readonly projectIds: readonly string[] | null;
  /** Of the organization: keys of signed addresses and cursors are derived from it. Never answered. */
  readonly signingSalt: Buffer;
  /** Of this request, for the audit. */
  readonly requestId: string;
}
