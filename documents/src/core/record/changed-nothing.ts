import { DocsvcError } from '../../domain/errors.js';

/**
 * True for a refusal: its transaction was certainly rolled back. After any other failure it may have been committed and only the answer
 * was lost, so what belongs to it must stay.
 */
export function changedNothing(error: unknown): error is DocsvcError {
  return error instanceof DocsvcError && !error.retryable;
}
