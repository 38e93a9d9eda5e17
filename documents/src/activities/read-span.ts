import { failPage, moveIngest, noteLostTime } from '../core/ingest/ingest-moves.js';
import { writePageDetails } from '../core/pages/page-details.js';
import { writePages } from '../core/pages/write-pages.js';
import type { RecordTransaction } from '../core/record/record.js';
import { endingOf, type IngestEnding } from '../domain/ingest/ingest-errors.js';
import type { PageSpan } from '../domain/ingest/page-spans.js';
import type { JailLimit, ParseFailure } from '../domain/page-model.js';
import type { LostPage, ReadPage } from '../platform/parsing/page-requests.js';
import { mayPassInParts } from '../platform/parsing/parser-protocol.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import type { PageRecognized, ParseRef, SpanRead } from './ingest-steps.js';

/** What one page may take at most; a program that read others before lost no more than that. */
const PAGE_MS = 10_000;
/** A version that lost so much is not opened again. */
const MAX_LOST_MS = 30_000;

/** Reads pages with one program, and keeps all that came before it failed. */
export async function readSpan(
  on: IngestDependencies,
  parse: ParseRef,
  span: PageSpan,
  signal: AbortSignal,
): Promise<SpanRead> {
  const document = await on.store.localFile(parse.blobKey);
  const began = performance.now();
  const request = { ...span, isMoreToCome: span.to < parse.pageCount, ...(await passwordOf(on, parse)) };
  const outcome = await on.reader.read(document, parse.format, request, signal);
  const tookMs = performance.now() - began;
  const answered = inOrder(outcome.items, span);
  const pages = answered.filter((item) => 'page' in item);
  const lost = answered.filter((item) => 'failure' in item);
  const failure = outcome.failure ?? missingPage(answered.length, span);
  const details = pages.map(({ page }) => page);
  const places = await writePageDetails(on.store, parse.parseId, `pages-${span.from}`, details);
  const ending = await on.record.inOrganization(parse.orgId, async (tx) => {
    await writePages(tx, parse, parse.parseId, details, places);
    for (const page of lost) await failLostPage(tx, parse, page);
    return failure === null
      ? null
      : judge(tx, parse, failure, answered.length > 0 ? Math.min(tookMs, PAGE_MS) : tookMs);
  });
  const recognize = parse.options.ocr
    ? pages.filter(({ needsOcr }) => needsOcr).map(({ page }) => page.pageNumber)
    : [];
  return {
    read: answered.length,
    failure: failure === null ? null : { code: codeOf(failure), inParts: mayPassInParts(failure) },
    recognize,
    ending,
  };
}

/** Has the pictures of a page read, which then is written anew. */
export async function recognizePage(
  on: IngestDependencies,
  parse: ParseRef,
  pageNumber: number,
  signal: AbortSignal,
): Promise<PageRecognized> {
  const document = await on.store.localFile(parse.blobKey);
  const began = performance.now();
  const request = { pageNumber, languages: parse.options.ocrLanguages, ...(await passwordOf(on, parse)) };
  const outcome = await on.reader.recognize(document, parse.format, request, signal);
  const lostMs = Math.min(performance.now() - began, PAGE_MS);
  const page = outcome.items.find((item) => item.page.pageNumber === pageNumber)?.page;
  const failure: ParseFailure | null = outcome.failure ?? (page === undefined ? MISSING : null);
  const places =
    page === undefined ? [] : await writePageDetails(on.store, parse.parseId, `recognized-${pageNumber}`, [page]);
  const ending = await on.record.inOrganization(parse.orgId, async (tx) => {
    await moveIngest(tx, parse, { status: 'processing', stage: 'ocr' });
    if (page !== undefined) await writePages(tx, parse, parse.parseId, [page], places);
    return failure === null ? null : judge(tx, parse, failure, lostMs);
  });
  return { failure: failure === null ? null : codeOf(failure), ending };
}

async function passwordOf({ passwords }: IngestDependencies, parse: ParseRef): Promise<{ password?: string }> {
  const password = parse.options.withPassword ? await passwords.find(parse) : null;
  return password === null ? {} : { password };
}

/** Whoever takes a parser over can answer pages that nobody asked for: only those count that follow each other from the first one on. */
function inOrder(items: readonly (ReadPage | LostPage)[], { from, to }: PageSpan): (ReadPage | LostPage)[] {
  const numberOf = (item: ReadPage | LostPage): number => ('page' in item ? item.page.pageNumber : item.pageNumber);
  const wrong = items.findIndex((item, at) => numberOf(item) !== from + at || from + at > to);
  return wrong < 0 ? [...items] : items.slice(0, wrong);
}

const MISSING: ParseFailure = { kind: 'crashed', message: 'the parser ended without its pages' };

function missingPage(answered: number, { from, to }: PageSpan): ParseFailure | null {
  return answered < to - from + 1 ? MISSING : null;
}

/** What ends a parser by how long it took; what ends it otherwise says nothing of the pages beside. */
const TIME_LIMITS: ReadonlySet<JailLimit> = new Set(['wall_time', 'cpu_time']);

/** Whether a failure, or all that ran out of time together, ends the version. */
async function judge(
  tx: RecordTransaction,
  parse: ParseRef,
  failure: ParseFailure,
  lostMs: number,
): Promise<IngestEnding | null> {
  if (failure.kind === 'password_required' || (failure.kind === 'limit' && !mayPassInParts(failure)))
    return endingOf(failure);
  if (failure.kind !== 'limit' || !TIME_LIMITS.has(failure.limit)) return null;
  const total = await noteLostTime(tx, parse, Math.round(lostMs));
  return total >= MAX_LOST_MS ? { status: 'quarantined', code: 'time_limit' } : null;
}

async function failLostPage(tx: RecordTransaction, parse: ParseRef, { pageNumber, failure }: LostPage): Promise<void> {
  await failPage(tx, parse, parse.parseId, {
    pageNumber,
    code: codeOf(failure),
    message: failureSentence(codeOf(failure)),
  });
}

const codeOf = (failure: ParseFailure): string => (failure.kind === 'limit' ? failure.limit : failure.kind);

/** What is told of a page that could not be read. */
export function failureSentence(code: string): string {
  return `The page could not be read (${code}).`;
}
