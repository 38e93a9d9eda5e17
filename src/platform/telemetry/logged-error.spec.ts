import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { QueryFailedError } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import { LOG_SERIALIZERS } from './logger.js';

const GIVEN = 'what-was-given';

function logged(error: unknown): string {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  pino({ serializers: LOG_SERIALIZERS }, to).error({ err: error }, 'failed');
  // As the logger of requests calls it: with what its own serializer made of the error.
  const wrapped = { err: pino.stdSerializers.wrapErrorSerializer(LOG_SERIALIZERS.err as (error: object) => object) };
  pino({ serializers: wrapped }, to).error({ err: error }, 'failed');
  expect(lines).toHaveLength(2);
  return lines.join('');
}

function databaseError(message: string, code: string): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, 'error');
  return Object.assign(error, {
    code,
    detail: `Failing row contains (${GIVEN}).`,
    where: `JSON data, line 1: ${GIVEN}`,
    constraint: 'no_marks',
  });
}

function brokenJson(): unknown {
  try {
    return JSON.parse(`{"a": ${GIVEN}`);
  } catch (cause) {
    return cause;
  }
}

describe('an error in a log', () => {
  it.each([
    ['of the driver', databaseError('new row violates check constraint "no_marks"', '23514'), ['23514', 'no_marks']],
    ['about a value', databaseError(`invalid input syntax for type uuid: "${GIVEN}"`, '22P02'), ['22P02']],
    [
      'of a statement',
      new QueryFailedError('select $1', [GIVEN], databaseError(`value "${GIVEN}" is out of range`, '22003')),
      ['22003', 'QueryFailedError'],
    ],
    [
      'with a cause',
      new SandgateError('unavailable', 'away', { cause: databaseError(`bad ${GIVEN}`, '22P05') }),
      ['away', '22P05', 'caused by'],
    ],
    ['of a text that is no JSON', brokenJson(), ['SyntaxError', 'not valid JSON']],
    [
      'with fields of a client',
      Object.assign(new TypeError('Invalid URL'), { input: GIVEN, code: 'ERR_INVALID_URL' }),
      ['ERR_INVALID_URL'],
    ],
    ['that is none', { message: GIVEN, anything: GIVEN }, ['failed']],
  ])('%s says what failed and nothing that was given to it', (_what, error, said) => {
    const line = logged(error);
    for (const words of said) expect(line).toContain(words);
    expect(line).not.toContain(GIVEN);
  });

  it('keeps its own words and its stack', () => {
    const line = logged(new Error('the disk is full'));
    expect(line).toContain('the disk is full');
    expect(line).toContain('logged-error.spec');
  });
});
