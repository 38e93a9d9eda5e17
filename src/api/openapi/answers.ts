import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';

/** The body of every failure (docs/design/api-conventions.md). */
export class ErrorBody {
  @ApiProperty({ description: 'What was wrong, naming the member and the reason.' })
  error!: string;
}

const FAILURES = {
  400: 'The request is invalid; the text names the member and the reason.',
  401: 'The credential is missing or invalid.',
  403: 'The caller is known and not permitted.',
  404: 'No such resource, or none that the caller may see.',
  408: 'The request body did not arrive in time.',
  409: 'The request conflicts with what exists.',
  413: 'The request body is too large.',
  415: 'The request body is not of the type that the route takes.',
  429: 'As much waits already as may; `Retry-After` says when to try again.',
  500: 'An internal error; details are in the server log only.',
  502: 'Another server that the request needs could not be asked, or failed.',
  503: 'The service, or a part of it that the request needs, is unavailable; try again.',
} as const;

export type FailureStatus = keyof typeof FAILURES;

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } } };

/** The 200 answer of a route. */
export const Answer = (type: Type, description: string): MethodDecorator =>
  ApiResponse({ status: 200, type, description });

/** The failures that a route can answer besides 500. */
export const Failures = (...statuses: FailureStatus[]): MethodDecorator =>
  applyDecorators(
    ...[...statuses, 500 as const].map((status) =>
      ApiResponse({
        status,
        type: ErrorBody,
        description: FAILURES[status],
        ...(status === 429 ? { headers: RETRY_AFTER } : {}),
      }),
    ),
  );
