const OPTIONAL_BODY = Symbol('sandgate:optional-body');

/** Marks a DTO whose every member is optional: a request without a body is one with an empty object. */
export function OptionalBody(): ClassDecorator {
  return (target) => Reflect.defineMetadata(OPTIONAL_BODY, true, target);
}

export function isBodyOptional(dto: unknown): boolean {
  return typeof dto === 'function' && Reflect.getMetadata(OPTIONAL_BODY, dto) === true;
}
