import { LRUCache } from 'lru-cache';
import { OauthError } from './oauth-error.js';

/** Wrong secrets that one address may show for one client in a minute. */
const WRONG_PER_MINUTE = 10;
const WINDOW_MS = 60_000;
const MAX_KEPT = 10_000;

interface Window {
  count: number;
  endsAt: number;
}

/**
 * Slows whoever guesses. Counted by address and client together, so that nobody can shut a client out from elsewhere; secrets have 256
 * random bits, so a count in each process is enough.
 */
export class SecretThrottle {
  readonly #windows = new LRUCache<string, Window>({ max: MAX_KEPT, ttl: WINDOW_MS });

  constructor(private readonly now: () => number = Date.now) {}

  /** @throws OauthError `slow_down` with the seconds to wait */
  check(address: string, clientId: string): void {
    const window = this.open(address, clientId);
    if (window === undefined || window.count < WRONG_PER_MINUTE) return;
    const seconds = Math.max(1, Math.ceil((window.endsAt - this.now()) / 1000));
    throw new OauthError('slow_down', 'too many wrong secrets from this address; wait and try again', seconds);
  }

  /** Counts a wrong secret. */
  note(address: string, clientId: string): void {
    const window = this.open(address, clientId) ?? { count: 0, endsAt: this.now() + WINDOW_MS };
    this.#windows.set(keyOf(address, clientId), { ...window, count: window.count + 1 });
  }

  private open(address: string, clientId: string): Window | undefined {
    const window = this.#windows.get(keyOf(address, clientId));
    return window !== undefined && window.endsAt > this.now() ? window : undefined;
  }
}

/** A long name takes no more room than a short one. */
function keyOf(address: string, clientId: string): string {
  return `${address} ${clientId.slice(0, 128)}`;
}
