import { createHash } from 'node:crypto';
import type { ApprovalState } from '../../core/approvals/approval-queries.js';
import type { ListApprovals } from './list-approvals.dto.js';

const MAX_WAIT_SECS = 60;

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

/** Whole seconds, clamped to 60. */
export function waitAsked({ wait, cursor }: Pick<ListApprovals, 'wait' | 'cursor'>): WaitRequest {
  return { waitMs: Math.min(Number(wait ?? 0), MAX_WAIT_SECS) * 1000, seen: cursor ?? EMPTY };
}
