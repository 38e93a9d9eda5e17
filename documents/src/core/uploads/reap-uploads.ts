import { originalKey, type KeptOwner } from '../../platform/blobs/blob-store.js';
import type { Record } from '../record/record.js';
import { freeUpload } from './abort-upload.js';
import { finishCompletion } from './complete-upload.js';
import type { DocumentPlace } from '../documents/document-place.js';

const ORPHAN_AGE_MS = 24 * 3_600_000;
const BATCH = 500;
/** Batches of one round, so that a round ends. */
const MOST_BATCHES = 200;

const WANTED_UPLOADS = 'select docsvc_find_wanted_uploads($1::uuid[]) as id';
const WANTED_OWNERS = 'select docsvc_find_wanted_owners($1::uuid[]) as id';

/** What one round did. */
export interface Reaped {
  expired: number;
  finished: number;
  orphans: number;
}

/**
 * Ends uploads that got no part for seven days, finishes completions that a process did not live to finish, and deletes bytes to which
 * no row belongs, once they are a day old. Safe beside everything else and beside itself.
 */
export async function reapUploads(place: DocumentPlace): Promise<Reaped> {
  const expired = await expireUploads(place);
  const finished = await finishStuck(place);
  const before = new Date(Date.now() - ORPHAN_AGE_MS);
  const { record, store } = place;
  const orphans =
    (await sweep(record, store.uploads(), before, WANTED_UPLOADS, (id) => store.abortUpload(id))) +
    (await sweep(record, store.owners(), before, WANTED_OWNERS, (id) => store.deleteOwner(id)));
  await store.sweepIncoming(before);
  return { expired, finished, orphans };
}

async function expireUploads({ record, store }: DocumentPlace): Promise<number> {
  let expired = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const rows = await record.query<{ id: string; version_id: string | null }>(
      'select id, version_id from docsvc_expire_uploads($1)',
      [BATCH],
    );
    for (const { id, version_id } of rows) await freeUpload(store, id, version_id);
    expired += rows.length;
    if (rows.length < BATCH) break;
  }
  return expired;
}

async function finishStuck(place: DocumentPlace): Promise<number> {
  const rows = await place.record.query<{ org_id: string; id: string; version_id: string }>(
    'select org_id, id, version_id from docsvc_list_stuck_completions($1)',
    [BATCH],
  );
  for (const { org_id, id, version_id } of rows) {
    await place.store.completeUpload(id, originalKey(version_id));
    await finishCompletion(place, { orgId: org_id, uploadId: id, versionId: version_id }, () => Promise.resolve());
  }
  return rows.length;
}

/** @param wanted statement that says which of some ids still need their bytes */
async function sweep(
  record: Record,
  kept: AsyncIterable<KeptOwner>,
  before: Date,
  wanted: string,
  remove: (id: string) => Promise<void>,
): Promise<number> {
  let removed = 0;
  const judge = async (ids: string[]): Promise<void> => {
    if (ids.length === 0) return;
    const rows = await record.query<{ id: string }>(wanted, [ids]);
    const needed = new Set(rows.map(({ id }) => id));
    for (const id of ids.filter((one) => !needed.has(one))) {
      await remove(id);
      removed += 1;
    }
  };
  let ids: string[] = [];
  for await (const { ownerId, changedAt } of kept) {
    if (changedAt >= before) continue;
    ids.push(ownerId);
    if (ids.length < BATCH) continue;
    await judge(ids);
    ids = [];
  }
  await judge(ids);
  return removed;
}
