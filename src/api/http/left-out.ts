import { ValidateIf } from 'class-validator';

/** A member that may be left out and is not null: where null means nothing, it must not be taken for something. */
export const MayBeLeftOut = (): PropertyDecorator => ValidateIf((_body, value) => value !== undefined);
