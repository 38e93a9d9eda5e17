import type { Client } from '@temporalio/client';
import { deleteDocument } from '../core/documents/change-document.js';
import type { Waker } from '../core/driver/outbox-dispatcher.js';
import {
  deleteEndedUploads,
  deleteOldEvents,
  deleteSpentRequests,
  listOverdueDeliveries,
} from '../core/maintenance/expire-requests.js';
import { purgeDocument } from '../core/maintenance/purge-document.js';
import { purgeProject } from '../core/maintenance/purge-project.js';
import {
  listOutlivedDocuments,
  listPurgeableDocuments,
  listPurgeableProjects,
  listOpenExtractions,
  listUnreadVersions,
  listUnusedParses,
  reconcileUsage,
  retireParse,
  sweepParses,
  type OpenExtraction,
} from '../core/maintenance/sweeps.js';
import { reapUploads } from '../core/uploads/reap-uploads.js';
import type { DocumentPlace } from '../core/documents/document-place.js';
import { DocsvcError } from '../domain/errors.js';
import { whileHeartbeating } from '../../../src/platform/temporal/heartbeats.js';

/** What is done again and again; every step may run twice, or beside itself, without harm. */
export interface MaintenanceSteps {
  /** Wakes the workflows of versions, runs and deliveries that nobody works on, as after the loss of the driver's store. @returns how many */
  wakeMissing(): Promise<number>;
  reapUploads(): Promise<void>;
  /** @returns how many counters were wrong */
  reconcileQuotas(): Promise<number>;
  sweepRetention(): Promise<void>;
}

export interface MaintenanceDependencies {
  place: DocumentPlace;
  waker: Waker;
  deliveryWaker: Waker;
  extractionWaker: Waker;
  /** Ids of versions whose workflow is open, as far as the driver's visibility knows. */
  openIngests(): Promise<ReadonlySet<string>>;
  /** Names of runs of extraction whose workflow is open. */
  openExtractions(): Promise<ReadonlySet<string>>;
}

/** What is younger is still being started. */
const STARTED_WITHIN_MS = 60_000;
/** Between the deletion of a document, the archiving of a project or the end of an upload, and its purge. */
const KEPT_DAYS = 30;
const PAGE = 500;
/** Pages of one round, so that a round ends. */
const PAGES_PER_ROUND = 200;

export function createMaintenanceActivities(on: MaintenanceDependencies): MaintenanceSteps {
  return {
    wakeMissing: () =>
      whileHeartbeating(async () => (await wakeMissing(on)) + (await wakeMissingRuns(on)) + (await wakeOverdue(on))),
    reapUploads: () =>
      whileHeartbeating(async () => {
        await reapUploads(on.place);
      }),
    reconcileQuotas: () => whileHeartbeating(() => reconcileUsage(on.place.record)),
    sweepRetention: () =>
      whileHeartbeating(async (signal) => {
        await deleteOutlived(on.place, signal);
        await purgeDeleted(on.place, signal);
        await removeUnusedParses(on.place, signal);
        await purgeProjects(on.place, signal);
        await inPages(signal, () => deleteEndedUploads(on.place.record, KEPT_DAYS, PAGE));
        await inPages(signal, () => deleteOldEvents(on.place.record, PAGE));
        await deleteSpentRequests(on.place.record);
      }),
  };
}

/** Waking an open workflow again makes it look at its row once more, so a stale list only costs a call. */
async function wakeMissing(on: MaintenanceDependencies): Promise<number> {
  const { place, waker } = on;
  const open = await on.openIngests();
  let woken = 0;
  for (let after: string | null = null; ;) {
    const page: { orgId: string; versionId: string }[] = await listUnreadVersions(
      place.record,
      STARTED_WITHIN_MS,
      after,
      PAGE,
    );
    for (const { orgId, versionId } of page.filter((one) => !open.has(one.versionId))) {
      await waker.wake({ orgId, subjectId: versionId });
      woken += 1;
    }
    after = page.at(-1)?.versionId ?? null;
    if (page.length < PAGE) return woken;
  }
}

