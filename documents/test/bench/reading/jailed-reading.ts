import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { testJail } from '../../support/parsing/jail.js';

/** Pages that one program of the jail reads, as the worker has it. */
export const BATCH = 50;

/** What reading a file came to. */
export interface FileRead {
  pages: number;
  words: number;
  milliseconds: number;
}

/**
 * Reads all pages of a PDF through the jail, batch after batch.
 *
 * @throws Error when a batch fails
 */
export async function readJailed(file: string, pages: number): Promise<FileRead> {
  const reader = new DocumentReader(testJail());
  let words = 0;
  const started = performance.now();
  for (let from = 1; from <= pages; from += BATCH) {
    const to = Math.min(pages, from + BATCH - 1);
    const { items, failure } = await reader.read(file, 'pdf', { from, to, isMoreToCome: to < pages });
    if (failure !== null) throw new Error(failure.message);
    for (const item of items) words += 'page' in item ? item.page.words.length : 0;
  }
  return { pages, words, milliseconds: performance.now() - started };
}

export const rateOf = ({ pages, milliseconds }: FileRead): number => (pages * 1000) / milliseconds;

export const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
