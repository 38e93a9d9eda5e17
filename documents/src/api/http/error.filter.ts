import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { DocsvcError } from '../../domain/errors.js';
import { errorAnswer, toDocsvcError } from './error-body.js';
import { laterPart } from './later-routes.js';
import { RouteTable } from './route-table.js';

/** Turns every failure, the framework's own included, into the one error body. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: PinoLogger,
    private readonly routes: RouteTable,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const failure = this.withMethod(exception, request, reply);
    if (failure.code === 'internal') this.logger.error({ err: exception, requestId: request.id }, 'request failed');
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const retryAfter = failure.retryAfterSeconds ?? (failure.code === 'unavailable' ? 1 : undefined);
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    if (failure.httpStatus === 401) reply.header('www-authenticate', challenge(failure));
    if (failure.code === 'insufficient_scope') reply.header('www-authenticate', scopeChallenge(failure));
    // The rest of the request is not waited for.
    if (failure.httpStatus === 408 || failure.httpStatus === 413) reply.header('connection', 'close');
    void reply.status(failure.httpStatus).type('application/json').send(errorAnswer(failure, request.id));
  }

  /** An unknown route whose path exists under other methods is the wrong method, and says which ones there are. */
  private withMethod(exception: unknown, request: FastifyRequest, reply: FastifyReply): DocsvcError {
    const failure = toDocsvcError(exception);
    if (!(exception instanceof HttpException) || exception.getStatus() !== 404) return failure;
    const allowed = this.routes.allowed(request.url);
    if (allowed === null) return ofLaterRelease(request.url) ?? failure;
    reply.header('allow', allowed);
    return new DocsvcError('method_not_allowed', `${request.method} is no method of this address; it has ${allowed}`);
  }
}

function ofLaterRelease(url: string): DocsvcError | null {
  const part = laterPart(url);
  return part === null ? null : new DocsvcError('not_implemented', `${part} come with a later release of this service`);
}

/** RFC 6750, 3. */
function challenge({ code }: DocsvcError): string {
  return code === 'token_expired' ? 'Bearer error="invalid_token", error_description="expired"' : 'Bearer';
}

function scopeChallenge({ details }: DocsvcError): string {
  return `Bearer error="insufficient_scope", scope="${details[0]?.message ?? ''}"`;
}
