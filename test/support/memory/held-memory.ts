import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What Node knows to be in use. It stands alone, so that another process can be handed its text. */
export function bytesHeld({ heapUsed, external, arrayBuffers }: NodeJS.MemoryUsage): number {
  return heapUsed + external + arrayBuffers;
}

/** Bytes that this process holds on to; what nothing refers to any more is collected first, and does not count. */
export function heldMemory(): number {
  // What the first one finds is given back while the program goes on; the second one waits for that.
  for (let collection = 0; collection < 2; collection += 1) collectGarbage();
  return bytesHeld(process.memoryUsage());
}
