import { statSync } from 'node:fs';
import type { Inspection, Warning } from '../../../../domain/page-model.js';
import type { PageRequest } from '../../page-requests.js';
import { INSIDE } from '../../parser-protocol.js';
import { overLimit, refusal, serve } from '../serve.js';
import { readSample } from '../text/encoding.js';
import type { ArchiveFacts } from './archive-guard.js';
import { guardArchive } from './archive-guard.js';
import { readDelimited } from './read-delimited.js';
import { openWorkbook, sheetOf } from './read-workbook.js';
import type { Sheet } from './sheet.js';
import { sheetPage } from './sheet-page.js';
import { streamSheets } from './stream-workbook.js';

const MIB = 1024 * 1024;
/** Above it a workbook is read as it passes by. */
const HELD_BYTES = 64 * MIB;
const HELD_INFLATED_BYTES = 512 * MIB;
const MAX_SHEETS = 20_000;
const ODS = 'application/vnd.oasis.opendocument.spreadsheet';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

type Container = 'archive' | 'old' | 'text';

function containerOf(path: string): Container {
  const magic = readSample(path, 8).toString('hex');
  if (magic.startsWith('504b')) return 'archive';
  return magic === 'd0cf11e0a1b11ae1' ? 'old' : 'text';
}

async function inspect(password: string | undefined): Promise<Inspection> {
  const container = containerOf(INSIDE.document);
  if (container === 'text') return inspection('text/csv', 1, []);
  const facts = container === 'archive' ? await guardArchive(INSIDE.document) : null;
  const { SheetNames: names, bookType } = openWorkbook(INSIDE.document, { sheets: null, password, hasStyles: true });
  if (names.length > MAX_SHEETS) throw overLimit('pages', `the workbook has more than ${MAX_SHEETS} sheets`);
  const type = bookType === 'ods' ? ODS : container === 'old' ? 'application/vnd.ms-excel' : XLSX;
  return inspection(type, names.length, facts === null ? [] : warningsOf(facts));
}

function inspection(contentType: string, pageCount: number, warnings: Warning[]): Inspection {
  return { kind: 'spreadsheet', contentType, pageCount, warnings };
}

function warningsOf({ hasMacros, hasExternalLinks }: ArchiveFacts): Warning[] {
  return [
    ...(hasMacros ? [{ code: 'macros_ignored', message: 'the workbook has macros; they are never run' }] : []),
    ...(hasExternalLinks
      ? [{ code: 'external_links_ignored', message: 'the workbook refers to other files; they are never fetched' }]
      : []),
  ];
}

/** The sheets that are asked for, with their page numbers, in order. */
async function* sheets(from: number, to: number, password: string | undefined): AsyncGenerator<[page: number, Sheet]> {
  const container = containerOf(INSIDE.document);
  if (container === 'text') {
    if (from <= 1) yield [1, await readDelimited(INSIDE.document)];
    return;
  }
  const facts = container === 'archive' ? await guardArchive(INSIDE.document) : null;
  if (facts !== null && (statSync(INSIDE.document).size > HELD_BYTES || facts.inflatedBytes > HELD_INFLATED_BYTES)) {
    yield* inOrder(from, to);
    return;
  }
  const indexes = Array.from({ length: to - from + 1 }, (_, at) => from - 1 + at);
  const workbook = openWorkbook(INSIDE.document, { sheets: indexes, password, hasStyles: facts?.hasStyles ?? true });
  for (const index of indexes) if (index < workbook.SheetNames.length) yield [index + 1, sheetOf(workbook, index)];
}

async function* inOrder(from: number, to: number): AsyncGenerator<[page: number, Sheet]> {
  const waiting = new Map<number, Sheet>();
  let next = from;
  for await (const { index, sheet } of streamSheets(INSIDE.document, from, to)) {
    waiting.set(index + 1, sheet);
    for (let ready = waiting.get(next); ready !== undefined; ready = waiting.get(++next)) {
      waiting.delete(next);
      yield [next, ready];
    }
  }
  for (const [page, sheet] of [...waiting].sort(([a], [b]) => a - b)) yield [page, sheet];
}

await serve<PageRequest>(async (request, emit) => {
  if (request.do === 'inspect') emit(await inspect(request.password));
  else if (request.do === 'read') {
    for await (const [page, sheet] of sheets(request.from, request.to, request.password))
      emit({ page: sheetPage(sheet, page), needsOcr: false });
  } else throw refusal('unsupported', 'a sheet has no pictures');
});
