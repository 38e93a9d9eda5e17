import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A page of a document of the corpus, as a line-by-line text. */
export interface CorpusPage {
  document: string;
  pageNumber: number;
  text: string;
}

/** What is known of a receipt besides its text. */
export interface Receipt {
  document: string;
  company: string;
}

export interface Corpus {
  pages: CorpusPage[];
  receipts: Receipt[];
}

/**
 * Reads the pages of all PDFs below a folder with poppler, and those of receipts from the lines that were published with them, so that
 * no system is measured by how well somebody recognizes letters.
 *
 * @throws Error when the folder has no documents: a benchmark without them would say nothing
 */
export function readCorpus(folder: string): Corpus {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
  const pdfs = files.filter((file) => file.endsWith('.pdf'));
  const boxes = files.filter((file) => file.endsWith('.boxes.csv'));
  if (pdfs.length === 0 || boxes.length === 0) {
    throw new Error(`${folder} has no documents to search: name the folder of the development documents`);
  }
  const receipts = boxes.map((file) => join(folder, file));
  return {
    pages: [...pdfs.flatMap((file) => readPdf(join(folder, file))), ...receipts.map(readReceipt)],
    receipts: receipts.flatMap(readCompany),
  };
}

function readPdf(file: string): CorpusPage[] {
  const { stdout, status, error } = spawnSync('pdftotext', ['-layout', file, '-'], {
    encoding: 'utf8',
    maxBuffer: 256 << 20,
  });
  if (status !== 0) throw new Error(`pdftotext could not read ${file}: ${error?.message ?? `it ended with ${status}`}`);
  return stdout
    .split('\f')
    .map((text, index) => ({ document: basename(file), pageNumber: index + 1, text: tidy(text) }))
    .filter(({ text }) => text !== '');
}

/** Words of a line joined by one blank, as parsers of the product join them. */
const tidy = (text: string): string =>
  text
    .normalize('NFC')
    .split('\n')
    .map((line) => line.trim().replace(/\s+/gu, ' '))
    .filter((line) => line !== '')
    .join('\n');

const receiptName = (file: string): string => basename(file).replace('.boxes.csv', '.jpg');

function readReceipt(file: string): CorpusPage {
  const lines = readFileSync(file, 'utf8')
    .split(/\r?\n/u)
    .map((line) => line.split(',').slice(8).join(','));
  return { document: receiptName(file), pageNumber: 1, text: tidy(lines.join('\n')) };
}

function readCompany(file: string): Receipt[] {
  const gold = JSON.parse(readFileSync(file.replace('.boxes.csv', '.gold.json'), 'utf8')) as { company?: string };
  const printed = readReceipt(file).text;
  return gold.company !== undefined && printed.includes(gold.company)
    ? [{ document: receiptName(file), company: gold.company }]
    : [];
}
