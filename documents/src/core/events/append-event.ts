import type { JsonObject } from '../../../../src/domain/json.js';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { wake } from '../driver/wake.js';
import type { RecordTransaction } from '../record/record.js';

/** Something that happened in a project, for those who listen. */
export interface NewEvent {
  type: string;
  projectId: string;
  /** Ids, a status and `links`, addresses that begin at the root; never what a document says. */
  data: JsonObject;
  /** JSON of what a run came to, for webhooks that want it. */
  result?: string | null;
}

/**
 * Leaves an event in the transaction that changes the state of which it tells, with a delivery for each webhook that listens; they are
 * on their way once it is committed.
 *
 * @returns its id
 */
export async function appendEvent(
  tx: RecordTransaction,
  { type, projectId, data, result = null }: NewEvent,
): Promise<string> {
  const id = newRowId();
  const deliveries = await tx.query<{ id: string }>(
    'select id from docsvc_append_event($1, $2, $3, $4, $5, $6) as id',
    [id, tx.organizationId, projectId, type, data, result],
  );
  for (const delivery of deliveries) await wake(tx, 'deliver', delivery.id);
  return id;
}
