import { SandgateError } from '../../../domain/errors.js';
import type { ErrorCode } from '../../../domain/errors.js';

/** Headers with which a model client learns whether a retry can help (docs/design/model-gateway.md). */
export type RetryAdvice = 'final' | 'transient';

const ADVICE = new WeakMap<SandgateError, RetryAdvice>();

/** A refusal of the gateway itself. `final` tells model clients not to retry; `transient` asks them to, a second later. */
export function refusal(code: ErrorCode, message: string, advice: RetryAdvice): SandgateError {
  const error = new SandgateError(code, message, advice === 'transient' ? { retryAfterSeconds: 1 } : {});
  ADVICE.set(error, advice);
  return error;
}

/** Whether a model client may retry a failure: its own mistakes stay mistakes. */
export function retryAdvice(error: SandgateError): RetryAdvice {
  const known = ADVICE.get(error);
  if (known !== undefined) return known;
  return error.httpStatus < 500 && error.httpStatus !== 429 ? 'final' : 'transient';
}
