import { SandgateError } from '../errors.js';
import { PRESET_NAMES } from './presets.js';

/** Why a run is not given the network that it asks for, in the order in which the reasons are looked for. */
export const REFUSAL_CODES = [
  'unenforceable',
  'invalid_target',
  'blocked_range',
  'policy_deny',
  'mode_ceiling',
  'public_with_brokered',
  'unenforceable_deny',
  'not_in_catalog',
  'expiry_too_short',
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Refuses the network that a request asks for; the text begins with the member that is to be changed. */
export class NetworkRefused extends SandgateError {
  constructor(
    readonly reason: RefusalCode,
    text: string,
  ) {
    super('invalid_request', text);
  }
}

/** Ends a refusal of what this version does not have. */
export const WHAT_WORKS = `use "approved" with targets host:port or *.suffix:port, or presets ${PRESET_NAMES.join(', ')}`;
