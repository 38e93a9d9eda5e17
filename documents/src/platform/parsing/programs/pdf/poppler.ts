import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '../../../../domain/page-model.js';
import type { PdfSource } from './open-pdf.js';

const run = promisify(execFile);
const LIMITS = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024 };

/** By how much each page is turned to be displayed. A document with a password is not asked: that would stand on a command line. */
export async function pageRotations(
  { path, password }: PdfSource,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, Page['rotation']>> {
  if (password !== undefined) return new Map();
  const said = await outputOf('pdfinfo', ['-f', String(from), '-l', String(to), path]);
  return new Map(
    [...said.matchAll(/^Page\s+(\d+) rot:\s+(90|180|270)$/gm)].map((match) => [
      Number(match[1]),
      Number(match[2]) as Page['rotation'],
    ]),
  );
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
