import type { JsonObject } from '../../domain/json.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { insertRows } from '../../platform/postgres/write-rows.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { queryRows } from '../record/query-row.js';
import { AuditEntryEntity } from './audit-entry.entity.js';

/** Who acted, as the verified credential says, and from where. */
export interface AuditActor {
  kind: 'operator' | 'user' | 'system';
  /** `operator`, `system` or the user's id. */
  id: string;
  sourceIp: string | null;
  requestId: string | null;
}

/** One privileged step. Details hold counts, ids and digests, never a secret or an address in clear. */
export interface AuditEntry {
  /** Given where other rows refer to the entry. */
  id?: string;
  actor: AuditActor;
  action: AuditAction;
  target: string | null;
  detail?: JsonObject;
}

/** Every action that the log knows (docs/design/identity.md). */
export const AUDIT_ACTIONS = [
  'org.create',
  'org.update',
  'org.suspend',
  'org.resume',
  'idp.create',
  'idp.patch',
  'idp.activate',
  'idp.disable',
  'idp.reactivate',
  'idp.migrate',
  'break_glass.arm',
  'bootstrap_owner.promote',
  'bootstrap_owner.reject_and_consume',
  'member.roles',
  'member.deactivate',
  'member.reactivate',
  'session.login',
  'session.switch',
  'session.logout',
  'session.revoke',
  'login.refused_deactivated',
  'token.mint',
  'token.revoke',
  'device.approve',
  'device.deny',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Writes the entry of a step in the transaction of that step: both are on record, or neither. */
export async function auditStep(tx: TenantTransaction, entry: AuditEntry): Promise<void> {
  await insertRows(tx, AuditEntryEntity, [rowOf(entry, tx.organizationId, true)]);
}

/** Writes the entry of a refusal, after the transaction that was refused; without an organization, it is the deployment's. */
export async function auditRefusal(db: Database, organizationId: string | null, entry: AuditEntry): Promise<void> {
  const row = rowOf(entry, organizationId, false);
  if (organizationId !== null) return db.withTenant(organizationId, (tx) => insertRows(tx, AuditEntryEntity, [row]));
  await db.pool.query({
    text: 'select svc_append_deployment_audit($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      row.id,
      row.actor_kind,
      row.actor_id,
      row.source_ip,
      row.request_id,
      row.action,
      row.target,
      row.success,
      row.detail,
    ],
  });
}

export interface AuditFilter {
  /** Of the whole deployment when null. */
  organizationId: string | null;
  action: AuditAction | null;
  success: boolean | null;
  /** Only entries older than that one. */
  before: string | null;
  limit: number;
}

/** Newest first. */
export function listAudit(
  { pool }: Pick<Database, 'pool'>,
  { organizationId, before, action, success, limit }: AuditFilter,
): Promise<AuditEntryEntity[]> {
  const values = [organizationId, before, action, success, limit];
  return queryRows<AuditEntryEntity>(pool, { text: 'select * from svc_list_auth_audit($1, $2, $3, $4, $5)', values });
}

function rowOf(
  { id, actor, action, target, detail }: AuditEntry,
  organizationId: string | null,
  success: boolean,
): Omit<AuditEntryEntity, 'created_at'> {
  return {
    id: id ?? newRowId(),
    tenant_id: organizationId,
    actor_kind: actor.kind,
    actor_id: actor.id,
    source_ip: actor.sourceIp,
    request_id: actor.requestId,
    action,
    target,
    success,
    detail: detail ?? {},
  };
}
