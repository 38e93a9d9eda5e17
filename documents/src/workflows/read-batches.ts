import { executeChild, ParentClosePolicy, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { ParseRef } from '../activities/ingest-steps.js';
import type { IngestEnding } from '../domain/ingest/ingest-errors.js';
import { BATCH_PAGES, planBatches, type PageSpan } from '../domain/ingest/page-spans.js';
import { show } from './ingest-visibility.js';
import { batchWorkflowId } from './messages.js';
import type { pageBatch } from './page-batch.workflow.js';

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
export async function readBatches(parse: ParseRef, from: number): Promise<BatchesRead> {
  const { pageCount } = parse;
  const batches = planBatches(from, pageCount);
  const state = { begun: 0, done: 0, nextPage: from, ending: null as IngestEnding | null };
  const all = Math.ceil((pageCount - from + 1) / BATCH_PAGES);
  const tell = (): void => show('parse', `${state.begun} batches begun, ${state.done} done, of ${all}.`);
  const readSome = async (): Promise<void> => {
    while (state.ending === null && state.begun < BATCHES_PER_EXECUTION) {
      const next = batches.next();
      if (next.done === true) return;
      state.begun += 1;
      state.nextPage = next.value.to + 1;
      tell();
      const ending = await readBatch(parse, next.value);
      state.ending ??= ending;
      state.done += 1;
      tell();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readSome));
  return { ending: state.ending, nextPage: state.nextPage > pageCount ? null : state.nextPage };
}

function readBatch(parse: ParseRef, batch: PageSpan): Promise<IngestEnding | null> {
  return executeChild<typeof pageBatch>('pageBatch', {
    workflowId: batchWorkflowId(parse.versionId, parse.attempt, batch.from),
    args: [parse, batch],
    workflowTaskTimeout: parse.timing.workflowTaskMs,
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: `Pages ${batch.from} to ${batch.to} of version ${parse.versionId}`,
  });
}
