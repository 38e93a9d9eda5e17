import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { IngestSteps, ParseRef, ParseSteps, RecognitionSteps } from '../activities/ingest-steps.js';
import type { IngestEnding } from '../domain/ingest/ingest-errors.js';
import { remainderOf, type PageSpan } from '../domain/ingest/page-spans.js';
import { OCR_QUEUE, PARSE_QUEUE } from './messages.js';

/** How a batch went. */
export interface BatchResult {
  /** The whole version is given up. */
  ending: IngestEnding | null;
  /** The document has no page behind this batch. */
  isOver: boolean;
}

/** A worker that dies is what is tried again here; what a document does to a parser is a result. */
const LOST_STEP = { initialInterval: '1s', maximumInterval: '30s' } as const;

/** Reads one batch of pages: the text of all, then what has to be recognized. A page that cannot be read fails alone. */
export async function pageBatch(parse: ParseRef, batch: PageSpan): Promise<BatchResult> {
  const recognize: number[] = [];
  let isOver = false;
  for (const spans = [batch]; spans.length > 0;) {
    const span = spans.shift() as PageSpan;
    setCurrentDetails(`Reads pages ${span.from} to ${span.to}; ${spans.length} more parts of the batch wait.`);
    const went = await parseSteps(parse.orgId, `Read pages ${span.from} to ${span.to}`).readSpan(parse, span);
    if (went.ending !== null) return { ending: went.ending, isOver: true };
    recognize.push(...went.recognize);
    isOver ||= went.isOver;
    if (went.failure === null) continue;
    const { failed, spans: rest } = remainderOf(span, went.read, went.failure.inParts);
    if (failed !== null) await record().failPage(parse, failed, went.failure.code);
    spans.unshift(...rest);
  }
  await recognizePages(parse, recognize);
  return { ending: null, isOver };
}

async function recognizePages(parse: ParseRef, pages: readonly number[]): Promise<void> {
  if (pages.length === 0) return;
  setCurrentDetails(`Waits for the recognition of ${pages.length} pages.`);
  await Promise.all(
    pages.map(async (pageNumber) => {
      const steps = recognitionSteps(parse.orgId, `Recognize page ${pageNumber}`);
      const failure = await steps.recognizePage(parse, pageNumber);
      if (failure !== null) await record().failPage(parse, pageNumber, failure.code);
    }),
  );
}

/** No organization waits behind all the pages of another one. */
function parseSteps(orgId: string, summary: string): ParseSteps {
  return proxyActivities<ParseSteps>({
    taskQueue: PARSE_QUEUE,
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: '10s',
    retry: { ...LOST_STEP, maximumAttempts: 20 },
    priority: { fairnessKey: orgId },
    summary,
  });
}

function recognitionSteps(orgId: string, summary: string): RecognitionSteps {
  return proxyActivities<RecognitionSteps>({
    taskQueue: OCR_QUEUE,
    startToCloseTimeout: '120s',
    heartbeatTimeout: '10s',
    retry: { ...LOST_STEP, maximumAttempts: 20 },
    priority: { fairnessKey: orgId },
    summary,
  });
}

function record(): Pick<IngestSteps, 'failPage'> {
  return proxyActivities<IngestSteps>({
    startToCloseTimeout: '60s',
    retry: LOST_STEP,
    summary: 'Note a page that cannot be read',
  });
}
