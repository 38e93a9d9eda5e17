import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '../../../../domain/page-model.js';
import type { PdfSource } from './open-pdf.js';

const run = promisify(execFile);
const LIMITS = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024 };

/** So many pages are asked for at once: Poppler takes longer to open a document than to tell of its pages. */
const ROTATIONS_AT_ONCE = 1000;

/** By how much each page is turned to be displayed, of the pages that were asked for and of some that may be asked for next. */
interface Rotations {
  from: number;
  to: number;
  pages: ReadonlyMap<number, Page['rotation']>;
}

let known: Promise<Rotations> | null = null;

/** By how much each page is turned to be displayed. A document with a password is not asked: that would stand on a command line. */
export async function pageRotations(
  { path, password }: PdfSource,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, Page['rotation']>> {
  if (password !== undefined) return new Map();
  const last = await known;
  if (last !== null && last.from <= from && to <= last.to) return last.pages;
  known = askRotations(path, from, Math.max(to, from + ROTATIONS_AT_ONCE - 1));
  return (await known).pages;
}

async function askRotations(path: string, from: number, to: number): Promise<Rotations> {
  const said = await outputOf('pdfinfo', ['-f', String(from), '-l', String(to), path]);
  const turned = [...said.matchAll(/^Page\s+(\d+) rot:\s+(90|180|270)$/gm)];
  return { from, to, pages: new Map(turned.map(([, page, by]) => [Number(page), Number(by) as Page['rotation']])) };
}

/** Names of the files that a document carries. They are never opened. */
export async function embeddedFileNames({ path, password }: PdfSource): Promise<string[]> {
  if (password !== undefined) return [];
  const said = await outputOf('pdfdetach', ['-list', path]);
  return [...said.matchAll(/^\d+: (.*)$/gm)].map((match) => match[1] ?? '');
}

/** Empty for a document that Poppler cannot read: what it tells is an addition, and the other reader may well read it. */
async function outputOf(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(program, args, LIMITS)).stdout;
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return error.stdout;
    throw error;
  }
}
