import type { LeftOut, ScanReport } from './scanner/main.js';

/** What a patch says about itself after its last hunk. */
export interface TrailerFacts extends Pick<ScanReport, 'leftOut' | 'unlisted'> {
  truncated: boolean;
}

/**
 * Lines after the patch that name what it does not carry (docs/design/workspaces.md). Each starts with `# `, which `git apply` skips, and
 * every path is quoted the way git quotes it, so that no name can end its line. Empty when nothing was left out.
 */
export function patchTrailer(facts: TrailerFacts): string {
  const lines = facts.leftOut.map(describe);
  if (facts.unlisted > 0) lines.push(`and ${facts.unlisted} more entries that are not listed`);
  if (lines.length > 0) lines.unshift('Not part of this patch:');
  if (facts.truncated) lines.unshift('This patch is cut: it is larger than what is kept.');
  return lines.map((line) => `# ${line}\n`).join('');
}

function describe(entry: LeftOut): string {
  const path = Buffer.from(entry.path, 'latin1');
  if (!entry.folder) {
    const digest = entry.digest === null ? '' : `, sha256:${entry.digest}`;
    return `file ${quotePath(path)}: ${entry.why}, ${entry.bytes} bytes${digest}`;
  }
  const digest = entry.digest === null ? 'at least so many, tree digest not taken' : `tree sha256:${entry.digest}`;
  return `folder ${quotePath(Buffer.concat([path, Buffer.from('/')]))}: ${entry.why}, ${entry.files} files, ${entry.bytes} bytes, ${digest}`;
}

/** Always in quotes; everything but printable ASCII as an octal escape. */
export function quotePath(path: Buffer): string {
  const shown = Array.from(path, (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte < 0x20 || byte >= 0x7f ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
  });
  return `"${shown.join('')}"`;
}
