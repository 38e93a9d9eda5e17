import { SandgateError } from './errors.js';
import { readUuid } from './uuid.js';

/** An id in a path. One that cannot name a row is answered like one that names none (docs/design/api-conventions.md). */
export function pathId(text: string, what: string): string {
  const id = readUuid(text);
  if (id === null) throw notFound(what);
  return id;
}

/** Says what is missing; the same for a row of another organization. */
export function notFound(what: string): SandgateError {
  return new SandgateError('not_found', `no such ${what}`);
}
