import { readCode } from '../postgres/database-errors.js';

/** An error as a log line holds it. */
export interface LoggedError {
  type: string;
  message: string;
  stack: string;
  [field: string]: unknown;
}

/**
 * Fields that say what kind of error it was. Drivers and clients hang more on theirs: the parameters of the statement, the row
 * that a constraint refused, the text that did not parse, the address that was asked.
 */
const TELLING_FIELDS = [
  'code', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint', 'routine', 'statusCode',
  'retryAfterSeconds',
] as const; // prettier-ignore
/** SQLSTATE class of data exceptions, whose messages quote the value. */
const DATA_EXCEPTION = /^22[0-9A-Z]{3}$/;
/** How V8 quotes a text that is no JSON. */
const QUOTED_JSON = /^.*is not valid JSON$/s;
const MAX_CAUSES = 8;

/**
 * What a log may hold of an error (docs/security.md): its kind, where it came from and the same of its causes, and nothing that was given to
 * whatever failed. Takes what pino-http has serialised before, too.
 */
export function describeError(given: unknown): unknown {
  const error = rawOf(given);
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? { type: 'unknown' } : given;
  const chain = [...causesOf(error)];
  return {
    type: error.constructor.name,
    message: chain.map(messageOf).join(': '),
    stack: chain.map(stackOf).join('\ncaused by: '),
    ...tellingFields(error),
  } satisfies LoggedError;
}

function rawOf(given: unknown): unknown {
  if (given instanceof Error || typeof given !== 'object' || given === null) return given;
  return (given as { raw?: unknown }).raw ?? given;
}

function* causesOf(error: Error): Generator<Error> {
  let next: unknown = error;
  for (let count = 0; count < MAX_CAUSES && next instanceof Error; count += 1) {
    yield next;
    next = next.cause;
  }
}

function messageOf(error: Error): string {
  const state = readCode(error);
  if (state !== undefined && DATA_EXCEPTION.test(state)) return `PostgreSQL refused a value (${state})`;
  return error instanceof SyntaxError
    ? error.message.replace(QUOTED_JSON, 'the text is not valid JSON')
    : error.message;
}

/** A stack begins with the message. */
function stackOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return [`${error.name}: ${messageOf(error)}`, ...frames].join('\n');
}

function tellingFields(error: Error): Record<string, string | number> {
  const fields: Record<string, string | number> = {};
  for (const name of TELLING_FIELDS) {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (typeof value === 'string' || typeof value === 'number') fields[name] = value;
  }
  return fields;
}
