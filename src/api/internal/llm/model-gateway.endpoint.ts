import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { SandgateError } from '../../../domain/errors.js';
import { screenAnthropicRequest, withOutputLimit } from '../../../platform/llm/anthropic-request.js';
import type { ScreenedRequest } from '../../../platform/llm/anthropic-request.js';
import { missingUpstream, ModelUpstream } from '../../../platform/llm/upstream.js';
import { ApiConfig } from '../../foundation.module.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { jsonBodyOf } from '../body/plane-body.js';
import { RunSpecs } from '../gate/run-specs.js';
import type { FrozenRun } from '../gate/run-specs.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import type { PlaneEndpoint } from '../routes/plane-endpoint.js';
import { AnswerRelay } from './answer-relay.js';
import type { RelayedAnswer } from './answer-relay.js';
import { dialectOf, upstreamPath } from './model-call.js';
import type { ModelCall, Reservation } from './model-call.js';
import { ModelSpend } from './model-spend.js';
import { refusal } from './refusal.js';

const MAX_HEADER_CHARACTERS = 1024;

/**
 * The model gateway: the only way of a run to a model (chapter 20 §15, 06-gate §7). It admits, holds budget, forwards the
 * screened body, passes the answer through and settles what it cost. Refusals come in the order of chapter 20 §15.2.
 */
@Injectable()
export class ModelGatewayEndpoint implements PlaneEndpoint, OnApplicationShutdown {
  readonly method = 'POST';
  readonly path = '/llm/*';
  readonly ofSession = false;
  readonly route = { audience: 'llm', acceptsApiKey: true, answersUnreadableBody: true } as const;
  private readonly upstream: ModelUpstream | null;
  private readonly missing: string | null;

  constructor(
    private readonly config: ApiConfig,
    private readonly specs: RunSpecs,
    private readonly spend: ModelSpend,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
    private readonly logger: PinoLogger,
  ) {
    this.missing = missingUpstream(config.llm);
    this.upstream = this.missing === null ? new ModelUpstream(config.llm) : null;
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const caller = callerOf(request);
    const leave = this.limits.enter(caller.sessionId, 'model_requests', this.config.limits.modelRequests);
    if (leave === null) {
      this.breaches.note(caller.sessionId, 'model_requests');
      throw refusal(
        'rate_limited',
        'too many model requests of this run at once (llm_reservation_ceiling_exceeded)',
        'transient',
      );
    }
    try {
      await this.admit(caller, request, reply);
      return undefined;
    } finally {
      leave();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.upstream?.close();
  }

  private async admit(caller: RunnerCaller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (;;) {
      const run = await this.specs.get(caller.organizationId, caller.sessionId);
      const screened = this.screen(request, run);
      if (screened instanceof SandgateError || screened.path !== '/v1/messages' || this.upstream === null) {
        await this.spend.check(caller, run);
      }
      if (screened instanceof SandgateError) throw screened;
      if (this.upstream === null) throw refusal('unavailable', this.missing ?? 'no model provider', 'final');
      if (screened.path !== '/v1/messages') return this.forwardUncounted(this.upstream, screened, request, reply);
      const reservation = await this.spend.reserve({ caller, run, request: screened.request });
      if (reservation !== 'reload')
        return this.forward(this.upstream, { caller, run, request: screened.request }, reservation, request, reply);
      this.specs.forget(caller.sessionId);
    }
  }

  /** Steps 5 and 9 to 11. A refusal is kept until the steps before it have had their say. */
  private screen(request: FastifyRequest, run: FrozenRun): { path: string; request: ScreenedRequest } | SandgateError {
    try {
      if (dialectOf(run.spec.harness) === null) {
        throw refusal('invalid_request', `harness ${run.spec.harness} calls no model through this gateway`, 'final');
      }
      const path = upstreamPath((request.params as { '*'?: string })['*'] ?? '');
      if (path === null) throw refusal('not_found', 'not found', 'final');
      return { path, request: screenAnthropicRequest(jsonBodyOf(request), run.spec.model) };
    } catch (error) {
      if (error instanceof SandgateError) return error;
      throw error;
    }
  }

  private async forward(
    upstream: ModelUpstream,
    call: ModelCall,
    reservation: Reservation,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const text = withOutputLimit(call.request, reservation.outputTokens);
    const relayed = await this.relay(upstream, '/v1/messages', text, request, reply);
    try {
      await this.spend.settle(call, reservation, text, relayed);
    } catch (error) {
      // Without a record of its usage and tool uses the answer must not look complete; the client asks again.
      this.logger.error({ err: error, runId: call.caller.sessionId }, 'a model request could not be settled');
      reply.raw.destroy();
      return;
    }
    finish(reply, relayed);
  }

  /** Counting tokens costs nothing and reports no usage, so it holds no budget. */
  private async forwardUncounted(
    upstream: ModelUpstream,
    screened: { path: string; request: ScreenedRequest },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    finish(reply, await this.relay(upstream, screened.path, screened.request.text, request, reply));
  }

  private async relay(
    upstream: ModelUpstream,
    path: string,
    body: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<RelayedAnswer> {
    reply.hijack();
    const relay = new AnswerRelay(reply.raw);
    upstream.dispatch(
      {
        path,
        body,
        anthropicVersion: plainHeader(request, 'anthropic-version'),
        anthropicBeta: plainHeader(request, 'anthropic-beta'),
      },
      relay,
    );
    return relay.finished;
  }
}

function plainHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  const text = Array.isArray(value) ? value.join(',') : value;
  return text !== undefined && text.length <= MAX_HEADER_CHARACTERS && /^[\x20-\x7e]*$/.test(text) ? text : undefined;
}

/** Ends the client's answer: whole, broken off as the provider's was, or 502 when there was none. */
function finish(reply: FastifyReply, relayed: RelayedAnswer): void {
  const { raw } = reply;
  if (raw.destroyed) return;
  if (relayed.status === null) {
    raw.writeHead(502, { 'content-type': 'application/json' });
    raw.end(JSON.stringify({ error: 'the model provider could not be reached' }));
  } else if (relayed.complete) {
    raw.end();
  } else {
    raw.destroy();
  }
}
