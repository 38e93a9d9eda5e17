import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Files whose whole content was read by this process, with the stamp that they had. */
const known = new Map<string, { stamp: string; digest: string }>();

/** The digest of a file, `sha256:` + 64 hex; its content is read when its stamp changed since this process last read it. */
export async function unchangedFileDigest(path: string): Promise<string> {
  const stamp = await stampOf(path);
  const before = known.get(path);
  if (before?.stamp === stamp) return before.digest;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  const digest = `sha256:${hash.digest('hex')}`;
  // One that changed while it was read is read again next time.
  if ((await stampOf(path)) === stamp) known.set(path, { stamp, digest });
  else known.delete(path);
  return digest;
}

/** Forgets a file that is deleted. */
export function forgetFileDigest(path: string): void {
  known.delete(path);
}

async function stampOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
