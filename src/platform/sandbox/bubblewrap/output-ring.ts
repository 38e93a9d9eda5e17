import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing } from '../../../domain/system-error.js';
import { pathExists } from '../../host/path-exists.js';

/** How much of a runner's output is kept (docs/design/sandbox.md). */
export const RING_BYTES = 1024 * 1024;

const CLOSE_TIMEOUT_MS = 2_000;
const CLOSE_POLL_MS = 5;

/**
 * Shell program that writes its standard input to two files of `RING_BYTES` in turn, so that the last MiB is always on disk
 * whatever arrives. It needs nobody else alive, costs one shell and one `head`, and leaves `out.end` behind at the end of input.
 */
export const RING_WRITER = `i=0
while :; do
  head -c ${RING_BYTES} > "out.$i"
  [ "$(wc -c < "out.$i")" -lt ${RING_BYTES} ] && break
  i=$((1 - i))
done
: > out.end`;

/** The last MiB written so far, oldest byte first. */
export async function readRing(folder: string): Promise<Buffer> {
  const segments = await Promise.all(['out.0', 'out.1'].map((name) => readSegment(join(folder, name))));
  const written = segments
    .filter((segment) => segment !== null)
    .sort((a, b) => a.modifiedMs - b.modifiedMs || b.bytes.length - a.bytes.length);
  const all = Buffer.concat(written.map((segment) => segment.bytes));
  return all.length > RING_BYTES ? all.subarray(all.length - RING_BYTES) : all;
}

/** True once the writer has seen the end of the output. */
export function isRingClosed(folder: string): Promise<boolean> {
  return pathExists(join(folder, 'out.end'));
}

/** Waits until everything printed is on disk, for at most two seconds: a lost writer must not hold up an end. */
export async function awaitRingClosed(folder: string): Promise<void> {
  const deadline = Date.now() + CLOSE_TIMEOUT_MS;
  while (!(await isRingClosed(folder)) && Date.now() < deadline && (await pathExists(join(folder, 'out.0')))) {
    await sleep(CLOSE_POLL_MS);
  }
}

async function readSegment(path: string): Promise<{ bytes: Buffer; modifiedMs: number } | null> {
  try {
    return { modifiedMs: (await stat(path)).mtimeMs, bytes: await readFile(path) };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
