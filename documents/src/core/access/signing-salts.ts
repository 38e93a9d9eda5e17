import { LRUCache } from 'lru-cache';
import { isUuid } from '../../../../src/domain/uuid.js';
import type { Record } from '../record/record.js';

const MOST = 1_000;
const KEPT_MS = 60_000;

/** The salts of organizations under which addresses are signed; a salt never changes. */
export class SigningSalts {
  private readonly known = new LRUCache<string, Buffer>({ max: MOST, ttl: KEPT_MS });

  constructor(private readonly record: Record) {}

  /** Null for what is no organization. */
  async find(orgId: string): Promise<Buffer | null> {
    if (!isUuid(orgId)) return null;
    const known = this.known.get(orgId);
    if (known !== undefined) return known;
    const [row] = await this.record.inOrganization(orgId, (tx) =>
      tx.query<{ salt: Buffer | null }>('select docsvc_read_signing_salt() as salt'),
    );
    const salt = row?.salt ?? null;
    if (salt !== null) this.known.set(orgId, salt);
    return salt;
  }
}
