import type { ModelDialect, ScreenedRequest } from '../../../platform/llm/model-dialect.js';
import type { UpstreamPath } from '../../../platform/llm/upstream.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import type { FrozenRun } from '../../../core/gate/run-specs.js';

/** One screened model request on its way through the gateway. */
export interface ModelCall {
  caller: RunnerCaller;
  run: FrozenRun;
  dialect: ModelDialect;
  path: UpstreamPath;
  request: ScreenedRequest;
}

/** A held share of the budget. */
export interface Reservation {
  id: string;
  outputTokens: number;
}
