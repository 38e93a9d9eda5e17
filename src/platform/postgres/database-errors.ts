import { SandgateError } from '../../domain/errors.js';

/** SQLSTATE classes of a server that is away, starting, stopping or overloaded: the caller may try again. */
const UNAVAILABLE = /^(08|53|57P0|55P03|55000|40)/;
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/**
 * Runs database work and gives its failures a code of ours: `not_found` where a function of ours raised SG404,
 * `unavailable` for a server that cannot be reached or gave up waiting. Everything else passes unchanged: a defect.
 */
export async function translateDatabaseErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (error instanceof SandgateError || !(error instanceof Error)) return error;
  const code = readCode(error);
  if (code === 'SG404') return new SandgateError('not_found', 'no such run', { cause: error });
  if (code !== undefined ? UNAVAILABLE.test(code) || NETWORK_CODES.has(code) : isLostConnection(error)) {
    return databaseAway(error);
  }
  return error;
}

/** What is told of a database that cannot be reached, for whatever cause. */
export function databaseAway(cause: unknown): SandgateError {
  return new SandgateError('unavailable', 'the database cannot be reached at the moment', { cause });
}

/** PostgreSQL and Node both put their code on the error; TypeORM keeps the original as `driverError`. */
export function readCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } };
  if (typeof code === 'string') return code;
  return typeof driverError?.code === 'string' ? driverError.code : undefined;
}

function isLostConnection(error: Error): boolean {
  return /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i.test(
    error.message,
  );
}

/** Whether the statement failed on a unique constraint, optionally on that very one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (readCode(error) !== '23505') return false;
  const holder = error as { constraint?: string; driverError?: { constraint?: string } };
  return constraint === undefined || (holder.constraint ?? holder.driverError?.constraint) === constraint;
}
