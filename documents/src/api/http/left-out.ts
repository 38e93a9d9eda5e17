import { ValidateIf } from 'class-validator';

/** A member that may be left out but must not be null. */
export const MayBeLeftOut = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);

const BODIES = new WeakSet<object>();

/** A body whose members may all be left out, and so may the body: none at all asks for the same as an empty one. */
export const BodyMayBeLeftOut = (): ClassDecorator => (type) => {
  BODIES.add(type);
};

/** Whether none was sent where {@link BodyMayBeLeftOut} allows that. */
export function isBodyLeftOut(type: object, body: unknown): boolean {
  return body === undefined && BODIES.has(type);
}
