import { describe, expect, it } from '@jest/globals';
import type { TenantTransaction } from '../record/database.js';
import { claimKey } from './idempotency-keys.js';

describe('a claim of a key', () => {
  const released = { organizationId: 'org', query: () => Promise.resolve([]) } as unknown as TenantTransaction;

  it.each([
    ['body', 'unavailable', 'the Idempotency-Key was released meanwhile; try again'],
    ['event', 'conflict', 'Idempotency-Key: used before with another event'],
  ] as const)('whose holder was forgotten meanwhile is refused for the %s as %s', async (of, code, message) => {
    const claim = { scope: 'scope', key: 'key', of, digest: 'digest', runId: 'run' };
    await expect(claimKey(released, claim)).rejects.toMatchObject({ code, message });
  });
});
