import { isUniqueViolation } from '../../../../src/platform/postgres/database-errors.js';
import { DocsvcError } from '../../domain/errors.js';

/**
 * Work that writes a row whose name may be taken, as a transaction of its own.
 *
 * @throws DocsvcError `conflict` with the sentence when it is
 */
export async function unlessTaken<T>(constraint: string, message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isUniqueViolation(cause, constraint)) throw cause;
    throw new DocsvcError('conflict', message, { cause });
  }
}
