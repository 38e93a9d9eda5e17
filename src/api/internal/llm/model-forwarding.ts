import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { costCapMicros } from '../../../domain/budgets/budget-state.js';
import type { ModelDialect } from '../../../platform/llm/model-dialect.js';
import { preciseNow } from '../../../platform/telemetry/tracing.js';
import { AnswerRelay } from './answer-relay.js';
import { GatewayObserver } from './gateway-observer.js';
import type { ModelCall, Reservation } from './model-call.js';
import { ModelSpend } from './model-spend.js';
import { Upstreams } from './upstreams.js';

const MAX_HEADER_CHARACTERS = 1024;

/** Sends an admitted request to its provider, passes the answer on and settles it (docs/design/model-gateway.md, steps 13 and 14). */
@Injectable()
export class ModelForwarding {
  constructor(
    private readonly upstreams: Upstreams,
    private readonly spend: ModelSpend,
    private readonly logger: PinoLogger,
    private readonly observer: GatewayObserver,
  ) {}

  /** Whether this deployment has a provider for the dialect. */
  reaches(dialect: ModelDialect): boolean {
    return this.upstreams.has(dialect.id);
  }

  /** Throws `unavailable` when it has none. */
  requireProvider(dialect: ModelDialect): void {
    this.upstreams.require(dialect.id);
  }

  /** Sends a request that holds budget; its answer ends when its usage is on the record. */
  async forward(
    call: ModelCall,
    reservation: Reservation,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { budgets } = call.run.spec;
    const capped = budgets.max_tokens !== null || costCapMicros(budgets) !== null;
    const text = call.dialect.limitOutput(call.request, reservation.outputTokens, capped);
    const startedAt = preciseNow();
    const relay = this.relay(call, text, request, reply);
    const relayed = await relay.finished;
    try {
      await this.spend.settle(call, reservation, text, relayed);
    } catch (error) {
      // An answer whose usage and tool uses could not be recorded must not look complete; the client asks again.
      this.logger.error({ err: error, runId: call.caller.runId }, 'a model request could not be settled');
      reply.raw.destroy();
      return;
    } finally {
      this.observer.forwarded({ call, relayed, outputTokens: reservation.outputTokens, startedAt });
    }
    relay.end();
  }

  /** Sends a request that costs nothing and holds no budget. */
  async forwardUncounted(call: ModelCall, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const startedAt = preciseNow();
    const relay = this.relay(call, call.request.text, request, reply);
    const relayed = await relay.finished;
    this.observer.forwarded({ call, relayed, outputTokens: null, startedAt });
    relay.end();
  }

  private relay(call: ModelCall, body: string, request: FastifyRequest, reply: FastifyReply): AnswerRelay {
    const { dialect, path } = call;
    reply.hijack();
    const relay = new AnswerRelay(reply.raw, {
      meter: (streamed) => dialect.meter(streamed),
      filter: call.request.filter,
    });
    this.upstreams.require(dialect.id).dispatch(
      {
        path,
        body,
        anthropicVersion: plainHeader(request, 'anthropic-version'),
        anthropicBeta: plainHeader(request, 'anthropic-beta'),
      },
      relay,
    );
    return relay;
  }
}

function plainHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  const text = Array.isArray(value) ? value.join(',') : value;
  return text !== undefined && text.length <= MAX_HEADER_CHARACTERS && /^[\x20-\x7e]*$/.test(text) ? text : undefined;
}
