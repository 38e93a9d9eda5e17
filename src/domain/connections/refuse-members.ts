import { SandgateError } from '../errors.js';

/**
 * Refuses members that would otherwise be ignored: somebody who sends a secret expects it to be used.
 *
 * @param why what follows the member's name in the refusal
 * @throws SandgateError `invalid_request` naming the first member that is given
 */
export function refuseMembers<B extends object>(body: B, members: readonly (keyof B & string)[], why: string): void {
  const given = members.find((member) => body[member] != null);
  if (given !== undefined) throw new SandgateError('invalid_request', `${given}: ${why}`);
}
