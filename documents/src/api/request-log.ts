import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestMethod } from '@nestjs/common';
import type { Params } from 'nestjs-pino';
import type { DestinationStream } from 'pino';
import { LOG_SERIALIZERS, redactingStandardError } from '../../../src/platform/telemetry/logger.js';

/** Asked every few seconds by balancers; a line for each would bury the rest. */
const SILENT_PATH = '/api/health';

/** One record per request: who asked what, and the outcome. No headers, bodies or queries, and every line passes the redactor. */
export function requestLogging(level: string, destination: DestinationStream = redactingStandardError): Params {
  return {
    pinoHttp: [
      {
        name: 'docsvc-api',
        level,
        autoLogging: { ignore: isSilent },
        serializers: { ...LOG_SERIALIZERS, req: describeRequest, res: describeResponse },
        customLogLevel: (_request, response, error) =>
          error !== undefined || response.statusCode >= 500 ? 'error' : 'info',
      },
      destination,
    ],
    forRoutes: [
      { path: 'api/*path', method: RequestMethod.ALL },
      { path: 'oauth/*path', method: RequestMethod.ALL },
    ],
  };
}

/** Middleware sees the address without the part that it was mounted on; the whole one stands beside it. */
function isSilent(request: IncomingMessage & { originalUrl?: string }): boolean {
  return (request.originalUrl ?? request.url ?? '').startsWith(SILENT_PATH);
}

function describeRequest(request: IncomingMessage & { id?: unknown }): object {
  return {
    id: request.id,
    method: request.method,
    path: request.url?.split('?', 1)[0],
    remoteAddress: request.socket?.remoteAddress,
  };
}

function describeResponse(response: ServerResponse): object {
  return { statusCode: response.statusCode };
}
