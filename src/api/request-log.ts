import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestMethod } from '@nestjs/common';
import type { Params } from 'nestjs-pino';
import type { DestinationStream } from 'pino';
import { traceIdsOf } from './http/request-spans.js';
import { activeTraceIds, LOG_SERIALIZERS, redactingStandardError } from '../platform/telemetry/logger.js';

/** Asked every few seconds by balancers; a line for each would bury the rest. */
const SILENT_PATHS = ['/v1/health'];

/**
 * One record per request: who asked what, and the outcome. Headers, bodies and queries are not logged at all, and every
 * line passes the redactor. The runner plane is not logged: its record is the ledger.
 */
export function requestLogging(level: string, destination: DestinationStream = redactingStandardError): Params {
  return {
    pinoHttp: [
      {
        name: 'api',
        level,
        mixin: activeTraceIds,
        customProps: traceIdsOf,
        autoLogging: { ignore: isSilent },
        serializers: { ...LOG_SERIALIZERS, req: describeRequest, res: describeResponse },
        customLogLevel: (_request, response, error) =>
          error !== undefined || response.statusCode >= 500 ? 'error' : 'info',
      },
      destination,
    ],
    forRoutes: [{ path: 'v1/*path', method: RequestMethod.ALL }],
  };
}

/** Middleware sees the address without the part that it was mounted on; the whole one stands beside it. */
function isSilent(request: IncomingMessage & { originalUrl?: string }): boolean {
  const url = request.originalUrl ?? request.url ?? '';
  return SILENT_PATHS.some((path) => url.startsWith(path));
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
