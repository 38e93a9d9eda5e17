/** A cache, in this process's memory, of tokens made from a connection's credential. */
export interface ConnectionCache {
  /** Forgets all of the connection. */
  evict(connectionId: string): void;
}

/**
 * The caches of this process that a revoked or reauthorized connection empties. Other processes need no message: what they keep is
 * keyed by generation and used only after the row was read as active at that generation.
 */
export class ConnectionCaches {
  constructor(private readonly caches: readonly ConnectionCache[]) {}

  evict(connectionId: string): void {
    for (const cache of this.caches) cache.evict(connectionId);
  }
}
