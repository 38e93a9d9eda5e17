import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { SandgateError, type ErrorCode } from '../domain/errors.js';

/** The log for details that a history must not hold. */
export interface FailureLog {
  error(fields: Record<string, unknown>, message: string): void;
}

/** Codes that no retry can fix. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'forbidden', 'not_found', 'payload_too_large']);

/**
 * Turns every error of an activity into an application failure with a closed code and a fixed text: errors of git, SQL or the
 * file system carry data, and a history must hold none (docs/design/workflows.md). The error itself goes to the log.
 */
export class FailureInterceptor implements ActivityInboundCallsInterceptor {
  constructor(
    private readonly context: Context,
    private readonly log: FailureLog,
  ) {}

  async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    try {
      return await next(input);
    } catch (cause) {
      if (cause instanceof CancelledFailure) throw cause;
      const { activityType, attempt, workflowExecution } = this.context.info;
      const workflowId = workflowExecution?.workflowId;
      this.log.error({ err: cause, activity: activityType, attempt, workflowId }, 'an activity failed');
      throw closedFailure(cause);
    }
  }
}

function closedFailure(cause: unknown): ApplicationFailure {
  const code = cause instanceof SandgateError ? cause.code : 'internal';
  return ApplicationFailure.create({
    type: code,
    message: `The step failed (${code}). Details are in the log of the worker.`,
    nonRetryable: FINAL.has(code),
  });
}
