import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ExactObject } from '../../domain/digest/exact-json.js';
import { isExactObject } from '../../domain/digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../domain/digest/parse-json.js';

const BODY_TEXTS = new WeakMap<object, string>();

/** Called by the body parser, so that a route that needs to know how a number was written can read the body once more. */
export function rememberBodyText(request: FastifyRequest, text: string): void {
  BODY_TEXTS.set(request, text);
}

/**
 * The body with every number that JavaScript cannot hold, or that is an integer written with a fraction, kept as it was written:
 * a policy says 600, never 600.0 (docs/design/policy.md). The validation pipe has refused a body that is no object before.
 */
export const ExactBody = createParamDecorator((_: unknown, context: ExecutionContext): ExactObject => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const body = parseJsonPreservingNumbers(BODY_TEXTS.get(request) ?? '{}');
  return isExactObject(body) ? body : {};
});
