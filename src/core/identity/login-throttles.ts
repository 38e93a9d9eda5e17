import { hash } from 'node:crypto';
import type pg from 'pg';
import { SandgateError } from '../../domain/errors.js';
import { holderOf, readAddress } from '../../platform/egress/address-classes.js';
import { queryRow } from '../record/query-row.js';

/** Tries of one minute, of all processes together. */
export const LOGIN_LIMITS = {
  /** Terminals that begin to sign in, from an address. */
  'device-start-ip': 10,
  /** Questions of terminals that wait, from an address: twenty-five that ask every five seconds. */
  'device-poll-ip': 300,
  /** Codes of terminals that are typed or followed, from an address and in a browser session. */
  'device-code-ip': 30,
  'device-code-session': 10,
  /** Beginnings of logins, of an address. */
  'start-ip': 10,
  'callback-ip': 10,
  'start-org': 30,
  'callback-org': 60,
} as const;

export type LoginThrottle = keyof typeof LOGIN_LIMITS;

/**
 * Counts a try of somebody, or of an organization, in the minute of the database's clock. Whoever has one IPv6 address has a network of
 * them, so these count together.
 *
 * @throws SandgateError `rate_limited` when there were too many
 */
export async function chargeLoginThrottle(pool: pg.Pool, kind: LoginThrottle, subject: string): Promise<void> {
  const who = kind.endsWith('-ip') ? holder(subject) : subject;
  const { admitted } = await queryRow<{ admitted: boolean }>(pool, {
    name: 'svc_charge_login_throttle',
    text: 'select svc_charge_login_throttle($1, $2) as admitted',
    values: [hash('sha256', `${kind}:${who}`, 'hex'), LOGIN_LIMITS[kind]],
  });
  if (!admitted) throw tooManyLogins();
}

export function tooManyLogins(): SandgateError {
  return new SandgateError('rate_limited', 'too many sign-ins at once; try again in a minute', {
    retryAfterSeconds: 60,
  });
}

function holder(from: string): string {
  const address = readAddress(from);
  return address === null ? from : holderOf(address);
}
