import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { AccessTokenSource } from '../connections/access-token-source.js';
import type { Database } from '../record/database.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { refreshUnderLock, type RefreshEvent } from './refresh-token.js';
import type { MintedToken } from './shared-token.js';
import { OAuthHttp } from './oauth-http.js';
import { TokenRequests } from './token-requests.js';

/** A token is used while more than this remains of its life (docs/design/oauth.md). */
const MARGIN_MS = 300_000;
/** Each refresh holds one pooled database connection for the length of its HTTP call, and needs a second one for a moment. */
const REFRESHES_AT_ONCE = 4;
const POOL_SHARE = 1 / 4;
/** Digests of refused tokens that are remembered; far more than can still be in flight. */
const REFUSED_TOKENS = 512;

export interface AccessTokenParts {
  database: Database;
  sealer: Sealer;
  requests: TokenRequests;
  /** Hears every refresh, for metrics. */
  onRefresh?: (event: RefreshEvent) => void;
}

/**
 * Access tokens of OAuth connections, in this process's memory, one per connection and generation. Whoever needs
 * one that is absent, or about to expire, waits for one refresh, however many wait: the flight is shared in the process, and
 * between processes by a lock in the database and the newest token, which is stored there sealed.
 */
export class AccessTokens implements AccessTokenSource {
  private readonly held = new Map<string, MintedToken>();
  private readonly flights = new Map<string, Promise<string>>();
  private readonly refused = new LRUCache<string, true>({ max: REFUSED_TOKENS });
  private limit: LimitFunction | null = null;

  constructor(private readonly parts: AccessTokenParts) {}

  /**
   * A token that an upstream may be called with. The caller has read the connection as active, of this generation.
   *
   * @throws SandgateError `conflict` when the connection is not active, was reauthorized, or has to be connected anew;
   * `upstream_failed` when its authorization server gave no token, after which the connection stays as it was; `unavailable`
   * without a sealing key
   */
  get(organizationId: string, connectionId: string, generation: number): Promise<string> {
    const key = keyOf(connectionId, generation);
    const held = this.usable(key);
    if (held !== null) return Promise.resolve(held);
    const known = this.flights.get(key);
    if (known !== undefined) return known;
    const flight = this.queue()(() => this.mint(organizationId, connectionId, generation)).finally(() => {
      this.flights.delete(key);
    });
    this.flights.set(key, flight);
    return flight;
  }

  /** The upstream answered 401 to this token: it is not used again. Another one, minted meanwhile, stays. */
  reject(connectionId: string, generation: number, token: string): void {
    this.refused.set(digestOf(token), true);
    const key = keyOf(connectionId, generation);
    if (this.held.get(key)?.token === token) this.held.delete(key);
  }

  /** Keeps a token that came with an activation; older generations of the connection are dropped. */
  remember(connectionId: string, generation: number, minted: MintedToken): void {
    this.evict(connectionId);
    this.held.set(keyOf(connectionId, generation), minted);
  }

  /** Drops every token of the connection from this process. */
  evict(connectionId: string): void {
    for (const key of this.held.keys()) if (key.startsWith(`${connectionId}:`)) this.held.delete(key);
  }

  /** Made at the first refresh: a process that only describes itself has no pool. */
  private queue(): LimitFunction {
    const share = Math.floor(this.parts.database.pool.options.max * POOL_SHARE);
    return (this.limit ??= pLimit(Math.max(1, Math.min(REFRESHES_AT_ONCE, share))));
  }

  private async mint(organizationId: string, connectionId: string, generation: number): Promise<string> {
    const key = keyOf(connectionId, generation);
    const held = this.usable(key);
    if (held !== null) return held;
    this.held.delete(key);
    const minted = await refreshUnderLock(this.parts, {
      organizationId,
      connectionId,
      generation,
      isUsable: (token) => this.isUsable(token),
    });
    this.held.set(key, minted);
    return minted.token;
  }

  private usable(key: string): string | null {
    const held = this.held.get(key);
    return held !== undefined && this.isUsable(held) ? held.token : null;
  }

  private isUsable({ token, expiresAtMs }: MintedToken): boolean {
    return expiresAtMs - Date.now() > MARGIN_MS && !this.refused.has(digestOf(token));
  }
}

/** The tokens of a process, asked for through its guarded client. */
export function createAccessTokens(
  parts: Omit<AccessTokenParts, 'requests'> & { client: Pick<GuardedClient, 'request' | 'admitUrl'> },
): AccessTokens {
  const { client, ...rest } = parts;
  return new AccessTokens({ ...rest, requests: new TokenRequests(new OAuthHttp(client)) });
}

function keyOf(connectionId: string, generation: number): string {
  return `${connectionId}:${generation}`;
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
