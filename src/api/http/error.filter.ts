import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { SandgateError } from '../../domain/errors.js';
import { RefusalObserver } from './audited.js';
import { isUnstorableValue } from './database-failure.js';
import { RouteTable } from './route-table.js';

/** Turns every failure, the framework's own included, into `{"error": string}` (docs/design/api-conventions.md). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: PinoLogger,
    private readonly routes: RouteTable,
    private readonly refusals: RefusalObserver,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const failure = this.withMethod(toSandgateError(exception), exception, request, reply);
    if (failure.code === 'internal') this.logger.error({ err: exception, reqId: request.id }, 'request failed');
    const noted = this.refusals.note(request, failure);
    if (noted === null) this.answer(reply, failure);
    else void noted.then(() => this.answer(reply, failure));
  }

  private answer(reply: FastifyReply, failure: SandgateError): void {
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const retryAfter = failure.retryAfterSeconds ?? (failure.code === 'unavailable' ? 1 : undefined);
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    if (failure.httpStatus === 401) reply.header('www-authenticate', 'Bearer');
    // The rest of the request is not waited for.
    if (failure.httpStatus === 408) reply.header('connection', 'close');
    void reply.status(failure.httpStatus).type('application/json').send({ error: failure.message });
  }

  /** An unknown route whose path exists under other methods is the wrong method, and says which ones there are. */
  private withMethod(
    failure: SandgateError,
    exception: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): SandgateError {
    if (!(exception instanceof HttpException) || exception.getStatus() !== 404) return failure;
    const allowed = this.routes.allowed(request.url);
    if (allowed === null) return failure;
    reply.header('allow', allowed);
    return new SandgateError('method_not_allowed', `method ${request.method} is not allowed here`);
  }
}

/** What a caller may be told about a failure; everything else becomes `internal error`. */
export function toSandgateError(exception: unknown): SandgateError {
  if (exception instanceof SandgateError) return exception;
  if (isUnstorableValue(exception)) {
    return new SandgateError('invalid_request', 'the request holds a value that cannot be stored', {
      cause: exception,
    });
  }
  const status = httpStatusOf(exception);
  if (status === undefined || status >= 500)
    return new SandgateError('internal', 'internal error', { cause: exception });
  if (status === 404) return new SandgateError('not_found', 'not found', { cause: exception });
  if (status === 413)
    return new SandgateError('payload_too_large', 'the request body is too large', { cause: exception });
  if (status === 415) {
    return new SandgateError('unsupported_media_type', 'the request body must be application/json', {
      cause: exception,
    });
  }
  return new SandgateError('invalid_request', exception instanceof Error ? exception.message : 'invalid request', {
    cause: exception,
  });
}

function httpStatusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  if (typeof exception !== 'object' || exception === null || !('statusCode' in exception)) return undefined;
  return typeof exception.statusCode === 'number' ? exception.statusCode : undefined;
}
