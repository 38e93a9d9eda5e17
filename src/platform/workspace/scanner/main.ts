import { readFileSync, writeFileSync } from 'node:fs';
import { BaseTree } from './base-tree.js';
import type { ObjectFormat } from './content.js';
import { changedRepository, type LeftOut } from './left-out.js';
import { PackWriter } from './pack-writer.js';
import { TreeScan, type IndexEntry } from './tree-scan.js';

/** What the control plane asks of the scanner; a JSON file named by the only argument. */
export interface ScanRequest {
  root: string;
  objects: string;
  format: ObjectFormat;
  purpose: 'snapshot' | 'diff';
  /** Output of `git ls-tree -r -z` of the base commit, and the baseline to compare the agent's `.git` with (diff only). */
  baseListing: string | null;
  baseline: string | null;
  /** Folder for the results: `pack` (path of the new pack, or empty), `index`, `index.light`, `oversized`, `report.json`. */
  output: string;
  maxFileBytes: number;
  /** Milliseconds that may go into reading what is left out anyway. */
  digestMs: number;
}

/** What it found; the entries themselves stand in `index`, in the form that `git update-index --index-info -z` reads. */
export interface ScanReport {
  files: number;
  bytes: number;
  leftOut: LeftOut[];
  unlisted: number;
  /** Changed files that `index.light` leaves as the base has them, as Latin-1. */
  heavy: string[];
}

export type { LeftOut };

const MAX_DIGESTED_BYTES = 8 * 1024 ** 3;

/**
 * The part of collecting that reads what an agent wrote: a program of its own, run in a sandbox of its own with an unprivileged uid
 * (docs/design/workspaces.md). git never looks at the tree; it gets blobs and index entries, so nothing in the tree can configure it.
 */
function scan(request: ScanRequest): void {
  const pack = new PackWriter(`${request.objects}/pack`, request.format);
  const tree = new TreeScan({ ...request, pack, base: BaseTree.read(request.baseListing) });
  tree.run();
  writeFileSync(`${request.output}/pack`, pack.finish() ?? '');
  const limits = { bytes: MAX_DIGESTED_BYTES, until: Date.now() + request.digestMs };
  const { leftOut, unlisted } = tree.leftOut.settle(limits);
  const own = request.baseline === null ? undefined : changedRepository(request.root, request.baseline, limits);
  if (own !== undefined) leftOut.push(own);
  const heavy = tree.entries.filter((entry) => !entry.light);
  const report: ScanReport = {
    files: tree.files,
    bytes: tree.bytes,
    leftOut,
    unlisted,
    heavy: heavy.map(({ path }) => path.toString('latin1')),
  };
  writeFileSync(`${request.output}/index`, indexInfo(tree.entries));
  if (heavy.length > 0) writeFileSync(`${request.output}/index.light`, indexInfo(lighten(tree.entries)));
  writeFileSync(`${request.output}/oversized`, tree.oversized.map((path) => `${quoted(path)}\n`).join(''), 'latin1');
  writeFileSync(`${request.output}/report.json`, JSON.stringify(report));
}

function indexInfo(entries: { mode: string; id: string; path: Buffer }[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ mode, id, path }) => [Buffer.from(`${mode} ${id}\t`), path, Buffer.alloc(1)]),
  );
}

function lighten(entries: IndexEntry[]): { mode: string; id: string; path: Buffer }[] {
  return entries.flatMap((entry) => {
    if (entry.light) return [entry];
    return entry.base === undefined ? [] : [{ ...entry.base, path: entry.path }];
  });
}

/** A path for a list that git reads line by line: C-quoted, one escape for every byte that could end the line or the quotes. */
function quoted(path: Buffer): string {
  const escaped = Array.from(path, (byte) =>
    byte < 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `"${escaped.join('')}"`;
}

scan(JSON.parse(readFileSync(String(process.argv[2]), 'utf8')) as ScanRequest);
