import { SandgateError } from '../../domain/errors.js';
import { RUN_STATUSES } from '../../domain/run/status.js';
import { isUuid } from '../../domain/uuid.js';
import type { SessionFilter } from '../../core/runs/find-sessions.js';
import { parseLimit } from '../http/limit.js';
import { parseLabelFilter } from '../../domain/run/labels.js';

export const DEFAULT_PAGE = 50;

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
