import { IsNull, Not } from 'typeorm';
import { aheadOfClock, changeRow, CLOCK } from '../../platform/postgres/write-rows.js';
import type { TenantTransaction } from '../record/database.js';
import { AppFlowEntity, type FlowPurpose } from './app-flow.entity.js';

/** How long a person has from start to end. */
export const APP_FLOW_TTL_SECS = 3600;

/** One flow as both of its legs name it. */
export interface FlowKey {
  flowId: string;
  registrationId: string;
  purpose: FlowPurpose;
}

/** Inserts a flow, and removes what earlier flows of the organization left. */
export async function insertAppFlow(
  tx: TenantTransaction,
  { flowId, registrationId, purpose }: FlowKey,
): Promise<void> {
  await tx.query('select svc_forget_app_flows()');
  await tx.manager.insert(AppFlowEntity, {
    id: flowId,
    tenant_id: tx.organizationId,
    registration_id: registrationId,
    purpose,
    expires_at: () => `clock_timestamp() + make_interval(secs => ${APP_FLOW_TTL_SECS})`,
  });
}

/** The link was opened: the flow belongs to that browser. @returns false when it was opened before, or is over */
export function bindBrowser(tx: TenantTransaction, key: FlowKey, browserHash: string): Promise<boolean> {
  const unopened = { ...live(key), bootstrap_consumed_at: IsNull() };
  return changeRow(tx, AppFlowEntity, unopened, { bootstrap_consumed_at: CLOCK, browser_hash: browserHash });
}

/** The browser came back: one statement, so that of two returns one gets it. @returns false for any other browser or flow */
export function consumeAppFlow(tx: TenantTransaction, key: FlowKey, browserHash: string): Promise<boolean> {
  const returning = { ...live(key), bootstrap_consumed_at: Not(IsNull()), browser_hash: browserHash };
  return changeRow(tx, AppFlowEntity, returning, { consumed_at: CLOCK });
}

function live({ flowId, registrationId, purpose }: FlowKey) {
  return {
    id: flowId,
    registration_id: registrationId,
    purpose,
    consumed_at: IsNull(),
    expires_at: aheadOfClock(),
  };
}
