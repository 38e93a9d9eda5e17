import type { Inspection } from '../../../../domain/page-model.js';
import type { PageRequest } from '../../page-requests.js';
import { INSIDE } from '../../parser-protocol.js';
import { overLimit, refusal, serve } from '../serve.js';
import { decodeFile, encodingOf, readSample, settleEncoding } from './encoding.js';
import { LINES_PER_PAGE, textPage } from './text-page.js';
import { wrappedLines } from './wrapped-lines.js';

const MAX_PAGES = 20_000;

/** Lines as they are shown, of a whole text. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const beginning = encodingOf(readSample(path));
  if (beginning === null) throw refusal('broken', 'the file holds bytes that no text has');
  yield* wrappedLines(decodeFile(path, await settleEncoding(path, beginning)));
}

async function inspect(): Promise<Inspection> {
  let lines = 0;
  const text = linesOf(INSIDE.document);
  while ((await text.next()).done !== true) {
    if (++lines > MAX_PAGES * LINES_PER_PAGE) throw overLimit('pages', `the text has more than ${MAX_PAGES} pages`);
  }
  return {
    kind: 'text',
    contentType: 'text/plain',
    pageCount: Math.max(1, Math.ceil(lines / LINES_PER_PAGE)),
    warnings: [],
  };
}

async function read(from: number, to: number, emit: (item: unknown) => void): Promise<void> {
  let pageNumber = 1;
  let lines: string[] = [];
  const flush = (): void => {
    if (pageNumber >= from && pageNumber <= to) emit({ page: textPage(pageNumber, lines), needsOcr: false });
    pageNumber++;
    lines = [];
  };
  for await (const line of linesOf(INSIDE.document)) {
    lines.push(line);
    if (lines.length === LINES_PER_PAGE) flush();
    if (pageNumber > to) return;
  }
  if (lines.length > 0 || pageNumber === 1) flush();
}

await serve<PageRequest>(async (request, emit) => {
  if (request.do === 'inspect') emit(await inspect());
  else if (request.do === 'read') await read(request.from, request.to, emit);
  else throw refusal('unsupported', 'a text has no pictures');
});
