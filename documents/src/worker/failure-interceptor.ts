import { ApplicationFailure, CancelledFailure, type Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { DocsvcError } from '../domain/errors.js';

/** The log for details that a history must not hold. */
export interface FailureLog {
  error(fields: object, message: string): void;
}

/**
 * Turns every error of an activity into an application failure with a closed code and a fixed text: errors of SQL or of the file system
 * carry data, and a history must hold none. The error itself goes to the log.
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

/** Every step of an ingest or of a sweep may be tried again; what no repetition changes is a result of its step. */
function closedFailure(cause: unknown): ApplicationFailure {
  const code = cause instanceof DocsvcError ? cause.code : 'internal';
  return ApplicationFailure.create({
    type: code,
    message: `The step failed (${code}). Details are in the log of the worker.`,
  });
}
