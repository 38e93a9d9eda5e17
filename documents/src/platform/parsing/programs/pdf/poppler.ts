import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '../../../../domain/page-model.js';
import type { PdfSource } from './open-pdf.js';

const run = promisify(execFile);
const LIMITS = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024 };

/** By how much each page is turned to be displayed, as far as Poppler told. */
interface Rotations {
  from: number;
  to: number;
  pages: ReadonlyMap<number, Page['rotation']>;
}

let known: Promise<Rotations> | null = null;

/**
 * By how much each page is turned to be displayed. A document with a password is not asked: that would stand on a command line.
 * @param ahead pages after `to` that may be asked for next: Poppler takes longer to open a document than to tell of its pages
 */
export async function pageRotations(
  { path, password }: PdfSource,
  from: number,
  to: number,
  ahead = 0,
): Promise<ReadonlyMap<number, Page['rotation']>> {
  if (password !== undefined) return new Map();
  const last = await known;
  if (last !== null && last.from <= from && to <= last.to) return last.pages;
  known = askRotations(path, from, to + ahead);
  return (await known).pages;
}

async function askRotations(path: string, from: number, to: number): Promise<Rotations> {
  const said = await outputOf('pdfinfo', ['-f', String(from), '-l', String(to), path]);
  const told = [...said.matchAll(/^Page\s+(\d+) rot:\s+(\d+)$/gm)].map(
    ([, page, by]) => [Number(page), Number(by)] as const,
  );
  const turned = told.filter((one): one is readonly [number, Page['rotation']] => [90, 180, 270].includes(one[1]));
  return { from, to: told.at(-1)?.[0] ?? 0, pages: new Map(turned) };
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
