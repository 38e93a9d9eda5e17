import { Injectable, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { isJsonObject } from '../../../../src/domain/json.js';
import { invalidMember, invalidMembers, type ErrorDetail } from '../../domain/errors.js';
import { partGiven } from './as-given.js';
import { isBodyLeftOut } from './left-out.js';
import { refuseUnstorable } from './storable-text.js';

const MAX_NAME_SHOWN = 80;

/** Shapes a body or a query into its DTO, and refuses members that the DTO does not have; the refusal names every fault. */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: false,
      exceptionFactory: (errors) => invalidMembers(errors.flatMap((error) => detailsOf(error, ''))),
    });
  }

  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isShaped = metadata.metatype !== undefined && !NATIVE.has(metadata.metatype);
    const value = isShaped && isBodyLeftOut(metadata.metatype, sent) ? {} : sent;
    if (metadata.type === 'body' && isShaped && !isJsonObject(value)) {
      throw invalidMember('body', 'must be a JSON object');
    }
    if (metadata.type === 'body' || metadata.type === 'query') refuseUnstorable(value, metadata.type);
    if (metadata.type !== 'body' || !isShaped || !isJsonObject(value)) return this.shape(value, metadata);
    const { rest, given } = partGiven(value, metadata.metatype);
    return Object.assign((await this.shape(rest, metadata)) as object, given);
  }

  private async shape(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    return (await super.transform(value, metadata)) as unknown;
  }
}

const NATIVE: ReadonlySet<unknown> = new Set([String, Number, Boolean, Array, Object, Buffer]);

function detailsOf({ property, constraints, children }: ValidationError, parent: string): ErrorDetail[] {
  const path = join(parent, property);
  const inner = (children ?? []).flatMap((child) => detailsOf(child, path));
  if (constraints === undefined) return inner;
  if ('whitelistValidation' in constraints) {
    return [{ path, code: 'unknown_member', message: 'is not a member of this request' }, ...inner];
  }
  // Decorators run from the lowest up, and the type stands highest: a text in place of a number is told as such, not as too large.
  const reason = Object.values(constraints).at(-1) ?? 'is invalid';
  return [{ path, code: 'invalid', message: withoutProperty(reason, property) }, ...inner];
}

function join(parent: string, property: string): string {
  const shown = property
    .slice(0, MAX_NAME_SHOWN)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\u{fffd}');
  if (parent === '') return shown;
  return /^\d+$/.test(shown) ? `${parent}[${shown}]` : `${parent}.${shown}`;
}

/** class-validator begins its sentences with the member's name, which the path already says. */
function withoutProperty(reason: string, property: string): string {
  return reason.startsWith(`${property} `) ? reason.slice(property.length + 1) : reason;
}
