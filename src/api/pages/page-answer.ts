import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { toSandgateError } from '../http/error.filter.js';
import { contentSecurityPolicy, renderPage, type Page } from './page.js';

/** HTML for people; a client that prefers JSON gets the same status and the one error shape (docs/design/api-conventions.md). */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): void {
  void reply.status(page.status).header('referrer-policy', 'no-referrer');
  if (page.form === undefined && page.confirm === undefined && prefersJson(request.headers.accept)) {
    const message = page.paragraphs.join(' ');
    const next = page.link === undefined ? {} : { next: page.link.href };
    void reply.type('application/json').send(page.status === 200 ? { message, ...next } : { error: message });
    return;
  }
  void reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy(page))
    .send(renderPage(page));
}

/** Sends a browser on, which does not say where it came from: the address may hold a secret of a flow. */
export function redirectTo(reply: FastifyReply, location: string): void {
  void reply.status(302).header('referrer-policy', 'no-referrer').header('location', location).send();
}

/** Failures of the pages, as pages. */
@Catch()
export class PageErrorFilter implements ExceptionFilter {
  protected readonly title: string = 'Connection failed';

  constructor(private readonly logger: PinoLogger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const failure = toSandgateError(exception);
    if (failure.code === 'internal') this.logger.error({ err: exception, reqId: request.id }, 'request failed');
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const retryAfter = failure.retryAfterSeconds ?? (failure.code === 'unavailable' ? 1 : undefined);
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    sendPage(request, reply, failurePage(failure.httpStatus, this.title, failure.message));
  }
}

/** Text of a failure that the person did not cause; clients may read it. */
function failurePage(status: number, title: string, text: string): Page {
  return {
    status,
    title,
    paragraphs: [`${text.charAt(0).toUpperCase()}${text.slice(1)}.`, 'Try again later.'],
  };
}

/** Whether JSON is accepted and HTML less so (RFC 9110 §12.5.1). */
function prefersJson(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '*/*').split(',').map(readRange));
  const weight = (type: string, group: string): number =>
    weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0;
  return weight('application/json', 'application/*') > weight('text/html', 'text/*');
}

function readRange(range: string): [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const value = weight === undefined ? 1 : Number(weight);
  return [type, Number.isFinite(value) ? value : 0];
}
