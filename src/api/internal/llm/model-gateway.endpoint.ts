import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import type { RunnerEndpoint } from '../routes/runner-endpoint.js';
import type { ModelCall } from './model-call.js';
import { ModelForwarding } from './model-forwarding.js';
import { ModelSpend } from './model-spend.js';
import { refusal } from './refusal.js';
import { RequestPreparation } from './request-preparation.js';

/**
 * The model gateway: the only way of a run to a model. It admits, holds budget, forwards the screened body, passes the answer
 * through and settles what it cost. Refusals come in the order of docs/design/model-gateway.md.
 */
@Injectable()
export class ModelGatewayEndpoint implements RunnerEndpoint {
  readonly method = 'POST';
  readonly path = '/llm/*';
  readonly ofSession = false;
  readonly route = { audience: 'llm', acceptsApiKey: true, answersUnreadableBody: true } as const;

  constructor(
    private readonly config: ApiConfig,
    private readonly preparation: RequestPreparation,
    private readonly spend: ModelSpend,
    private readonly forwarding: ModelForwarding,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
  ) {}

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const caller = callerOf(request);
    const leave = this.limits.enter(caller.runId, 'model_requests', this.config.limits.modelRequests);
    if (leave === null) {
      this.breaches.note(caller.runId, 'model_requests');
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

  private async admit(caller: RunnerCaller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (;;) {
      const { run, prepared } = await this.preparation.prepare(caller, request);
      if (prepared.kind !== 'ready') {
        await this.spend.check(caller, run, prepared.kind === 'early' ? prepared.refusal : null);
        throw prepared.refusal;
      }
      const { dialect, target } = prepared;
      if (!target.counted || !this.forwarding.reaches(dialect)) await this.spend.check(caller, run, null);
      this.forwarding.requireProvider(dialect);
      const call: ModelCall = { caller, run, dialect, path: target.path, request: prepared.request };
      if (!target.counted) return this.forwarding.forwardUncounted(call, request, reply);
      const reservation = await this.spend.reserve(call);
      if (reservation !== 'reload') return this.forwarding.forward(call, reservation, request, reply);
      this.preparation.forget(caller);
    }
  }
}
