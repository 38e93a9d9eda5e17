import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES_PER_ID = 16;
/** Random bytes are fetched for this many ids at once, because the call costs more than the bytes. */
const pool = Buffer.alloc(BYTES_PER_ID * 256);
let used = pool.length;

/** An id for a row: a UUID of version 7, so that rows made together lie together in their index. */
export function newRowId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES_PER_ID;
  return v7({ random: pool.subarray(used - BYTES_PER_ID, used) });
}
