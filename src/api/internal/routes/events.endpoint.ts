import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import type { NewEvent } from '../../../domain/events/event-kinds.js';
import { Database } from '../../../core/record/database.js';
import { storeRunnerEvent } from '../../../core/runs/runner-events.js';
import { isStorableText } from '../../../domain/storage/storable-text.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { runnerBodyOf } from '../body/runner-body.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import type { RunnerEndpoint } from './runner-endpoint.js';
import { readPostedEvent } from './posted-event.js';

const MAX_KEY_CHARACTERS = 200;

/** Appends one line of a runner's narrative (docs/design/runner.md). Accepted in every status until the tokens are revoked. */
@Injectable()
export class EventsEndpoint implements RunnerEndpoint {
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
    const body = runnerBodyOf(request);
    if (body.kind === 'unreadable') {
      if (body.failure.code === 'payload_too_large') this.breaches.note(caller.runId, 'event_size');
      throw body.failure;
    }
    const waitMs = this.limits.takeEvent(
      caller.runId,
      this.config.limits.eventsPerSecond,
      this.config.limits.eventsBurst,
    );
    if (waitMs !== null) {
      this.breaches.note(caller.runId, 'event_rate');
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
    const { runnerEvents, ledgerBytes } = this.config.limits;
    const stored = await this.database.withTenant(caller.organizationId, (tx) =>
      storeRunnerEvent(tx, caller.runId, { key, event }, { runnerEvents, ledgerBytes }),
    );
    if (stored.full === undefined) return stored.seq;
    this.breaches.note(caller.runId, stored.full);
    throw new SandgateError('invalid_request', 'the ledger of this run takes no more events of its runner');
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
