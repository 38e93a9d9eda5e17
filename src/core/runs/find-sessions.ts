import type { SelectQueryBuilder } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import { findAgent } from '../agents/agent-lookup.js';
import type { TenantTransaction } from '../record/database.js';
import { SessionEntity } from './session.entity.js';
import { isVisible, type RunViewer } from './visible-runs.js';

/** What a list of runs is narrowed to. */
export interface SessionFilter {
  limit: number;
  status: string[] | undefined;
  agent: string | undefined;
  labels: Record<string, string> | undefined;
  /** Only runs created before this one. */
  before: string | undefined;
  /** Only runs created after this one. */
  after: string | undefined;
}

/** Runs that the viewer sees and that match, newest first. A page after a cursor holds those next to it. */
export async function findSessions(
  tx: TenantTransaction,
  viewer: RunViewer,
  filter: SessionFilter,
): Promise<SessionEntity[]> {
  const query = tx.manager.createQueryBuilder(SessionEntity, 's').take(filter.limit);
  const { invokedBy } = viewer;
  if (invokedBy !== null) query.andWhere('s.invoked_by_user_id = :invokedBy', { invokedBy });
  if (filter.status !== undefined) query.andWhere('s.status in (:...status)', { status: filter.status });
  if (filter.labels !== undefined)
    query.andWhere('s.labels @> :labels::jsonb', { labels: JSON.stringify(filter.labels) });
  if (filter.agent !== undefined) {
    const agent = await findAgent(tx, filter.agent);
    if (agent === null) return [];
    query.andWhere('s.agent_id = :agent', { agent: agent.id });
  }
  await narrowByCursor(tx, query, { viewer, name: 'before', id: filter.before });
  await narrowByCursor(tx, query, { viewer, name: 'after', id: filter.after });
  // A page after a cursor is the one next to it, so it is read upwards; it is answered newest first all the same.
  const upwards = filter.after !== undefined && filter.before === undefined;
  const direction = upwards ? 'ASC' : 'DESC';
  const sessions = await query.orderBy('s.created_at', direction).addOrderBy('s.id', direction).getMany();
  return upwards ? sessions.reverse() : sessions;
}

/** A run that the viewer does not see is no cursor: its place among the others would tell when it was made. */
async function narrowByCursor(
  tx: TenantTransaction,
  query: SelectQueryBuilder<SessionEntity>,
  { viewer, name, id }: { viewer: RunViewer; name: 'before' | 'after'; id: string | undefined },
): Promise<void> {
  if (id === undefined) return;
  if (!(await isVisible(tx, viewer, id))) {
    throw new SandgateError('invalid_request', `${name}: no such run`);
  }
  const comparison = name === 'before' ? '<' : '>';
  query.andWhere(
    `(s.created_at, s.id) ${comparison} (select c.created_at, c.id from sessions c where c.id = :${name})`,
    { [name]: id },
  );
}

/** Older queued runs of the organization; undefined unless the run is queued. */
export async function queuePosition(tx: TenantTransaction, session: SessionEntity): Promise<number | undefined> {
  if (session.status !== 'queued') return undefined;
  const [row] = await tx.query<{ older: string }>('select svc_count_queued_before($1) as older', [session.id]);
  return Number(row?.older ?? 0);
}