/** The same for runs of extraction. */
async function wakeMissingRuns(on: MaintenanceDependencies): Promise<number> {
  const { place, extractionWaker } = on;
  const open = await on.openExtractions();
  let woken = 0;
  for (let after: string | null = null; ;) {
    const page: OpenExtraction[] = await listOpenExtractions(place.record, STARTED_WITHIN_MS, after, PAGE);
    for (const { orgId, subjectId, workflowName } of page.filter((one) => !open.has(one.workflowName))) {
      await extractionWaker.wake({ orgId, subjectId, workflowName });
      woken += 1;
    }
    after = page.at(-1)?.subjectId ?? null;
    if (page.length < PAGE) return woken;
  }
}

/** A delivery that was woken once too often looks at its row, and waits on. */
async function wakeOverdue({ place, deliveryWaker }: MaintenanceDependencies): Promise<number> {
  const overdue = await listOverdueDeliveries(place.record, STARTED_WITHIN_MS, PAGE);
  for (const { orgId, deliveryId } of overdue) await deliveryWaker.wake({ orgId, subjectId: deliveryId });
  return overdue.length;
}

async function deleteOutlived({ record }: DocumentPlace, signal: AbortSignal): Promise<void> {
  await inPages(signal, async () => {
    const page = await listOutlivedDocuments(record, KEPT_DAYS, PAGE);
    for (const { orgId, documentId } of page) {
      await record.inOrganization(orgId, (tx) => deleteDocument(tx, documentId, null)).catch(unlessGone);
    }
    return page.length;
  });
}

/** Somebody else has deleted it in this moment. */
function unlessGone(error: unknown): void {
  if (!(error instanceof DocsvcError) || error.code !== 'not_found') throw error;
}

async function purgeDeleted({ record, store }: DocumentPlace, signal: AbortSignal): Promise<void> {
  await inPages(signal, async () => {
    const page = await listPurgeableDocuments(record, KEPT_DAYS, PAGE);
    for (const { orgId, documentId, projectId } of page) {
      const owners = await record.inOrganization(orgId, (tx) => purgeDocument(tx, documentId, projectId));
      for (const owner of owners) await store.deleteOwner(owner);
    }
    return page.length;
  });
}

async function removeUnusedParses({ record, store }: DocumentPlace, signal: AbortSignal): Promise<void> {
  await inPages(signal, async () => {
    const unused = await listUnusedParses(record, PAGE);
    for (const { orgId, parseId } of unused) await record.inOrganization(orgId, (tx) => retireParse(tx, parseId));
    return unused.length;
  });
  await inPages(signal, async () => {
    const parses = await sweepParses(record, PAGE);
    for (const parseId of parses) await store.deleteOwner(parseId);
    return parses.length;
  });
}

/** What a project held is gone by then: its documents, and an hour later what was read of them. */
async function purgeProjects({ record }: DocumentPlace, signal: AbortSignal): Promise<void> {
  await inPages(signal, async () => {
    const page = await listPurgeableProjects(record, KEPT_DAYS, PAGE);
    for (const { orgId, projectId } of page) await record.inOrganization(orgId, (tx) => purgeProject(tx, projectId));
    return page.length;
  });
}

/** @param sweep answers how many there were */
async function inPages(signal: AbortSignal, sweep: () => Promise<number>): Promise<void> {
  for (let page = 0; page < PAGES_PER_ROUND; page += 1) {
    signal.throwIfAborted();
    if ((await sweep()) < PAGE) return;
  }
}

/** What the open workflows of a type are called by. Visibility may lag by a moment. */
export async function openSubjects(
  client: Client,
  names: { workflowType: string; workflowId(subjectId: string): string },
): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  const prefix = names.workflowId('');
  const query = `WorkflowType = '${names.workflowType}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) open.add(workflowId.slice(prefix.length));
  return open;
}
