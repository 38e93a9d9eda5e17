import { existsSync, symlinkSync } from 'node:fs';
import { LiteParse, type LiteParseConfig, type ParseResult } from '@llamaindex/liteparse';
import { INSIDE } from '../../parser-protocol.js';
import { refusal } from '../serve.js';

/** The reader goes by the ending of a name, which the document does not have inside. */
const NAMED = `${INSIDE.scratch}/document.pdf`;
/** More pages are refused by the inspection; the reader's own default is lower. */
const MAX_PAGES = 20_000;

/** A PDF to be read from, and the password that opens it if it has one. */
export interface PdfSource {
  path: string;
  password?: string | undefined;
}

export function documentInside(password: string | undefined): PdfSource {
  if (!existsSync(NAMED)) symlinkSync(INSIDE.document, NAMED);
  return { path: NAMED, password };
}

/** Reads some pages (`3-7`, `1,4,9`) with what is asked for. Its own recognition stays off: pictures are read by Tesseract. */
export async function parsePdf(
  { path, password }: PdfSource,
  targetPages: string,
  options: Partial<LiteParseConfig>,
): Promise<ParseResult> {
  return speaking(() =>
    reader({ ...options, targetPages, ...(password === undefined ? {} : { password }) }).parse(path),
  );
}

/** One page as a PNG of so many dots per inch. Fields of forms are not drawn: that would run the document's scripts. */
export async function renderPdf({ path, password }: PdfSource, pageNumber: number, dpi: number) {
  const options = { dpi, ...(password === undefined ? {} : { password }) };
  const [shot] = await speaking(() => reader(options).screenshot(path, [pageNumber]));
  if (shot === undefined) throw refusal('broken', `page ${String(pageNumber)} could not be drawn`);
  return shot;
}

function reader(options: Partial<LiteParseConfig>): LiteParse {
  return new LiteParse({
    ocrEnabled: false,
    quiet: true,
    continueOnPageError: true,
    maxPages: MAX_PAGES,
    outputFormat: 'text',
    imageMode: 'off',
    ...options,
  });
}

/** What the reader says when it cannot open a document, as a refusal. */
async function speaking<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/password/i.test(message))
      throw refusal('password_required', 'the PDF is encrypted; process it again with its password');
    if (/PDF error|invalid|page/i.test(message)) throw refusal('broken', `the PDF could not be opened: ${message}`);
    throw error;
  }
}
