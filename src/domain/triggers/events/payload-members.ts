import { isExactObject, type ExactJson, type ExactObject } from '../../digest/exact-json.js';

/** Members of a payload itself alone, whatever their names: nothing that every object has is taken for one. */
export function memberOf(of: ExactObject, name: string): ExactJson | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

/** Empty for what is missing or no text. */
export function textMember(of: ExactObject, name: string): string {
  const value = memberOf(of, name);
  return typeof value === 'string' ? value : '';
}

/** Empty for what is missing or no object. */
export function objectMember(of: ExactObject, name: string): ExactObject {
  const value = memberOf(of, name);
  return isExactObject(value) ? value : {};
}
