import type { ApprovalRow } from './approvals.js';
import type { TenantTransaction } from '../record/database.js';
import { notFound } from '../../domain/resource-id.js';

/** The table is also the registry of every gated call; calls that never asked a human are not listed (docs/design/gate.md). */
const LISTED = `status in ('pending', 'approved_once', 'approved_session', 'denied', 'expired') and expires_at is not null`;

/** Approvals of runs that the user of this parameter started; of all runs when it is null. */
function invokedByParameter(position: number): string {
  const user = `$${position}::uuid`;
  return `(${user} is null or exists (
    select from sessions s where s.id = approvals.session_id and s.invoked_by_user_id = ${user}))`;
}

/** The pending approvals of an organization; given a run, all approvals that it asked for. */
export interface ApprovalScope {
  organizationId: string;
  sessionId: string | null;
  /** Limits the list to the runs of this user; null for a caller who sees every run. */
  invokedBy: string | null;
}

/** What distinguishes one state of a list from another. */
export type ApprovalState = Pick<ApprovalRow, 'id' | 'status' | 'withheld_reason'>;

/** Pending approvals of the organization, oldest first; those of a run newest first. */
export function listApprovals(tx: TenantTransaction, scope: ApprovalScope, limit: number): Promise<ApprovalRow[]> {
  return select(tx, '*', scope, limit);
}

/** The same rows as {@link listApprovals} returns, without their contents. */
export function listStates(tx: TenantTransaction, scope: ApprovalScope, limit: number): Promise<ApprovalState[]> {
  return select(tx, 'id, status, withheld_reason', scope, limit);
}

/** Throws `not_found`, also for a call that never was a question. */
export async function readListed(
  tx: TenantTransaction,
  approvalId: string,
  invokedBy: string | null = null,
): Promise<ApprovalRow> {
  const [row] = await tx.query<ApprovalRow>(
    `select * from approvals where id = $1 and ${LISTED} and ${invokedByParameter(2)}`,
    [approvalId, invokedBy],
  );
  if (row === undefined) throw notFound('approval');
  return row;
}

/**
 * Of each approval, other calls of its run that were asked about and that a grant for it would cover: the last ones first, each text
 * once. Their texts have been redacted when they were stored. By approval id.
 */
export async function coveredCalls(
  tx: TenantTransaction,
  approvalIds: readonly string[],
  count: number,
): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ id: string; summaries: string[] }>(
    `select a.id, array_agg(other.summary order by other.last desc) as summaries
       from approvals a cross join lateral (
         select o.summary, max(o.requested_at) as last from approvals o
          where o.session_id = a.session_id and o.tool = a.tool and o.id <> a.id and o.summary <> a.summary
            and o.scope_keys is not null and cardinality(o.scope_keys) > 0 and o.scope_keys <@ a.scope_keys
          group by o.summary order by last desc limit $2) as other
      where a.id = any ($1::uuid[]) group by a.id`,
    [approvalIds, count],
  );
  return new Map(rows.map(({ id, summaries }) => [id, summaries]));
}

function select<R extends object>(
  tx: TenantTransaction,
  columns: string,
  { sessionId, invokedBy }: ApprovalScope,
  limit: number,
): Promise<R[]> {
  if (sessionId === null) {
    return tx.query<R>(
      `select ${columns} from approvals where status = 'pending' and ${invokedByParameter(2)}
        order by requested_at, id limit $1`,
      [limit, invokedBy],
    );
  }
  return tx.query<R>(
    `select ${columns} from approvals where session_id = $1 and ${LISTED} and ${invokedByParameter(3)}
      order by requested_at desc, id desc limit $2`,
    [sessionId, limit, invokedBy],
  );
}
