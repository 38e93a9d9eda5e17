import { treeDigest, treeStamp } from './tree-digest.js';

/** Folders whose whole content was read by this process, with the stamp that they had. */
const known = new Map<string, { stamp: string; digest: Promise<string> }>();

/** The digest of an installed folder; its content is read when a file's stamp changed since this process last read it. */
export async function unchangedDigest(folder: string): Promise<string> {
  const stamp = await treeStamp(folder);
  const before = known.get(folder);
  if (before?.stamp === stamp) return before.digest;
  const digest = readWhole(folder, stamp);
  known.set(folder, { stamp, digest });
  return digest;
}

/** A file that changes while it is read gets another stamp, so a stale digest is never used. */
async function readWhole(folder: string, stamp: string): Promise<string> {
  const forget = (): void => {
    if (known.get(folder)?.stamp === stamp) known.delete(folder);
  };
  try {
    const digest = await treeDigest(folder);
    if ((await treeStamp(folder)) !== stamp) forget();
    return digest;
  } catch (error) {
    forget();
    throw error;
  }
}
