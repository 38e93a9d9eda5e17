import { hash } from 'node:crypto';
import { holderOf, readAddress } from '../../../../src/platform/egress/address-classes.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import { OauthError } from './oauth-error.js';

/** Wrong secrets that one address may show for one client in a minute. */
const WRONG_PER_MINUTE = 10;
const WINDOW_SECONDS = 60;

/**
 * Slows whoever guesses, in all processes together. Counted by address and client together, so that nobody can shut a client out from
 * elsewhere; whoever has one IPv6 address has a network of them, so these count together. What is under way at once is not held up: secrets
 * have 256 random bits.
 */
export class SecretThrottle {
  constructor(private readonly record: Pick<DocsvcRecord, 'query'>) {}

  /** @throws OauthError `slow_down` with the seconds to wait */
  async check(address: string, clientId: string): Promise<void> {
    const [row] = await this.record.query<{ seconds: number | null }>('select docsvc_secret_wait($1, $2) as seconds', [
      keyOf(address, clientId),
      WRONG_PER_MINUTE,
    ]);
    const seconds = row?.seconds ?? null;
    if (seconds === null) return;
    throw new OauthError('slow_down', 'too many wrong secrets from this address; wait and try again', seconds);
  }

  /** Counts a wrong secret. */
  async note(address: string, clientId: string): Promise<void> {
    await this.record.query('select docsvc_note_wrong_secret($1, $2)', [keyOf(address, clientId), WINDOW_SECONDS]);
  }
}

/** A digest, because both are of any length and neither has to be kept. */
function keyOf(from: string, clientId: string): Buffer {
  const address = readAddress(from);
  return hash('sha256', JSON.stringify([address === null ? from : holderOf(address), clientId]), 'buffer');
}
