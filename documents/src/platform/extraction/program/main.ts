import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { JsonObject } from '../../../../../src/domain/json.js';
import { extractDocument } from '../../../domain/extraction/extract-document.js';
import { Reading } from '../../../domain/extraction/model/reading.js';
import {
  joinDocuments,
  writeResult,
  type ReadDocument,
  type WrittenResult,
} from '../../../domain/extraction/run/join-documents.js';
import { RESULT_PARTS, type ResultPart, type ResultPartName } from '../../../domain/extraction/run/result-parts.js';
import type { Page } from '../../../domain/page-model.js';
import { compileSchema } from '../../../domain/schemas/compile-schema.js';
import { packText, unpackText } from '../../blobs/packed-text.js';
import type { EngineAnswer, EngineMessage, EngineResult, PackedPage } from '../engine-messages.js';

/** Twice as much as a parser may print of one page: what is left out of an item may come back as `null`. */
const MAX_DETAILS_BYTES = 256 * 1024 * 1024;
/** Of the warnings that are kept with the run; the result has all. */
const TOLD_WARNINGS = 20;
const BEHIND_OTHERS = 5;

// Whoever waits for an answer of the API on the same host goes first.
setPriority(BEHIND_OTHERS);

const documents: ReadDocument[] = [];
let work: Promise<void> = Promise.resolve();
// One after the other, although packing and unpacking wait for other threads.
process.on('message', (message: EngineMessage) => {
  work = work.then(() => take(message)).catch(tellFault);
});
process.once('disconnect', () => process.exit());
// Whoever computes hears of no disconnection: a thread looks whether the worker still lives.
new Worker(new URL('./watch-parent.js', import.meta.url), { workerData: process.ppid }).unref();

async function take(message: EngineMessage): Promise<void> {
  switch (message.kind) {
    case 'document': {
      const { document, pageCount, asked } = message;
      documents.push({ document, pageCount, asked, pages: [], tables: [] });
      return;
    }
    case 'pages':
      for (const page of message.pages) documents.at(-1)?.pages.push(await unpackPage(page));
      return;
    case 'tables':
      for (const table of message.tables) documents.at(-1)?.tables.push(table);
      return;
    case 'extract':
      tell({ kind: 'result', result: await extract(message.schema, message.minConfidence) });
  }
}

function tell(answer: EngineAnswer): void {
  process.send?.(answer);
}

function tellFault(fault: unknown): void {
  const { message = '', stack = '' } = fault instanceof Error ? fault : {};
  const isFull = /^Invalid (string|array) length/.test(message);
  tell({ kind: 'fault', isFull, at: stack.split('\n').filter((line) => /^ {4}at /.test(line)) });
}

async function unpackPage({ page, details }: PackedPage): Promise<Page> {
  const text = await unpackText(details, MAX_DETAILS_BYTES);
  if (text === null) throw new Error(`page ${page.pageNumber} is larger than any page that a parser may print`);
  return { ...page, ...(JSON.parse(text) as Omit<Page, keyof PackedPage['page']>), warnings: [] };
}

async function extract(schema: JsonObject, minConfidence: number | null): Promise<EngineResult> {
  const joined = joinDocuments(documents);
  const found = extractDocument(
    compileSchema(schema),
    new Reading(joined.pages, joined.tables, joined.pageCount, joined.unread),
  );
  return {
    ...(await pack(writeResult(found, joined, minConfidence))),
    isComplete: found.completeness.every(({ complete }) => complete),
    warnings: found.warnings.slice(0, TOLD_WARNINGS),
  };
}

async function pack(written: WrittenResult): Promise<Pick<EngineResult, 'blob' | 'parts'>> {
  const frames: Buffer[] = [];
  const parts: Partial<Record<ResultPartName, ResultPart>> = {};
  let offset = 0;
  for (const name of RESULT_PARTS) {
    const frame = await packText(written[name]);
    parts[name] = { offset, length: frame.length, bytes: Buffer.byteLength(written[name]) };
    frames.push(frame);
    offset += frame.length;
  }
  return { blob: Buffer.concat(frames), parts: parts as EngineResult['parts'] };
}
