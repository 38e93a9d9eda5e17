import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds for which a part may be sent to a signed address. */
export const PART_ADDRESS_TTL_SECS = 3_600;
/** Seconds for which a signed address gives out a file. */
export const DOWNLOAD_ADDRESS_TTL_SECS = 900;

/** What one signed address allows: one method on one subject, until it expires. */
export interface AddressGrant {
  method: 'GET' | 'PUT';
  orgId: string;
  /** The upload session that is written, or the document version that is read. */
  subjectId: string;
  /** Null where the subject has no parts. */
  partNumber: number | null;
  /** Unix time in seconds. */
  expiresAtSecs: number;
}

/** What an address is for, whoever signs it and for how long. */
export type AddressSubject = Pick<AddressGrant, 'method' | 'subjectId' | 'partNumber'>;

export type AddressVerdict = 'valid' | 'expired' | 'forged';

/** The signature of a grant under the salt of its organization, in the letters of addresses. */
export function signAddress(salt: Buffer, grant: AddressGrant): string {
  return mac(salt, grant).toString('base64url');
}

/** Whether a signature is the one of this grant; an expired one is told apart only where it was ours. */
export function verifyAddress(salt: Buffer, grant: AddressGrant, signature: string, nowSecs: number): AddressVerdict {
  const given = Buffer.from(signature, 'base64url');
  const expected = mac(salt, grant);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
  return nowSecs < grant.expiresAtSecs ? 'valid' : 'expired';
}

/** No member can hold a line break: what one grant says is never what another one says. */
function mac(salt: Buffer, { method, orgId, subjectId, partNumber, expiresAtSecs }: AddressGrant): Buffer {
  const lines = ['docsvc address 1', method, orgId, subjectId, partNumber ?? '', expiresAtSecs];
  return createHmac('sha256', salt).update(lines.join('\n')).digest();
}
