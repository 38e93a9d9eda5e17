import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonValue } from '../../../../src/domain/json.js';
import { decrypt, encrypt } from '../../../../src/platform/seal/xchacha.js';
import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../access/caller.js';
import type { Record as DocsvcRecord, RecordTransaction } from '../record/record.js';
import type { IdempotencyClaim } from './idempotency-claim.js';

/** A request that has committed nothing for so long is taken for dead, and the next one with its key may be carried out. */
const CLAIM_SECONDS = 15;
/** Longer than a claim: whoever comes after a crash gets through. */
const WAIT_MS = 20_000;
const POLL_MS = 50;

/** An answer as it was given. */
export interface KeptAnswer {
  status: number;
  body: JsonValue;
  headers: { [name: string]: string };
}

interface ClaimRow {
  state: 'mine' | 'answered' | 'other' | 'busy' | 'lost';
  status: number | null;
  sealed_answer: Buffer | null;
  headers: { [name: string]: string } | null;
}

/** Makes equal posts with one key one: the first is carried out, the others get its answer. */
export class IdempotencyKeys {
  /** @param sealKey seals answers, of which some hold secrets that are shown once; without it there are none of these */
  constructor(
    private readonly record: DocsvcRecord,
    private readonly sealKey: Buffer | null,
  ) {}

  /**
   * The claim with which a request is to be carried out, or the answer that the first one got. Waits for a request that is under way.
   *
   * @param digest of everything that makes the request what it is
   * @throws DocsvcError `conflict`
   */
  async claim(caller: Caller, key: string, digest: Buffer): Promise<IdempotencyClaim | KeptAnswer> {
    const claim = { clientId: caller.clientId, key, claim: randomUUID() };
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const row = await this.ask(caller, claim, digest);
      if (row.state === 'mine') return claim;
      if (row.state === 'answered') return this.open(caller, key, row);
      if (row.state === 'other') throw refusal('was sent with another request before; use a new key for a new request');
      if (row.state === 'lost')
        throw refusal('was carried out, but its answer was lost; look at what it made, and use a new key for more');
      if (Date.now() > until) throw refusal('is being carried out by a request that is still under way; try again', 5);
      await delay(POLL_MS);
    }
  }

  async keep(caller: Caller, claim: IdempotencyClaim, answer: KeptAnswer): Promise<void> {
    await this.record.inOrganization(caller.orgId, (tx) => this.keepIn(tx, caller, claim, answer));
  }

  async keepIn(tx: RecordTransaction, caller: Caller, claim: IdempotencyClaim, answer: KeptAnswer): Promise<void> {
    await tx.query('select docsvc_keep_idempotent_answer($1, $2, $3, $4, $5, $6)', [
      claim.clientId,
      claim.key,
      claim.claim,
      answer.status,
      encrypt(this.keyFor(caller), Buffer.from(JSON.stringify(answer.body)), Buffer.from(claim.key)),
      JSON.stringify(answer.headers),
    ]);
  }

  /** After a refusal, which has changed nothing. */
  async release(caller: Caller, claim: IdempotencyClaim): Promise<void> {
    await this.record.inOrganization(caller.orgId, (tx) =>
      tx.query('select docsvc_release_idempotency_key($1, $2, $3)', [claim.clientId, claim.key, claim.claim]),
    );
  }

  private open(caller: Caller, key: string, { status, sealed_answer: sealed, headers }: ClaimRow): KeptAnswer {
    if (status === null || sealed === null) throw new Error('an answered key has no answer');
    const body = Buffer.from(decrypt(this.keyFor(caller), sealed, Buffer.from(key))).toString();
    return { status, body: JSON.parse(body) as JsonValue, headers: headers ?? {} };
  }

  private keyFor({ signingSalt, clientId }: Caller): Buffer {
    return createHmac('sha256', this.sealKey ?? signingSalt)
      .update(`docsvc answers ${clientId}`)
      .digest();
  }

  private async ask({ orgId }: Caller, { clientId, key, claim }: IdempotencyClaim, digest: Buffer): Promise<ClaimRow> {
    const [row] = await this.record.inOrganization(orgId, (tx) =>
      tx.query<ClaimRow>('select * from docsvc_claim_idempotency_key($1, $2, $3, $4, $5)', [
        clientId,
        key,
        digest,
        claim,
        CLAIM_SECONDS,
      ]),
    );
    if (row === undefined) throw new Error('docsvc_claim_idempotency_key answered nothing');
    return row;
  }
}

function refusal(message: string, retryAfterSeconds?: number): DocsvcError {
  return new DocsvcError('conflict', `Idempotency-Key: this key ${message}`, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
