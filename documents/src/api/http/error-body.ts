import { HttpException } from '@nestjs/common';
import { SandgateError } from '../../../../src/domain/errors.js';
import { readCode } from '../../../../src/platform/postgres/database-errors.js';
import { DocsvcError, type DocsvcErrorCode, type ErrorDetail } from '../../domain/errors.js';

/** The body of every failure but those of the token endpoint. */
export interface ErrorAnswer {
  error: {
    code: DocsvcErrorCode;
    message: string;
    requestId: string;
    retryable: boolean;
    details: readonly ErrorDetail[];
  };
}

/** SQLSTATEs with which text and jsonb columns refuse characters, and numbers their range. A safety net behind the checks of requests. */
const UNSTORABLE_STATES = new Set(['22021', '22P05', '22003']);

/** Two requests at once: one deletes what the other one adds to. */
const FOREIGN_KEY_STATE = '23503';

const CODE_OF_STATUS: Readonly<Record<number, DocsvcErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'too_large',
  415: 'unsupported_type',
};

const SENTENCES: Partial<Record<DocsvcErrorCode, string>> = {
  not_found: 'no such address',
  too_large: 'the request body is too large',
  unsupported_type: 'the request body must be application/json',
};

export function errorAnswer(failure: DocsvcError, requestId: string): ErrorAnswer {
  const { code, message, retryable, details } = failure;
  return { error: { code, message, requestId, retryable, details } };
}

/** What a caller may be told about a failure, the framework's own included; everything else becomes `internal`. */
export function toDocsvcError(exception: unknown): DocsvcError {
  if (exception instanceof DocsvcError) return exception;
  if (exception instanceof SandgateError) return ofAdapter(exception);
  if (UNSTORABLE_STATES.has(readCode(exception) ?? '')) {
    return new DocsvcError('invalid_request', 'the request holds a value that cannot be stored', { cause: exception });
  }
  if (readCode(exception) === FOREIGN_KEY_STATE) {
    const message =
      'something that this belongs to, or that belongs to it, has changed meanwhile; read again and repeat';
    return new DocsvcError('conflict', message, { cause: exception });
  }
  const status = httpStatusOf(exception);
  const code = status !== undefined && status < 500 ? (CODE_OF_STATUS[status] ?? 'invalid_request') : 'internal';
  const message = SENTENCES[code] ?? (code !== 'internal' && exception instanceof Error ? exception.message : code);
  return new DocsvcError(code, code === 'internal' ? 'internal error' : message, { cause: exception });
}

/** Adapters that both products use speak of what the database or the network refused in the control plane's words. */
function ofAdapter(error: SandgateError): DocsvcError {
  const { message, code, retryAfterSeconds } = error;
  const options = { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  if (code === 'unavailable') return new DocsvcError('unavailable', message, options);
  if (code === 'invalid_request') return new DocsvcError('invalid_request', message, options);
  return new DocsvcError('internal', 'internal error', options);
}

function httpStatusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  if (typeof exception !== 'object' || exception === null || !('statusCode' in exception)) return undefined;
  return typeof exception.statusCode === 'number' ? exception.statusCode : undefined;
}
