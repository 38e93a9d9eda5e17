import type { KeptOwner } from '../../platform/blobs/blob-store.js';
import { recordSystemAudit } from '../audit/record-audit.js';
import { changedNothing } from '../record/changed-nothing.js';
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
 * no row belongs, once they are a day old. Safe beside everything else and beside itself. What fails keeps nothing else back.
 *
 * @throws AggregateError at the end of the round, of what failed; the next round tries it again
 */
export async function reapUploads(place: DocumentPlace): Promise<Reaped> {
  const round = new Round();
  const expired = await expireUploads(place, round);
  const finished = await finishStuck(place, round);
  const before = new Date(Date.now() - ORPHAN_AGE_MS);
  const { record, store } = place;
  const sweep = new Sweep(record, before, round);
  const orphans =
    (await sweep.of(store.uploads(), WANTED_UPLOADS, (id) => store.abortUpload(id))) +
    (await sweep.of(store.owners(), WANTED_OWNERS, (id) => store.deleteOwner(id)));
  await store.sweepIncoming(before);
  round.assertWhole();
  return { expired, finished, orphans };
}

/** Goes through rows of which one may fail. */
class Round {
  private readonly failures: unknown[] = [];

  /** @returns whether it was done */
  async attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.failures.push(error);
      return false;
    }
  }

  assertWhole(): void {
    const [first] = this.failures;
    if (this.failures.length === 0) return;
    const message = `${this.failures.length} uploads or blobs were left as they are, the first because: ${String(first)}`;
    throw new AggregateError(this.failures, message, { cause: first });
  }
}

async function expireUploads({ record, store }: DocumentPlace, round: Round): Promise<number> {
  let expired = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const rows = await record.query<{ id: string; version_id: string | null }>(
      'select id, version_id from docsvc_expire_uploads($1)',
      [BATCH],
    );
    for (const { id, version_id } of rows) await round.attempt(() => freeUpload(store, id, version_id));
    expired += rows.length;
    if (rows.length < BATCH) break;
  }
  return expired;
}

async function finishStuck(place: DocumentPlace, round: Round): Promise<number> {
  let finished = 0;
  let after: string | null = null;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const rows: StuckSql[] = await place.record.query<StuckSql>(
      'select org_id, id, version_id from docsvc_list_stuck_completions($1, $2)',
      [after, BATCH],
    );
    for (const row of rows)
      await round.attempt(async () => {
        if (await finishOne(place, row)) finished += 1;
      });
    after = rows.at(-1)?.id ?? null;
    if (rows.length < BATCH) break;
  }
  return finished;
}

interface StuckSql {
  org_id: string;
  id: string;
  version_id: string;
}

/** @returns false for one that was refused, which is an end as well: the upload says why */
async function finishOne(place: DocumentPlace, { org_id, id, version_id }: StuckSql): Promise<boolean> {
  const begun = { orgId: org_id, uploadId: id, versionId: version_id };
  try {
    await finishCompletion(place, begun, (tx, { documentId, versionId, version, projectId }, done) =>
      recordSystemAudit(tx, 'uploads', {
        action: done === 'made' ? 'version.created' : 'version.resubmitted',
        subjectKind: 'document',
        subjectId: documentId,
        projectId,
        detail: { uploadId: id, versionId, version },
      }),
    );
    return true;
  } catch (error) {
    if (!changedNothing(error)) throw error;
    return false;
  }
}

/** Deletes what nobody needs. */
class Sweep {
  constructor(
    private readonly record: Record,
    private readonly before: Date,
    private readonly round: Round,
  ) {}

  /** @param wanted statement that says which of some ids still need their bytes */
  async of(kept: AsyncIterable<KeptOwner>, wanted: string, remove: (id: string) => Promise<void>): Promise<number> {
    let removed = 0;
    let ids: string[] = [];
    for await (const { ownerId, changedAt } of kept) {
      if (changedAt >= this.before) continue;
      ids.push(ownerId);
      if (ids.length < BATCH) continue;
      removed += await this.judge(ids, wanted, remove);
      ids = [];
    }
    return removed + (await this.judge(ids, wanted, remove));
  }

  private async judge(ids: string[], wanted: string, remove: (id: string) => Promise<void>): Promise<number> {
    if (ids.length === 0) return 0;
    const rows = await this.record.query<{ id: string }>(wanted, [ids]);
    const needed = new Set(rows.map(({ id }) => id));
    let removed = 0;
    for (const id of ids.filter((one) => !needed.has(one)))
      if (await this.round.attempt(() => remove(id))) removed += 1;
    return removed;
  }
}
