import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import { MAX_LIMIT } from '../http/limit.js';

/** Query `limit`; `whenAbsent` says what a request without it gets. */
export const LimitQuery = (whenAbsent: string): MethodDecorator =>
  ApiQuery({
    name: 'limit',
    required: false,
    description: `Most rows to answer; ${whenAbsent} when left out. A number above ${MAX_LIMIT} is clamped to ${MAX_LIMIT}.`,
    schema: { type: 'integer', minimum: 1 },
  });

/** Queries `wait` and `cursor` of a list that can be waited for. */
export const WaitQueries = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({
      name: 'wait',
      required: false,
      description:
        'Seconds to wait for a list other than the one that `cursor` names; a number above 60 is clamped to 60. Without `cursor`, other than the empty list.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    }),
    ApiQuery({
      name: 'cursor',
      required: false,
      description: 'Member `cursor` of the answer that the caller saw last.',
      schema: { type: 'string', minLength: 1, maxLength: 128 },
    }),
  );

/** Query `after` of a ledger read. */
export const AfterQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'after',
    required: false,
    description: 'Only events whose seq is strictly greater; a negative number counts as 0.',
    schema: { type: 'integer', format: 'int64', default: 0 },
  });

/** A path parameter that is an id of a row. */
export const IdParam = (name: string, what: string): MethodDecorator =>
  ApiParam({ name, description: `Id of the ${what}.`, schema: { type: 'string', format: 'uuid' } });

/** @param what a request with the same key is answered */
export const IdempotencyKeyHeader = (what: string): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: `The same key with the same body answers ${what}; with another body 409.`,
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  });
