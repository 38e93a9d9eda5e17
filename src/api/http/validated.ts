import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { SandgateError } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json.js';
import { describeFirst } from './describe-refusal.js';

const VALIDATED_BY_SERVICE = Symbol('sandgate:validated-by-service');

/** What was sent for a DTO: its members, of whatever type. */
export type Unvalidated<T> = { readonly [M in keyof T]?: JsonValue | undefined };

/** A query parameter as it was sent: left out, once, or more often. */
export type QueryValue = string | string[] | undefined;

/**
 * Marks a DTO whose rules wait until the caller, or what the address names, was judged: 403, 404 and 503 come before the 400 of a
 * member. The validation pipe makes sure of an object of storable text, and the service asks for the members with {@link validated}.
 */
export function ValidatedByService(): ClassDecorator {
  return (target) => Reflect.defineMetadata(VALIDATED_BY_SERVICE, true, target);
}

export function isValidatedByService(dto: unknown): boolean {
  return typeof dto === 'function' && Reflect.getMetadata(VALIDATED_BY_SERVICE, dto) === true;
}

/**
 * Members by the rules that their DTO declares. Of several faults the one of the member that is named first is told. A member that
 * only some requests take is declared as those need it, and asked for by those alone.
 *
 * @throws SandgateError `invalid_request` naming the member and the reason (CP-329)
 */
export function validated<T extends object, M extends keyof T & string>(
  dto: new () => T,
  sent: Unvalidated<T>,
  ...members: M[]
): Pick<T, M> {
  const shaped = plainToInstance(dto, Object.fromEntries(members.map((member) => [member, sent[member]])));
  const errors = validateSync(shaped, { forbidUnknownValues: false });
  const faults = members.flatMap((member) => errors.filter(({ property }) => property === member));
  if (faults.length > 0) throw new SandgateError('invalid_request', describeFirst(faults));
  return shaped;
}
