import { setTimeout as sleep } from 'node:timers/promises';
import type { ContractAnswer } from './contract-transport.js';

export interface RetryPlan {
  retries: number;
  stepMs: number;
  capMs: number;
  signal: AbortSignal;
}

/** The call got no usable answer; `status` is null when no answer arrived at all. */
export class ContractCallError extends Error {
  override readonly name = 'ContractCallError';

  constructor(
    message: string,
    readonly status: number | null,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * Repeats `attempt` on transport failures and retryable statuses, sleeping min(step × n, cap) between. Any other answer is
 * returned at once; running out of retries throws {@link ContractCallError}.
 */
export async function withRetries(plan: RetryPlan, attempt: () => Promise<ContractAnswer>): Promise<ContractAnswer> {
  for (let count = 1; ; count += 1) {
    const outcome = await attemptOnce(attempt, plan.signal);
    if (!(outcome instanceof ContractCallError)) return outcome;
    if (count > plan.retries) throw outcome;
    await sleep(Math.min(plan.stepMs * count, plan.capMs), undefined, { signal: plan.signal });
  }
}

async function attemptOnce(
  attempt: () => Promise<ContractAnswer>,
  signal: AbortSignal,
): Promise<ContractAnswer | ContractCallError> {
  try {
    const answer = await attempt();
    return isRetryableStatus(answer.status)
      ? new ContractCallError(`answered ${answer.status}`, answer.status)
      : answer;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WrongAudienceError) throw error;
    return new ContractCallError('no answer from the runner plane', null, { cause: error });
  }
}

/** A token was refused on its own route: the deployment is misconfigured, and this process cannot repair that (CP-288). */
export class WrongAudienceError extends Error {
  override readonly name = 'WrongAudienceError';

  constructor(readonly route: string) {
    super(`the control plane refused the token of ${route}: wrong_audience`);
  }
}
