import type { ValidationError } from 'class-validator';
import { spoken } from '../../domain/verbatim.js';

/** One sentence that names the member and the reason (CP-329), of the first fault. */
export function describeFirst(errors: readonly ValidationError[], parent = ''): string {
  const [error] = errors;
  if (error === undefined) return 'invalid request';
  const path = parent === '' ? error.property : `${parent}.${error.property}`;
  if (error.children !== undefined && error.children.length > 0) return describeFirst(error.children, path);
  // Decorators run from the lowest up, and the type stands highest, so a text in place of a number is reported as such and not as
  // too large.
  const reason = Object.values(error.constraints ?? {}).at(-1);
  return reason === undefined ? `${path}: is invalid` : `${path}: ${spoken(withoutProperty(reason, error.property))}`;
}

/** class-validator begins its sentences with the member's name, which the path already says. */
function withoutProperty(reason: string, property: string): string {
  return reason.startsWith(`${property} `) ? reason.slice(property.length + 1) : reason;
}
