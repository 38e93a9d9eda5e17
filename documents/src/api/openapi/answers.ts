import { applyDecorators, type Type } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiProperty, ApiResponse } from '@nestjs/swagger';
import { DOCSVC_ERROR_CODES } from '../../domain/errors.js';

class ErrorDetailView {
  @ApiProperty({ description: 'The member, parameter or header that it is about.' })
  path!: string;

  @ApiProperty()
  code!: string;

  @ApiProperty()
  message!: string;
}

class ErrorView {
  @ApiProperty({ type: 'string', enum: [...DOCSVC_ERROR_CODES] })
  code!: string;

  @ApiProperty({ description: 'What was wrong, where, and what to do.' })
  message!: string;

  @ApiProperty({ description: 'The `X-Request-Id` of the request; the log and the audit have it too.' })
  requestId!: string;

  @ApiProperty({ description: 'Whether the same request may succeed later.' })
  retryable!: boolean;

  @ApiProperty({ type: [ErrorDetailView], description: 'Every fault of the request, where there are several.' })
  details!: ErrorDetailView[];
}

/** The body of every failure. */
export class ErrorBody {
  @ApiProperty({ type: ErrorView })
  error!: ErrorView;
}

const FAILURES = {
  400: 'The request is invalid; `details` names the members and the reasons.',
  401: 'The access token is missing, unknown or expired.',
  403: 'The credential lacks a scope, or may not do this.',
  404: 'No such resource, or none that the credential may see.',
  405: 'The address does not have this method.',
  408: 'The request body stopped coming.',
  409: 'The request conflicts with what exists.',
  410: 'It is over: the upload has expired, or the content was purged.',
  413: 'The request is too large.',
  415: 'The request body is not of a type that the route takes.',
  422: 'It cannot be done with what is there.',
  423: 'The version is quarantined.',
  429: 'Too many requests, or a quota is used up; `Retry-After` says when to try again.',
  500: 'An internal error; details are in the log only.',
  501: 'A part of the interface that a later release brings.',
  503: 'The service, or a part of it that the request needs, is unavailable; try again.',
} as const;

export type FailureStatus = keyof typeof FAILURES;

/** What every route with a token can answer. */
const OF_EVERY_ROUTE: readonly FailureStatus[] = [400, 401, 403, 429, 500, 503];

/** An answer of 2xx with a body. */
export const Answer = (type: Type | [Type], description: string, status = 200): MethodDecorator =>
  ApiResponse({ status, type: Array.isArray(type) ? type[0] : type, isArray: Array.isArray(type), description });

/** An answer without a body. */
export const NoContent = (description: string): MethodDecorator => ApiResponse({ status: 204, description });

/** The failures that a route with a token can answer, besides those that all of them can. */
export const Failures = (...statuses: FailureStatus[]): MethodDecorator => OpenFailures(...OF_EVERY_ROUTE, ...statuses);

/** The failures of a route without a token. */
export const OpenFailures = (...statuses: FailureStatus[]): MethodDecorator =>
  applyDecorators(
    ...[...new Set(statuses)].map((status) => ApiResponse({ status, type: ErrorBody, description: FAILURES[status] })),
  );

/** A path parameter that is the id of a row. */
export const DescribeId = (what: string): MethodDecorator =>
  ApiParam({ name: 'id', description: `Id of the ${what}.`, schema: { type: 'string', format: 'uuid' } });

/** The header of a change that must not overwrite another one. */
export const IfMatchHeader = (): MethodDecorator =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'The `ETag` that was read: 409 when it has changed since. Without it the change is made in any case.',
    schema: { type: 'string' },
  });
