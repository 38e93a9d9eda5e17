import type { SelectQueryBuilder } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import { RUN_STATUSES } from '../../domain/run/status.js';
import { isUuid } from '../../domain/uuid.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { findAgent } from '../../core/agents/agent-lookup.js';
import { parseLimit } from '../http/limit.js';
import { parseLabelFilter } from '../../domain/run/labels.js';
import { SessionEntity } from '../../core/runs/session.entity.js';

export const DEFAULT_PAGE = 50;

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

/** @throws SandgateError `invalid_request` naming the query parameter. */
export function parseSessionFilter(query: Record<string, unknown>): SessionFilter {
  return {
    limit: parseLimit(query['limit'], DEFAULT_PAGE),
    status: parseStatuses(query['status']),
    agent: parseText(query['agent'], 'agent'),
    labels: parseLabelFilter(query['label']),
    before: parseCursor(query['before'], 'before'),
    after: parseCursor(query['after'], 'after'),
  };
}

/** Runs that match, newest first. A page after a cursor holds those next to it. */
export async function findSessions(tx: TenantTransaction, filter: SessionFilter): Promise<SessionEntity[]> {
  const query = tx.manager.createQueryBuilder(SessionEntity, 's').take(filter.limit);
  if (filter.status !== undefined) query.andWhere('s.status in (:...status)', { status: filter.status });
  if (filter.labels !== undefined)
    query.andWhere('s.labels @> :labels::jsonb', { labels: JSON.stringify(filter.labels) });
  if (filter.agent !== undefined) {
    const agent = await findAgent(tx, filter.agent);
    if (agent === null) return [];
    query.andWhere('s.agent_id = :agent', { agent: agent.id });
  }
  await narrowByCursor(tx, query, 'before', filter.before);
  await narrowByCursor(tx, query, 'after', filter.after);
  // A page after a cursor is the one next to it, so it is read upwards; it is answered newest first all the same.
  const upwards = filter.after !== undefined && filter.before === undefined;
  const direction = upwards ? 'ASC' : 'DESC';
  const sessions = await query.orderBy('s.created_at', direction).addOrderBy('s.id', direction).getMany();
  return upwards ? sessions.reverse() : sessions;
}

async function narrowByCursor(
  tx: TenantTransaction,
  query: SelectQueryBuilder<SessionEntity>,
  name: 'before' | 'after',
  id: string | undefined,
): Promise<void> {
  if (id === undefined) return;
  if (!(await tx.manager.existsBy(SessionEntity, { id }))) {
    throw new SandgateError('invalid_request', `${name}: no such run`);
  }
  const comparison = name === 'before' ? '<' : '>';
  query.andWhere(
    `(s.created_at, s.id) ${comparison} (select c.created_at, c.id from sessions c where c.id = :${name})`,
    { [name]: id },
  );
}

function parseStatuses(raw: unknown): string[] | undefined {
  if (raw === undefined) return undefined;
  const statuses = [raw].flat().map(String);
  const unknown = statuses.find((status) => !(RUN_STATUSES as readonly string[]).includes(status));
  if (unknown === undefined) return statuses;
  throw new SandgateError('invalid_request', `status: must be one of ${RUN_STATUSES.join(', ')}`);
}

function parseText(raw: unknown, name: string): string | undefined {
  if (raw === undefined || (typeof raw === 'string' && raw !== '')) return raw;
  throw new SandgateError('invalid_request', `${name}: must be given once and not be empty`);
}

function parseCursor(raw: unknown, name: string): string | undefined {
  const cursor = parseText(raw, name);
  if (cursor !== undefined && !isUuid(cursor))
    throw new SandgateError('invalid_request', `${name}: must be the id of a run`);
  return cursor;
}
