import type pg from 'pg';
import { parseRunStatus, type RunStatus } from '../../domain/run/status.js';
import { HOST_SEEN_WITHIN_SECS } from '../runs/capacity.js';
import { queryRows } from '../record/query-row.js';

/** The state of the whole deployment in numbers, over all organizations. */
export interface DeploymentFigures {
  /** Runs that are not over, by status; a status without runs is missing. */
  runs: ReadonlyMap<RunStatus, number>;
  approvalsPending: number;
  reservationsLive: number;
  /** Wake-ups that were committed and not delivered yet. */
  outboxWaiting: number;
  /** Sandbox hosts that take runs, and how many runs they have room for in all. */
  hostsOnline: number;
  hostCapacity: number;
}

export async function readDeploymentFigures(pool: pg.Pool): Promise<DeploymentFigures> {
  const rows = await queryRows<{ figure: string; label: string | null; value: number }>(pool, {
    text: 'select figure, label, value from svc_measure_deployment($1)',
    values: [HOST_SEEN_WITHIN_SECS],
  });
  const runs = new Map<RunStatus, number>();
  for (const { figure, label, value } of rows) {
    const status = figure === 'runs' ? parseRunStatus(label ?? '') : undefined;
    if (status !== undefined) runs.set(status, value);
  }
  const only = (figure: string): number => rows.find((row) => row.figure === figure)?.value ?? 0;
  return {
    runs,
    approvalsPending: only('approvals_pending'),
    reservationsLive: only('reservations_live'),
    outboxWaiting: only('outbox_waiting'),
    hostsOnline: only('hosts_online'),
    hostCapacity: only('host_capacity'),
  };
}
