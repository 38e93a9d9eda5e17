import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { OauthError, type OauthErrorCode } from '../../core/access/oauth-error.js';
import type { DocsvcErrorCode } from '../../domain/errors.js';
import { toDocsvcError } from '../http/error-body.js';

const CODE_OF: Partial<Record<DocsvcErrorCode, OauthErrorCode>> = {
  internal: 'server_error',
  unavailable: 'temporarily_unavailable',
};

/** Failures of the token endpoint in the form of its protocol (RFC 6749, 5.2). */
@Catch()
export class OauthErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: PinoLogger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (exception instanceof OauthError) {
      const { code, message, httpStatus, retryAfterSeconds } = exception;
      if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
      if (httpStatus === 401) reply.header('www-authenticate', 'Basic realm="docsvc"');
      void reply.status(httpStatus).send({ error: code, error_description: message });
      return;
    }
    const failure = toDocsvcError(exception);
    const requestId = http.getRequest<FastifyRequest>().id;
    if (failure.code === 'internal') this.logger.error({ err: exception, requestId }, 'token request failed');
    if (failure.code === 'unavailable') reply.header('retry-after', String(failure.retryAfterSeconds ?? 1));
    void reply
      .status(failure.httpStatus)
      .send({ error: CODE_OF[failure.code] ?? 'invalid_request', error_description: failure.message });
  }
}
