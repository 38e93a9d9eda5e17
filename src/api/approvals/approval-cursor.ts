import { createHash } from 'node:crypto';
import { SandgateError } from '../../domain/errors.js';
import type { ApprovalState } from '../../core/approvals/approval-queries.js';

const MAX_WAIT_SECS = 60;
const CURSOR = /^[\x21-\x7e]{1,128}$/;

/** Names one state of a list. Made from the rows alone, so that any process of the deployment knows it, also after a restart. */
export function cursorOf(rows: readonly ApprovalState[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(`${row.id} ${row.status} ${row.withheld_reason === null ? '' : 'withheld'}\n`);
  return hash.digest('base64url').slice(0, 22);
}

/** The cursor of a caller who names none. */
const EMPTY = cursorOf([]);

/** How long a list may be waited for and which state of it the caller knows. */
export interface WaitRequest {
  /** 0: answer at once. */
  waitMs: number;
  seen: string;
}

/** Queries `wait` (whole seconds, clamped to 60) and `cursor`; throws `invalid_request`. */
export function parseWait(wait: unknown, cursor: unknown): WaitRequest {
  if (cursor !== undefined && (typeof cursor !== 'string' || !CURSOR.test(cursor))) {
    throw new SandgateError('invalid_request', 'cursor: must be the member `cursor` of an earlier answer');
  }
  if (wait !== undefined && (typeof wait !== 'string' || !/^[0-9]{1,9}$/.test(wait))) {
    throw new SandgateError('invalid_request', 'wait: must be a whole number of seconds');
  }
  return { waitMs: Math.min(Number(wait ?? 0), MAX_WAIT_SECS) * 1000, seen: cursor ?? EMPTY };
}
