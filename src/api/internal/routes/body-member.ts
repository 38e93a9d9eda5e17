import type { ExactJson, ExactObject } from '../../../domain/digest/exact-json.js';
import { isExactObject } from '../../../domain/digest/exact-json.js';
import { SandgateError } from '../../../domain/errors.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { isStorableText } from '../../../domain/storage/storable-text.js';

export function objectBody(body: ExactJson): ExactObject {
  if (!isExactObject(body)) throw new SandgateError('invalid_request', 'the request body must be a JSON object');
  return body;
}

/** A required text member. Throws `invalid_request` naming the member. */
export function textMember(body: ExactObject, name: string, maxLength: number): string {
  const value = body[name];
  if (typeof value !== 'string') throw new SandgateError('invalid_request', `${name}: a string is required`);
  if (value.length > maxLength)
    throw new SandgateError('invalid_request', `${name}: longer than ${maxLength} characters`);
  if (!isStorableText(value)) throw new SandgateError('invalid_request', `${name}: ${GATE_MESSAGES.textNotStorable}`);
  return value;
}
