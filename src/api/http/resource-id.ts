import { SandgateError } from '../../domain/errors.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An id in a path. One that cannot name a row is answered like one that names none (00-design §1). */
export function pathId(text: string): string {
  if (!isUuid(text)) throw notFound();
  return text.toLowerCase();
}

export function notFound(): SandgateError {
  return new SandgateError('not_found', 'not found');
}
