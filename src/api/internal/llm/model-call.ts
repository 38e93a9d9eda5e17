import type { RunnerCaller } from '../auth/runner-caller.js';
import type { FrozenRun } from '../gate/run-specs.js';
import type { ScreenedRequest } from '../../../platform/llm/anthropic-request.js';

/** One admitted model request on its way through the gateway. */
export interface ModelCall {
  caller: RunnerCaller;
  run: FrozenRun;
  request: ScreenedRequest;
}

/** A held share of the budget. */
export interface Reservation {
  id: string;
  outputTokens: number;
}

/** What a harness speaks; null for one that calls no model (chapter 20 §15.1). */
export function dialectOf(harness: string): 'anthropic' | null {
  return harness === 'builtin' || harness === 'claude-agent-sdk' ? 'anthropic' : null;
}

/** Paths of the provider by what may follow `/internal/llm`; the caller's text never becomes part of an address. */
const UPSTREAM_PATHS: Record<string, '/v1/messages' | '/v1/messages/count_tokens'> = {
  '': '/v1/messages',
  'v1/messages': '/v1/messages',
  'v1/messages/count_tokens': '/v1/messages/count_tokens',
};

export function upstreamPath(suffix: string): '/v1/messages' | '/v1/messages/count_tokens' | null {
  return Object.hasOwn(UPSTREAM_PATHS, suffix) ? (UPSTREAM_PATHS[suffix] ?? null) : null;
}
