import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { DocsvcError } from '../../domain/errors.js';
import { errorAnswer } from './error-body.js';

/** Answers, with the one error body, a connection whose bytes never became a request. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const message = tooLarge ? 'the request headers are too large' : 'malformed HTTP request';
  const requestId = randomUUID();
  const body = JSON.stringify(errorAnswer(new DocsvcError('invalid_request', message), requestId));
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
