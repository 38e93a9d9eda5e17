import { ValidateIf } from 'class-validator';

/** A member that may be left out but must not be null. */
export const MayBeLeftOut = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);
