import { createHash } from 'node:crypto';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defer, from, lastValueFrom, type Observable } from 'rxjs';
import type { JsonValue } from '../../../../src/domain/json.js';
import type { Caller } from '../../core/access/caller.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import { withClaim, type IdempotencyClaim } from '../../core/requests/idempotency-claim.js';
import { IdempotencyKeys, type KeptAnswer } from '../../core/requests/idempotency-keys.js';
import { DocsvcError } from '../../domain/errors.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { bodyText } from './bodies.js';
import { findCaller } from './caller.decorator.js';
import { FormSpool } from './form-spool.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Headers that belong to the answer and not to one of its deliveries. */
const KEPT_HEADERS = ['etag', 'location'];

/**
 * Makes posts with one `Idempotency-Key` one, for 24 hours: the first is carried out, and the others, at the same time or later, get its
 * answer again. Stands outside of the other interceptors, because what it keeps is the answer as it is sent.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly keys: IdempotencyKeys;

  constructor(
    record: Record,
    config: ApiConfig,
    private readonly forms: FormSpool,
  ) {
    this.keys = new IdempotencyKeys(record, config.seal.key);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = request.headers['idempotency-key'];
    const caller = findCaller(request);
    if (request.method !== 'POST' || key === undefined || caller === null) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) {
      throw new DocsvcError('invalid_request', 'Idempotency-Key: must be 1 to 255 visible characters of ASCII');
    }
    return defer(() => from(this.answer(caller, key, request, http.getResponse<FastifyReply>(), next)));
  }

  private async answer(
    caller: Caller,
    key: string,
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    try {
      const claim = await this.keys.claim(caller, key, digestOf(request, await this.forms.digest(request)));
      return 'status' in claim ? repeat(reply, claim) : await this.carryOut(caller, claim, reply, next);
    } finally {
      await this.forms.drop(request);
    }
  }

  private async carryOut(
    caller: Caller,
    claim: IdempotencyClaim,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const answerOf = (body: unknown): KeptAnswer => ({
      status: reply.statusCode,
      body: asSent(body),
      headers: headersOf(reply),
    });
    const claimed = {
      claim,
      keepIn: (tx: RecordTransaction, body: object) => this.keys.keepIn(tx, caller, claim, answerOf(body)),
    };
    try {
      const body: unknown = await withClaim(claimed, () =>
        lastValueFrom<unknown, undefined>(next.handle(), { defaultValue: undefined }),
      );
      await this.keys.keep(caller, claim, answerOf(body));
      return body;
    } catch (error) {
      await this.keys.release(caller, claim);
      throw error;
    }
  }
}

function repeat(reply: FastifyReply, { status, body, headers }: KeptAnswer): unknown {
  void reply.status(status).headers({ ...headers, 'idempotency-replayed': 'true' });
  return body ?? undefined;
}

/** A form has no text here, and each sending of it its own boundary: the digest of what it says stands for it. */
function digestOf(request: FastifyRequest, form: Buffer | null): Buffer {
  const { method, url, headers } = request;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const parts = [method, url, type, form?.toString('hex') ?? bodyText(request)];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

function headersOf(reply: FastifyReply): { [name: string]: string } {
  const present = KEPT_HEADERS.flatMap((name) => {
    const value = reply.getHeader(name);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(present);
}

/** Times become texts and absent members go, as when it is sent. */
function asSent(body: unknown): JsonValue {
  return body === undefined ? null : (JSON.parse(JSON.stringify(body)) as JsonValue);
}
