import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { dialectOf } from '../../../domain/models/dialect.js';
import { SandgateError } from '../../../domain/errors.js';
import { MODEL_DIALECTS } from '../../../platform/llm/dialects/dialects.js';
import type { DialectPath, ModelDialect, ScreenedRequest } from '../../../platform/llm/model-dialect.js';
import { jsonBodyOf } from '../body/runner-body.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { RunSpecs } from '../../../core/gate/run-specs.js';
import type { FrozenRun } from '../../../core/gate/run-specs.js';
import { refusal } from './refusal.js';
import { Upstreams } from './upstreams.js';

/**
 * What a request is before anything is looked up for it. A refusal is kept until the earlier steps have passed:
 * an `early` one stands before the run's budgets are looked at, a `late` one behind them (docs/design/model-gateway.md).
 */
export type PreparedRequest =
  | { kind: 'ready'; dialect: ModelDialect; target: DialectPath; request: ScreenedRequest }
  | { kind: 'early' | 'late'; refusal: SandgateError };

/** The dialect of the run, the endpoint and the body screen: steps 5, 6 and 9 to 11 of the gateway's order. */
@Injectable()
export class RequestPreparation {
  constructor(
    private readonly specs: RunSpecs,
    private readonly upstreams: Upstreams,
  ) {}

  /** The run as it was frozen and what the request is to it. Throws `not_found` when there is no such run. */
  async prepare(caller: RunnerCaller, request: FastifyRequest): Promise<{ run: FrozenRun; prepared: PreparedRequest }> {
    const run = await this.specs.get(caller.organizationId, caller.runId);
    return { run, prepared: this.screen(request, run) };
  }

  /** The specification that `prepare` knows is not the one on record. */
  forget(caller: RunnerCaller): void {
    this.specs.forget(caller.runId);
  }

  private screen(request: FastifyRequest, run: FrozenRun): PreparedRequest {
    const { harness, model } = run.spec;
    const id = dialectOf(harness, model);
    if (id === null) {
      const message = `harness ${harness} calls no model through this gateway`;
      return { kind: 'early', refusal: refusal('invalid_request', message, 'final') };
    }
    const unserved = this.upstreams.unservedRefusal(id);
    if (unserved !== null) return { kind: 'early', refusal: unserved };
    const dialect = MODEL_DIALECTS[id];
    const target = dialect.paths.get((request.params as { '*'?: string })['*'] ?? '');
    if (target === undefined) return { kind: 'late', refusal: refusal('not_found', 'not found', 'final') };
    try {
      const rules = { model, providerStores: this.upstreams.providerStores };
      return { kind: 'ready', dialect, target, request: dialect.screen(jsonBodyOf(request), rules) };
    } catch (error) {
      if (error instanceof SandgateError) return { kind: 'late', refusal: error };
      throw error;
    }
  }
}
