import { executeChild, ParentClosePolicy, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { ParseRef } from '../activities/ingest-steps.js';
import type { IngestEnding } from '../domain/ingest/ingest-errors.js';
import { BATCH_PAGES, planBatches, type PageSpan } from '../domain/ingest/page-spans.js';
import { show } from './ingest-visibility.js';
import { batchWorkflowId } from './messages.js';
import type { BatchResult, pageBatch } from './page-batch.workflow.js';

/** Batches of one document that are read at once; how many programs run is for the queue of the parsers to say. */
const AT_ONCE = 8;
/** Then the history is continued in a new execution. */
const BATCHES_PER_EXECUTION = 200;

/** How far an execution got. */
export interface BatchesRead {
  /** The whole version is given up. */
  ending: IngestEnding | null;
  /** Where the next execution goes on; null when there is nothing left. */
  nextPage: number | null;
}

/** Reads the pages from `from` on, up to what one execution may hold. */
export function readBatches(parse: ParseRef, from: number): Promise<BatchesRead> {
  return parse.pageCount === null ? readUntilOver(parse, from) : readCounted(parse, from, parse.pageCount);
}

async function readCounted(parse: ParseRef, from: number, pageCount: number): Promise<BatchesRead> {
  const batches = planBatches(from, pageCount);
  const state = { started: 0, done: 0, nextPage: from, ending: null as IngestEnding | null };
  const tell = (): void =>
    show(
      'parse',
      `${state.started} batches begun and ${state.done} done of ${Math.ceil((pageCount - from + 1) / BATCH_PAGES)}.`,
    );
  const readSome = async (): Promise<void> => {
    while (state.ending === null && state.started < BATCHES_PER_EXECUTION) {
      const { value: batch, done } = batches.next();
      if (done === true) return;
      state.started += 1;
      state.nextPage = batch.to + 1;
      tell();
      const { ending } = await readBatch(parse, batch);
      state.ending ??= ending;
      state.done += 1;
      tell();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readSome));
  return { ending: state.ending, nextPage: state.nextPage > pageCount ? null : state.nextPage };
}

/** One batch after the other, because only the last one says that there is no more. */
async function readUntilOver(parse: ParseRef, from: number): Promise<BatchesRead> {
  let first = from;
  for (let batches = 0; batches < BATCHES_PER_EXECUTION; batches += 1) {
    show('parse', `Reads the pages from ${first} on.`);
    const { ending, isOver } = await readBatch(parse, { from: first, to: first + BATCH_PAGES - 1 });
    if (ending !== null || isOver) return { ending, nextPage: null };
    first += BATCH_PAGES;
  }
  return { ending: null, nextPage: first };
}

function readBatch(parse: ParseRef, batch: PageSpan): Promise<BatchResult> {
  return executeChild<typeof pageBatch>('pageBatch', {
    workflowId: batchWorkflowId(parse.versionId, parse.attempt, batch.from),
    args: [parse, batch],
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: `Pages ${batch.from} to ${batch.to} of version ${parse.versionId}`,
  });
}
