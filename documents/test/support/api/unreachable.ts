import { errors } from 'undici';
import { isSystemError } from '../../../../src/domain/system-error.js';

/** Whether a request of undici had no answer because the API died before it gave one, or was not there. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof errors.SocketError || isSystemError(error, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE');
}
