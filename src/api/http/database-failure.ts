/** SQLSTATE classes and codes with which PostgreSQL says that it cannot serve now: connection, resources, shutdown. */
const UNAVAILABLE_STATES = /^(08...|53...|57P0[1-5]|55P03)$/;
const UNAVAILABLE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);
const UNAVAILABLE_TEXT = /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;
/** Bytes that text columns and jsonb refuse; the request checks catch them first. */
const UNSTORABLE_STATES = new Set(['22021', '22P05']);

/** Whether an error says that the database cannot be reached or does not serve, and a retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (const cause of causes(error)) {
    const code = 'code' in cause ? cause.code : undefined;
    const isSocketError = 'syscall' in cause && typeof code === 'string' && UNAVAILABLE_CODES.has(code);
    if (isSocketError || (typeof code === 'string' && UNAVAILABLE_STATES.test(code))) return true;
    if (cause instanceof Error && UNAVAILABLE_TEXT.test(cause.message)) return true;
  }
  return false;
}

export function isUnstorableValue(error: unknown): boolean {
  return causes(error).some((cause) => 'code' in cause && typeof cause.code === 'string' && UNSTORABLE_STATES.has(cause.code));
}

/** The error, what its driver wrapped, and its chain of causes. */
function causes(error: unknown): object[] {
  const found: object[] = [];
  const pending: unknown[] = [error];
  while (pending.length > 0 && found.length < 16) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || found.includes(next)) continue;
    found.push(next);
    if ('cause' in next) pending.push(next.cause);
    if ('driverError' in next) pending.push(next.driverError);
    if (next instanceof AggregateError) pending.push(...(next.errors as unknown[]));
  }
  return found;
}
