import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { WORKSPACE_ROOT } from '../../domain/policy/paths/path.js';
import { openNamedFile } from './open-named-file.js';

/** A regular file of a workspace as it was when it was measured. */
export interface MeasuredFile {
  /** Relative to the workspace. */
  path: string;
  /** Bytes. */
  size: number;
  /** `sha256:` + 64 hex over the content; null for a file too large to read. */
  digest: string | null;
  /** Instead of a digest: identity and time of the last change, which only the kernel sets. */
  stamp?: string;
}

/** More files than a person can be shown in a question. */
export const MAX_SHOWN_FILES = 128;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Bytes that one question may cost to read; beyond them files are stamped. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/**
 * Size and digest of those paths that name regular files below a workspace (docs/design/gate.md); null when there are more than
 * {@link MAX_SHOWN_FILES}. A path that leads over links below the workspace counts with the file at their end.
 */
export async function measureFiles(workspaceDir: string, paths: readonly string[]): Promise<MeasuredFile[] | null> {
  const measured: MeasuredFile[] = [];
  let left = MAX_READ_BYTES;
  for (const path of paths) {
    const file = await openNamedFile(workspaceDir, WORKSPACE_ROOT, path);
    if (file === null) continue;
    await using handle = file;
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) continue;
    if (measured.length === MAX_SHOWN_FILES) return null;
    const size = Number(stats.size);
    const readable = size <= Math.min(MAX_FILE_BYTES, left);
    if (readable) left -= size;
    measured.push(
      readable ? { path, size, digest: await digestOf(handle) } : { path, size, digest: null, stamp: stampOf(stats) },
    );
  }
  return measured;
}

/** Path of the first file that appeared, disappeared or changed; null when all are the same. */
export function changedFile(before: readonly MeasuredFile[], now: readonly MeasuredFile[]): string | null {
  const known = new Map(before.map((file) => [file.path, file]));
  for (const file of now) {
    const earlier = known.get(file.path);
    const same = earlier?.size === file.size && earlier.digest === file.digest && earlier.stamp === file.stamp;
    if (!same) return file.path;
    known.delete(file.path);
  }
  const [gone] = known.keys();
  return gone ?? null;
}

function stampOf({ dev, ino, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${ctimeNs}`;
}

async function digestOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false, start: 0, end: MAX_FILE_BYTES }))
    hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
