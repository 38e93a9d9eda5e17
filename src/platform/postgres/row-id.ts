import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES_PER_ID = 16;
/** Random bytes are fetched for this many ids at once, because the call costs more than the bytes. */
const pool = Buffer.alloc(BYTES_PER_ID * 256);
let used = pool.length;
let lastMs = 0;
let count = 0;

/**
 * An id for a row: a UUID of version 7, so that rows made together lie together in their index. Each is greater than those that this
 * process made before it, within a millisecond and where the clock was set back too: lists that begin with the newest go by their ids.
 */
export function newRowId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, (used += BYTES_PER_ID));
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // Of the 32 bits, one is left for what is counted on top of it.
    count = random.readUInt32BE(6) >>> 1;
  } else {
    count += 1;
  }
  return v7({ random, msecs: lastMs, seq: count });
}
