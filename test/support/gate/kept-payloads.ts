import { callKey, type PayloadKey, type ToolCallPayloads } from '../../../src/core/gate/tool-call-payloads.js';
import type { RestingValue } from '../../../src/platform/seal/sealer.js';
import type { TestDatabase } from '../database/database.js';

/** Stores a payload as the functions of the gate do. */
export async function keepPayload(
  { owner }: Pick<TestDatabase, 'owner'>,
  key: PayloadKey,
  payload: RestingValue,
): Promise<void> {
  await owner.query(
    `insert into tool_call_payloads (tenant_id, session_id, tool_call_id, kind, sealed, key_version)
     values ($1, $2, $3, $4, $5, $6)`,
    [key.organizationId, key.runId, key.toolCallId, key.kind, payload.sealed, payload.keyVersion],
  );
}

/** The text of one payload; null when nothing is stored there. */
export async function openPayload(payloads: ToolCallPayloads, key: PayloadKey): Promise<string | null> {
  const texts = await payloads.openMany(key.organizationId, key.kind, [key]);
  return texts.get(callKey(key)) ?? null;
}
