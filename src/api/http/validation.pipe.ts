import { Injectable, ValidationPipe, type ArgumentMetadata, type ValidationError } from '@nestjs/common';
import { isJsonObject } from '../../domain/json.js';
import { SandgateError } from '../../domain/errors.js';
import { isBodyOptional } from './optional-body.js';
import { refuseUnstorableText } from './request-text.js';

/**
 * Shapes a request body or query into its DTO. Unknown members were refused before (KnownMembersInterceptor); a refusal is one sentence
 * that names the member and the reason (CP-329), and text that cannot be stored never reaches a service.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidUnknownValues: false,
      exceptionFactory: (errors) => new SandgateError('invalid_request', describeFirst(errors)),
    });
  }

  override async transform(given: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isLeftOut = given === undefined && metadata.type === 'body' && isBodyOptional(metadata.metatype);
    const value = isLeftOut ? {} : given;
    if (metadata.type === 'body') {
      if (!isJsonObject(value)) throw new SandgateError('invalid_request', 'body: must be a JSON object');
      refuseUnstorableText(value, '');
    }
    if (metadata.type === 'query') refuseUnstorableText(value, 'query');
    return (await super.transform(value, metadata)) as unknown;
  }
}

function describeFirst(errors: ValidationError[], parent = ''): string {
  const [error] = errors;
  if (error === undefined) return 'invalid request';
  const path = parent === '' ? error.property : `${parent}.${error.property}`;
  if (error.children !== undefined && error.children.length > 0) return describeFirst(error.children, path);
  // Decorators run from the lowest up, and the type stands highest, so a text in place of a number is reported as such and not as
  // too large.
  const reason = Object.values(error.constraints ?? {}).at(-1);
  return reason === undefined ? `${path}: is invalid` : `${path}: ${withoutProperty(reason, error.property)}`;
}

/** class-validator begins its sentences with the member's name, which the path already says. */
function withoutProperty(reason: string, property: string): string {
  return reason.startsWith(`${property} `) ? reason.slice(property.length + 1) : reason;
}
