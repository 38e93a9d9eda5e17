import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** PDFs of a folder and the folders in it, in order of their names. */
export function pdfsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.toLowerCase().endsWith('.pdf'))
    .sort()
    .map((name) => join(folder, name));
}

/**
 * One PDF of the documents of a folder, one after the other and again, until it has so many pages.
 * @throws Error for a folder without a PDF
 */
export function joinPdfs(folder: string, pages: number, file: string): { file: string; pages: number } {
  const sizes = pdfsOf(folder).map((path) => ({ path, pages: pagesOf(path) }));
  if (sizes.length === 0) throw new Error(`${folder} has no PDF`);
  const chosen: string[] = [];
  for (let at = 0, sum = 0; sum < pages; at += 1) {
    const next = sizes[at % sizes.length];
    if (next === undefined) break;
    chosen.push(next.path);
    sum += next.pages;
  }
  execFileSync('pdfunite', [...chosen, file], { stdio: ['ignore', 2, 'ignore'] });
  // The jail reads it as a user who owns nothing.
  chmodSync(file, 0o644);
  return { file, pages: pagesOf(file) };
}

function pagesOf(file: string): number {
  const said = execFileSync('pdfinfo', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return Number(/^Pages:\s+(\d+)$/m.exec(said)?.[1] ?? 0);
}
