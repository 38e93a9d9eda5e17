import { readCode } from '../../platform/postgres/database-errors.js';

/** SQLSTATEs with which text and jsonb columns refuse characters. A safety net behind the checks of requests. */
const UNSTORABLE_STATES = new Set(['22021', '22P05']);

export function isUnstorableValue(error: unknown): boolean {
  return UNSTORABLE_STATES.has(readCode(error) ?? '');
}
