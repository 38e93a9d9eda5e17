import type { Readable } from 'node:stream';
import { request } from 'undici';
import { writeContentDigest } from '../../domain/transport/content-digest.js';

/** Bytes that are sent as one part. */
export interface SentBytes {
  body: Readable;
  length: number;
  sha256: Buffer;
}

/**
 * Puts bytes at an address, however long that takes. Loaded where something is sent: its client takes longer to load than all else of a
 * command.
 *
 * @throws Error with the system's words for a connection that was refused or broke, or for a file that cannot be read
 */
export async function putBytes(
  address: string,
  { body, length, sha256 }: SentBytes,
): Promise<{ status: number; text: string }> {
  const { statusCode, body: answer } = await request(address, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(length),
      'content-digest': writeContentDigest(sha256),
    },
    body,
    headersTimeout: 0,
    bodyTimeout: 60_000,
  });
  return { status: statusCode, text: await answer.text() };
}
