import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { IngestSteps, ParseRef, ParseSteps, RecognitionSteps } from '../activities/ingest-steps.js';
import type { IngestEnding } from '../domain/ingest/ingest-errors.js';
import { remainderOf, type PageSpan } from '../domain/ingest/page-spans.js';
import { OCR_QUEUE, PARSE_QUEUE } from './messages.js';

/** A worker that dies is what is tried again here; what a document does to a parser is a result. */
const LOST_STEP = { initialInterval: '500ms', maximumInterval: '30s' } as const;
const LOST_PARSER = { ...LOST_STEP, maximumAttempts: 20 } as const;

const { failPage } = proxyActivities<IngestSteps>({
  startToCloseTimeout: '10s',
  retry: LOST_STEP,
  summary: 'Note a page that cannot be read',
});

/**
 * Reads one batch of pages: the text of all, then what has to be recognized. A page that cannot be read fails alone.
 *
 * @returns what ended the whole version, if something did
 */
export async function pageBatch(parse: ParseRef, batch: PageSpan): Promise<IngestEnding | null> {
  const recognize: number[] = [];
  for (const spans = [batch]; spans.length > 0;) {
    const span = spans.shift() as PageSpan;
    setCurrentDetails(`Reads pages ${span.from} to ${span.to}; ${spans.length} more parts of the batch wait.`);
    const went = await parser(parse, `Read pages ${span.from} to ${span.to}`).readSpan(parse, span);
    if (went.ending !== null) return went.ending;
    recognize.push(...went.recognize);
    if (went.failure === null) continue;
    const { failed, spans: rest } = remainderOf(span, went.read, went.failure.inParts);
    if (failed !== null) await failPage(parse, failed, went.failure.code);
    spans.unshift(...rest);
  }
  return recognizeAll(parse, recognize);
}

async function recognizeAll(parse: ParseRef, pages: readonly number[]): Promise<IngestEnding | null> {
  if (pages.length === 0) return null;
  setCurrentDetails(`Waits for the recognition of ${pages.length} pages.`);
  const went = await Promise.all(pages.map((pageNumber) => recognize(parse, pageNumber)));
  return went.find((ending) => ending !== null) ?? null;
}

async function recognize(parse: ParseRef, pageNumber: number): Promise<IngestEnding | null> {
  const { failure, ending } = await recognizer(parse, `Recognize page ${pageNumber}`).recognizePage(parse, pageNumber);
  if (failure !== null) await failPage(parse, pageNumber, failure);
  return ending;
}

/** No organization waits behind all the pages of another one. */
function parser({ orgId, timing }: ParseRef, summary: string): ParseSteps {
  return proxyActivities<ParseSteps>({
    taskQueue: PARSE_QUEUE,
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: timing.heartbeatMs,
    retry: LOST_PARSER,
    priority: { fairnessKey: orgId },
    summary,
  });
}

function recognizer({ orgId, timing }: ParseRef, summary: string): RecognitionSteps {
  return proxyActivities<RecognitionSteps>({
    taskQueue: OCR_QUEUE,
    startToCloseTimeout: '120s',
    heartbeatTimeout: timing.heartbeatMs,
    retry: LOST_PARSER,
    priority: { fairnessKey: orgId },
    summary,
  });
}
