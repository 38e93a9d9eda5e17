import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { digestOf } from '../../../domain/digest/digest.js';
import { SandgateError } from '../../../domain/errors.js';
import type { NewEvent } from '../../../domain/events/event-kinds.js';
import { Database } from '../../../core/record/database.js';
import type { TenantTransaction } from '../../../core/record/database.js';
import { isStorableText } from '../../../domain/storage/storable-text.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { planeBodyOf } from '../body/plane-body.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import type { PlaneEndpoint } from './plane-endpoint.js';
import { readPostedEvent } from './posted-event.js';

const MAX_KEY_CHARACTERS = 200;

/** Appends one line of a runner's narrative (chapter 20 §6). Accepted in every status until the tokens are revoked. */
@Injectable()
export class EventsEndpoint implements PlaneEndpoint {
  readonly method = 'POST';
  readonly path = '/events';
  readonly ofSession = true;
  readonly route;

  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
  ) {
    this.route = { audience: 'control', maxBodyBytes: config.limits.eventBytes, answersUnreadableBody: true } as const;
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const caller = callerOf(request);
    const body = planeBodyOf(request);
    if (body.kind === 'unreadable') {
      if (body.failure.code === 'payload_too_large') this.breaches.note(caller.sessionId, 'event_size');
      throw body.failure;
    }
    const waitMs = this.limits.takeEvent(
      caller.sessionId,
      this.config.limits.eventsPerSecond,
      this.config.limits.eventsBurst,
    );
    if (waitMs !== null) {
      this.breaches.note(caller.sessionId, 'event_rate');
      reply.header('retry-after-ms', String(waitMs));
      throw new SandgateError('rate_limited', 'too many events of this run; retry', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      });
    }
    const posted = readPostedEvent(body.value, this.config.ledger.recordAgentMessages);
    if (posted.kind === 'dropped') return { seq: null, dropped: posted.type };
    const seq = await this.store(caller, readIdempotencyKey(request), posted.event);
    return { seq };
  }

  private async store(caller: RunnerCaller, key: string | null, event: NewEvent): Promise<number> {
    const stored = await this.database.withTenant(caller.organizationId, async (tx) => {
      if (key !== null) {
        const earlier = await claimKey(tx, caller.sessionId, key, event);
        if (earlier !== null) return { seq: earlier };
      }
      const full = await this.countEvent(tx, caller.sessionId);
      if (full !== null) return { full };
      const [seq] = await tx.append(caller.sessionId, [event]);
      if (seq === undefined) throw new SandgateError('internal', 'internal error');
      if (key !== null) await keepAnswer(tx, caller.sessionId, key, seq);
      return { seq };
    });
    if (stored.full === undefined) return stored.seq;
    this.breaches.note(caller.sessionId, stored.full);
    throw new SandgateError('invalid_request', 'the ledger of this run takes no more events of its runner');
  }

  /** Counts one event against the totals of the run; the limit that it would exceed, or null. */
  private async countEvent(tx: TenantTransaction, sessionId: string): Promise<'event_count' | 'ledger_size' | null> {
    const { runnerEvents, ledgerBytes } = this.config.limits;
    const [head] = await tx.query<{ runner_events: number; ledger_bytes: string }>(
      'select runner_events, ledger_bytes from session_heads where session_id = $1 for no key update',
      [sessionId],
    );
    if (head === undefined) throw new SandgateError('not_found', 'not found');
    if (head.runner_events >= runnerEvents) return 'event_count';
    if (Number(head.ledger_bytes) >= ledgerBytes) return 'ledger_size';
    await tx.query('update session_heads set runner_events = runner_events + 1 where session_id = $1', [sessionId]);
    return null;
  }
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') return null;
  if (typeof key !== 'string' || key.length > MAX_KEY_CHARACTERS || !isStorableText(key)) {
    throw new SandgateError(
      'invalid_request',
      `Idempotency-Key: longer than ${MAX_KEY_CHARACTERS} characters or not text`,
    );
  }
  return key;
}

/** Claims a key of the run; the seq of the event that was stored under it before, or null for the first use. */
async function claimKey(
  tx: TenantTransaction,
  sessionId: string,
  key: string,
  event: NewEvent,
): Promise<number | null> {
  const digest = digestOf({ actor: event.actor, type: event.type, data: event.data });
  const scope = `events:${sessionId}`;
  const claimed = await tx.query(
    `insert into idempotency_keys (tenant_id, scope, key, body_digest, session_id) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, scope, key) do nothing returning key`,
    [tx.organizationId, scope, key, digest, sessionId],
  );
  if (claimed.length > 0) return null;
  const [earlier] = await tx.query<{ body_digest: string; seq: number | null }>(
    `select body_digest, (result ->> 'seq')::int as seq from idempotency_keys where tenant_id = $1 and scope = $2 and key = $3`,
    [tx.organizationId, scope, key],
  );
  if (earlier === undefined || earlier.body_digest !== digest) {
    throw new SandgateError('conflict', 'Idempotency-Key: used before with another event');
  }
  return earlier.seq;
}

async function keepAnswer(tx: TenantTransaction, sessionId: string, key: string, seq: number): Promise<void> {
  await tx.query(`update idempotency_keys set result = $4 where tenant_id = $1 and scope = $2 and key = $3`, [
    tx.organizationId,
    `events:${sessionId}`,
    key,
    JSON.stringify({ seq }),
  ]);
}
