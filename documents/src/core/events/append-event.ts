import { v7 as uuidv7 } from 'uuid';
import type { JsonObject } from '../../../../src/domain/json.js';
import { insertRows } from '../../../../src/platform/postgres/write-rows.js';
import type { RecordTransaction } from '../record/record.js';
import { EventEntity } from './event.entity.js';

/** Something that happened in a project, for those who listen. */
export interface NewEvent {
  type: string;
  projectId: string;
  data: JsonObject;
}

/** Leaves an event in the transaction that changes the state of which it tells. @returns its id */
export async function appendEvent(tx: RecordTransaction, { type, projectId, data }: NewEvent): Promise<string> {
  const id = uuidv7();
  await insertRows(tx, EventEntity, [{ id, org_id: tx.organizationId, project_id: projectId, type, data }]);
  return id;
}
