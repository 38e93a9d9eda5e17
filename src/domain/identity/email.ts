import { SandgateError } from '../errors.js';

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** An address as it is compared: trimmed, in lower case. @throws SandgateError `invalid_request` naming the member */
export function normalizedEmail(member: string, email: string): string {
  const normalized = email.trim().toLowerCase();
  if (EMAIL.test(normalized)) return normalized;
  throw new SandgateError('invalid_request', `${member}: must be an e-mail address`);
}
