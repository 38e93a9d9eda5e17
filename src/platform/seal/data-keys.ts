import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SandgateError } from '../../domain/errors.js';
import type { KeyManagement } from './key-management.js';
import { KEY_BYTES } from './xchacha.js';

/** The one data-key version that is written; others are malformed (docs/design/sealing.md). */
export const DATA_KEY_VERSION = 1;
const CACHED_KEYS = 64;
const CACHED_FOR_MS = 600_000;

/** A stored data key: wrapped by the key-encryption key of that id. */
export interface WrappedDataKey {
  kekId: string;
  wrapped: Buffer;
}

/** Where the wrapped data keys of organizations are stored. */
export interface DataKeyStore {
  find(organizationId: string, version: number): Promise<WrappedDataKey | null>;
  /** Leaves a key that is there already as it is. */
  add(organizationId: string, version: number, key: WrappedDataKey): Promise<void>;
}

/**
 * Data keys of organizations, minted at the first seal. Opening never mints. At most 64 stay in memory, for ten minutes,
 * and a cold key is unwrapped once however many ask.
 */
export class DataKeys {
  private readonly cache: LRUCache<string, Promise<Buffer>>;

  constructor(
    private readonly store: DataKeyStore,
    private readonly kms: KeyManagement,
    now: () => number = Date.now,
  ) {
    this.cache = new LRUCache({ max: CACHED_KEYS, ttl: CACHED_FOR_MS, ttlResolution: 0, perf: { now } });
  }

  get kekId(): string {
    return this.kms.kekId;
  }

  forSealing(organizationId: string): Promise<Buffer> {
    return this.cached(organizationId, async () => {
      return (await this.load(organizationId)) ?? (await this.mint(organizationId));
    });
  }

  /** @throws SandgateError `internal` when the organization has no data key */
  forOpening(organizationId: string): Promise<Buffer> {
    return this.cached(organizationId, async () => {
      const key = await this.load(organizationId);
      if (key === null) throw new SandgateError('internal', 'a sealed value exists, but its data key does not');
      return key;
    });
  }

  forget(): void {
    this.cache.clear();
  }

  private cached(organizationId: string, load: () => Promise<Buffer>): Promise<Buffer> {
    // Keys that nobody asks for any more leave the memory, too.
    this.cache.purgeStale();
    const known = this.cache.get(organizationId);
    if (known !== undefined) return known;
    const key = load();
    this.cache.set(organizationId, key);
    // A failure is not remembered: the next caller tries again.
    key.catch(() => {
      if (this.cache.peek(organizationId) === key) this.cache.delete(organizationId);
    });
    return key;
  }

  private async load(organizationId: string): Promise<Buffer | null> {
    const key = await this.store.find(organizationId, DATA_KEY_VERSION);
    if (key === null) return null;
    if (key.kekId !== this.kms.kekId) {
      throw new SandgateError(
        'unavailable',
        `the data key was wrapped by ${key.kekId}, not by the configured ${this.kms.kekId}`,
      );
    }
    return this.kms.unwrap(organizationId, DATA_KEY_VERSION, key.wrapped);
  }

  private async mint(organizationId: string): Promise<Buffer> {
    const wrapped = await this.kms.wrap(organizationId, DATA_KEY_VERSION, randomBytes(KEY_BYTES));
    await this.store.add(organizationId, DATA_KEY_VERSION, { kekId: this.kms.kekId, wrapped });
    // Another process may have been first: its key is the organization's.
    const winner = await this.load(organizationId);
    if (winner === null) throw new SandgateError('internal', 'the new data key was not stored');
    return winner;
  }
}
