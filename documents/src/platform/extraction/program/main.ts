import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '../../../../../src/domain/json.js';
import { extractDocument } from '../../../domain/extraction/extract-document.js';
import { Reading } from '../../../domain/extraction/reading.js';
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
import type { PackedPage, ThreadMessage, ThreadResult } from '../thread-messages.js';

/** As much as a parser may print of one page, twice: what is left out of an item may come back as `null`. */
const MAX_DETAILS_BYTES = 256 * 1024 * 1024;
/** Of the warnings that are kept with the run; the result has all. */
const TOLD_WARNINGS = 20;

const port = parentPort;
if (port === null) throw new Error('this is the program of a thread');

const documents: ReadDocument[] = [];
let work: Promise<void> = Promise.resolve();
// One after the other, although packing and unpacking wait for other threads.
port.on('message', (message: ThreadMessage) => {
  work = work.then(() => take(message));
});

async function take(message: ThreadMessage): Promise<void> {
  switch (message.kind) {
    case 'document':
      documents.push({ document: message.document, pageCount: message.pageCount, pages: [], tables: [] });
      return;
    case 'pages':
      for (const page of message.pages) documents.at(-1)?.pages.push(await unpackPage(page));
      return;
    case 'tables':
      documents.at(-1)?.tables.push(...message.tables);
      return;
    case 'extract': {
      const result = await extract(message.schema, message.minConfidence);
      port?.postMessage(result, [result.blob.buffer as ArrayBuffer]);
    }
  }
}

async function unpackPage({ page, details }: PackedPage): Promise<Page> {
  const text = await unpackText(details, MAX_DETAILS_BYTES);
  if (text === null) throw new Error(`page ${page.pageNumber} is larger than any page that a parser may print`);
  return { ...page, ...(JSON.parse(text) as Omit<Page, keyof PackedPage['page']>), warnings: [] };
}

async function extract(schema: JsonObject, minConfidence: number | null): Promise<ThreadResult> {
  const joined = joinDocuments(documents);
  const found = extractDocument(compileSchema(schema), new Reading(joined.pages, joined.tables));
  return {
    ...(await pack(writeResult(found, joined, minConfidence))),
    isComplete: found.completeness.every(({ complete }) => complete),
    warnings: found.warnings.slice(0, TOLD_WARNINGS),
  };
}

async function pack(written: WrittenResult): Promise<Pick<ThreadResult, 'blob' | 'parts'>> {
  const frames: Buffer[] = [];
  const parts: Partial<Record<ResultPartName, ResultPart>> = {};
  let offset = 0;
  for (const name of RESULT_PARTS) {
    const frame = await packText(written[name]);
    parts[name] = { offset, length: frame.length, bytes: Buffer.byteLength(written[name]) };
    frames.push(frame);
    offset += frame.length;
  }
  // Of its own, so that it can be handed over.
  const blob = new Uint8Array(offset);
  for (let at = 0, next = frames.shift(); next !== undefined; at += next.length, next = frames.shift()) blob.set(next, at);
  return { blob, parts: parts as ThreadResult['parts'] };
}
