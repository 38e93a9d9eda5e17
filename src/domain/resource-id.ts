import { SandgateError } from './errors.js';
import { isUuid } from './uuid.js';

/** An id in a path. One that cannot name a row is answered like one that names none (docs/design/api-conventions.md). */
export function pathId(text: string, what: string): string {
  if (!isUuid(text)) throw notFound(what);
  return text.toLowerCase();
}

/** Says what is missing; the same for a row of another organization. */
export function notFound(what: string): SandgateError {
  return new SandgateError('not_found', `no such ${what}`);
}
