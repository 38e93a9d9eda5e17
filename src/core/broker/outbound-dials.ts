import type pg from 'pg';
import { queryRow, queryRows } from '../record/query-row.js';

/** The scopes that all processes count together, in the order in which they are asked. */
export type SharedScope = 'tenant' | 'user' | 'connection' | 'host';

export interface DialKey {
  organizationId: string;
  connectionId: string;
  /** Never the host in clear. */
  hostDigest: string;
}

export interface DialCharge {
  scope: SharedScope;
  key: string;
  perMin: number;
}

export interface DialVerdict {
  /** The scope that refused; null: charged, proceed. */
  refused: SharedScope | 'breaker' | null;
  retryAfterSecs: number;
  /** The breaker has counted failures, so a success must be reported. */
  failing: boolean;
  /** This call is the probe of an open breaker. */
  probe: boolean;
}

/** Asks all limits of one outbound call, and charges them if none refuses (docs/design/broker.md). */
export async function enterDial(
  pool: pg.Pool,
  dial: DialKey,
  charges: readonly DialCharge[],
  breaker: { openSecs: number; probeSecs: number },
): Promise<DialVerdict> {
  const row = await queryRow<{
    refused: DialVerdict['refused'];
    retry_after: number | null;
    failing: boolean;
    probe: boolean;
  }>(pool, {
    name: 'svc_enter_dial',
    text: 'select * from svc_enter_dial($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [
      dial.organizationId,
      charges.map(({ scope }) => scope),
      charges.map(({ key }) => key),
      charges.map(({ perMin }) => perMin),
      dial.connectionId,
      dial.hostDigest,
      breaker.openSecs,
      breaker.probeSecs,
    ],
  });
  return { refused: row.refused, retryAfterSecs: row.retry_after ?? 0, failing: row.failing, probe: row.probe };
}

/** Reports how a call went; null when it says nothing about the host. */
export async function leaveDial(
  pool: pg.Pool,
  dial: DialKey,
  outcome: { failed: boolean | null; probe: boolean; threshold: number },
): Promise<void> {
  const { organizationId, connectionId, hostDigest } = dial;
  await queryRows(pool, {
    name: 'svc_leave_dial',
    text: 'select svc_leave_dial($1, $2, $3, $4, $5, $6)',
    values: [organizationId, connectionId, hostDigest, outcome.failed, outcome.probe, outcome.threshold],
  });
}

/** Removes what the organization's limits have not used for a day. */
export async function forgetDials(pool: pg.Pool, organizationId: string): Promise<void> {
  await queryRows(pool, { text: 'select svc_forget_dials($1)', values: [organizationId] });
}
