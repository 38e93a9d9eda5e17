import { createHash } from 'node:crypto';

/** The hash before the first event. */
export const CHAIN_START: Buffer = Buffer.alloc(32);

export interface ChainLink {
  sessionId: string;
  seq: number;
  /** Microseconds since 1970, UTC. */
  occurredAtMicros: bigint;
  /** SHA-256 of the event's body, 32 bytes. */
  bodyDigest: Buffer;
}

/**
 * `h(n) = SHA-256(h(n-1) ‖ session ‖ seq ‖ occurred_at in µs ‖ body digest)` (docs/design/events.md); the session as its 16 bytes,
 * the two numbers as big-endian 64-bit integers.
 */
export function linkHash(previous: Buffer, link: ChainLink): Buffer {
  const numbers = Buffer.alloc(16);
  numbers.writeBigInt64BE(BigInt(link.seq), 0);
  numbers.writeBigInt64BE(link.occurredAtMicros, 8);
  return createHash('sha256')
    .update(previous)
    .update(Buffer.from(link.sessionId.replaceAll('-', ''), 'hex'))
    .update(numbers)
    .update(link.bodyDigest)
    .digest();
}

/** Event ids are UUIDs of version 8 made of the chain hash: unique, and checkable without a server. */
export function eventIdOf(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
