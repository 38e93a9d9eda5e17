import { Injectable, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { isJsonObject } from '../../domain/json.js';
import { SandgateError } from '../../domain/errors.js';
import { describeFirst } from './describe-refusal.js';
import { isBodyOptional } from './optional-body.js';
import { refuseUnstorableText } from './request-text.js';
import { isValidatedByService } from './validated.js';

/**
 * Shapes a request body or query into its DTO. Unknown members were refused before (KnownMembersInterceptor); a refusal is one sentence
 * that names the member and the reason (CP-329), and text that cannot be stored never reaches a service. The members of a DTO that
 * its service validates stay as they were sent.
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
    if (isValidatedByService(metadata.metatype)) return value;
    return (await super.transform(value, metadata)) as unknown;
  }
}
