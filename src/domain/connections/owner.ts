import { SandgateError } from '../errors.js';

/** `owner` of a create request (docs/design/connections.md): what is left out or blank means the organization. */
export type RequestedOwner = 'organization' | 'personal';

/** @throws SandgateError `invalid_request` for another value */
export function parseOwner(owner: unknown): RequestedOwner {
  if (owner === undefined || owner === null) return 'organization';
  const text = typeof owner === 'string' ? owner.trim() : null;
  if (text === '' || text === 'organization') return 'organization';
  if (text === 'personal') return 'personal';
  throw new SandgateError('invalid_request', 'owner: must be organization or personal');
}
