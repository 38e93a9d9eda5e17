import { Injectable } from '@nestjs/common';
import { Database } from '../../../core/record/database.js';
import { digestRunToken, lookupRunToken } from '../../../core/runs/tokens.js';
import type { RunnerCaller } from './runner-caller.js';

/** How long a token that was found live is taken for live. The gate and the reservation check it again in their own transaction. */
const BELIEVED_MS = 2000;
const MAX_REMEMBERED = 10_000;

/** Finds the run behind a runner token. */
@Injectable()
export class RunnerTokens {
  private readonly remembered = new Map<string, { caller: RunnerCaller; until: number }>();

  constructor(private readonly database: Database) {}

  /** The caller, or null for a token that nobody holds. A cached answer is at most two seconds old. */
  async find(token: string, believed: boolean): Promise<RunnerCaller | null> {
    const sha256 = digestRunToken(token);
    if (sha256 === null) return null;
    const known = believed ? this.remembered.get(sha256) : undefined;
    if (known !== undefined && known.until > performance.now()) return known.caller;
    const row = await lookupRunToken(this.database.pool, sha256);
    if (row === null) return null;
    const caller: RunnerCaller = {
      tokenSha256: sha256,
      organizationId: row.organizationId,
      sessionId: row.sessionId,
      audience: row.audience,
      live: !row.expired && !row.revoked,
    };
    if (caller.live) this.remember(sha256, caller);
    else this.remembered.delete(sha256);
    return caller;
  }

  private remember(sha256: string, caller: RunnerCaller): void {
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(sha256, { caller, until: performance.now() + BELIEVED_MS });
  }
}
