import { text } from 'node:stream/consumers';
import { Context } from '@temporalio/activity';
import { beginExtraction, finishExtraction, wantsResults } from '../core/extractions/extraction-moves.js';
import { ExtractionEntity, type EndedStatus } from '../core/extractions/extraction.entity.js';
import { listOpenItems } from '../core/extractions/item-moves.js';
import { listItems, ResultText } from '../core/extractions/result-text.js';
import { runError, type RunErrorCode } from '../domain/extraction/run/run-errors.js';
import { extractItem, failItem, type ExtractionDependencies } from './extract-item.js';
import type { EngineSteps, ExtractionSteps, RunRef } from './extraction-steps.js';
import { whileHeartbeating } from '../../../src/platform/temporal/heartbeats.js';

/** That a run waits for versions which are still being read. */
const WAIT_SECONDS = 3600;
/** Numbers of items that travel in a history at once. */
const ITEMS_AT_ONCE = 200;
/** Of results that go with their event. */
const MAX_INLINED_BYTES = 64 * 1024;

/** The short steps of a run. Each may run twice, or beside itself, and comes to the same. */
export function createExtractionActivities(on: ExtractionDependencies): ExtractionSteps {
  return {
    takeExtraction: async ({ orgId, subjectId: extractionId }) => {
      const begin = () => on.record.inOrganization(orgId, (tx) => beginExtraction(tx, extractionId, WAIT_SECONDS));
      let begun = await begin();
      // A version that ended just before the run was seen waiting has not woken it: so it looks once more.
      if (begun?.status === 'waiting' && begun.entered) begun = await begin();
      if (begun === null) return null;
      const { projectId, attempt, status, waitMs } = begun;
      return { ref: { orgId, projectId, extractionId, attempt, timing: on.timing }, status, waitMs };
    },
    listOpenItems: (ref, after) =>
      on.record.inOrganization(ref.orgId, (tx) => listOpenItems(tx, ref, after, ITEMS_AT_ONCE)),
    failItem: (ref, item, code) => failItem(on, ref, item, code),
    finishExtraction: (ref, unfinished) => finish(on, ref, unfinished),
  };
}

/** Extraction itself. */
export function createEngineActivities(on: ExtractionDependencies): EngineSteps {
  return {
    extractItem: (ref, item) =>
      whileHeartbeating((signal) => {
        const { attempt: number } = Context.current().info;
        return extractItem(on, ref, item, { signal, number });
      }),
  };
}

async function finish(on: ExtractionDependencies, ref: RunRef, unfinished: RunErrorCode): Promise<void> {
  const wanted = await wantedResult(on, ref);
  const ended = await on.record.inOrganization(ref.orgId, (tx) =>
    finishExtraction(tx, ref, runError(unfinished), (status) => (wanted?.status === status ? wanted.json : null)),
  );
  if (ended !== null) on.metrics.countRun(ended);
}

/** The result that goes with the event: where a webhook wants it, and where it is small. Nothing of it changes any more. */
async function wantedResult(
  on: ExtractionDependencies,
  { orgId, projectId, extractionId, attempt }: RunRef,
): Promise<{ status: EndedStatus; json: string } | null> {
  const found = await on.record.inOrganization(orgId, async (tx) => {
    if (!(await wantsResults(tx, projectId))) return null;
    const items = await listItems(tx, extractionId, attempt);
    return { items, run: await tx.manager.findOneByOrFail(ExtractionEntity, { id: extractionId }) };
  });
  if (found === null || found.items.some(({ status }) => status === 'queued')) return null;
  const { run, items } = found;
  const status = items.every((item) => item.status === 'completed') ? 'completed' : 'partial';
  const result = new ResultText(on.store, { ...run, attempt, status }, items);
  if (items.every(({ parts }) => parts === null) || result.bytes > MAX_INLINED_BYTES) return null;
  const json = await text(result.json());
  return Buffer.byteLength(json) > MAX_INLINED_BYTES ? null : { status, json };
}
