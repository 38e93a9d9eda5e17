/** SQLSTATEs with which text and jsonb columns refuse characters. A safety net behind the checks of requests. */
const UNSTORABLE_STATES = new Set(['22021', '22P05']);

export function isUnstorableValue(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } };
  return [code, driverError?.code].some((state) => typeof state === 'string' && UNSTORABLE_STATES.has(state));
}
