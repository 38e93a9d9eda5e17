import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import { redactingStandardError } from '../platform/telemetry/logger.js';

/** Asked every few seconds by balancers; a line for each would bury the rest. */
const SILENT_PATHS = ['/v1/health'];

/**
 * One record per request: who asked what and what came of it. Headers, bodies and queries are not logged at all, and every
 * line passes the redactor. The runner plane has its own records: the ledger.
 */
export function requestLogging(level: string): Params {
  return {
    pinoHttp: [
      {
        name: 'api',
        level,
        autoLogging: { ignore: (request) => SILENT_PATHS.some((path) => request.url?.startsWith(path) === true) },
        serializers: { req: describeRequest, res: describeResponse },
        customLogLevel: (_request, response, error) =>
          error !== undefined || response.statusCode >= 500 ? 'error' : 'info',
      },
      redactingStandardError,
    ],
    exclude: ['internal/*path'],
  };
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
