import type pg from 'pg';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { bodyArguments } from '../ledger/append-events.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { findRow, onlyRow, queryRow } from '../record/query-row.js';

export type FlowVerdict = 'allowed' | 'denied';

/** Connections of a run to one target. */
export interface Flow {
  target: string;
  port: number;
  verdict: FlowVerdict;
  connections: number;
  bytesSent: number;
  bytesReceived: number;
}

/** Whether tunnels of a run may be opened, by the record; times are milliseconds from now. */
export interface TunnelState {
  acceptsWork: boolean;
  /** Null for a run that was granted nothing. */
  grant: { status: string; reason: string | null; msLeft: number } | null;
}

/** The target that stands for refused ones beyond those that are counted apart. */
export const OTHER_TARGETS = { target: '*', port: 0 } as const;
/** Targets of refused connections that are counted apart, and most that a summary names. */
export const MAX_TARGETS = 512;
const TOP_TARGETS = 20;

interface StateRow {
  accepts_work: boolean;
  grant_status: string | null;
  grant_reason: string | null;
  ms_left: number | null;
}

/** The state and the flows of a run, which this process counts from here on; null when the organization has no such run. */
export async function readTunnels(
  pool: pg.Pool,
  { organizationId, runId }: { organizationId: string; runId: string },
  processId: string,
): Promise<(TunnelState & { flows: Flow[] }) | null> {
  const row = await findRow<StateRow & { flows: [string, number, FlowVerdict, number, number, number][] }>(pool, {
    name: 'svc_read_tunnels',
    text: 'select * from svc_read_tunnels($1, $2, $3)',
    values: [organizationId, runId, processId],
  });
  if (row === null) return null;
  const flows = row.flows.map(([target, port, verdict, connections, bytesSent, bytesReceived]) => ({
    ...{ target, port, verdict, connections, bytesSent, bytesReceived },
  }));
  return { ...toState(row), flows };
}

/**
 * Notes the first connection to a target, with its event, before a byte is sent.
 *
 * @returns false when it was not the first; null when the run accepts no work any more
 */
export async function noteFlow(
  database: Database,
  run: { organizationId: string; runId: string },
  flow: { target: string; port: number; verdict: FlowVerdict },
  event: NewEvent | null,
): Promise<boolean | null> {
  const events = event === null ? [] : [event];
  const { bodies, digests } = bodyArguments(events);
  const { noted } = await queryRow<{ noted: boolean | null }>(database.pool, {
    name: 'svc_note_flow',
    text: 'select svc_note_flow($1, $2, $3, $4, $5, $6::text[], $7::text[]) as noted',
    values: [run.organizationId, run.runId, flow.target, flow.port, flow.verdict, bodies, digests],
  });
  if (noted === true) tellAppended(database, run.runId, events);
  return noted;
}

/**
 * Adds counts to those of the run.
 *
 * @param by the process that counted them, and whether it counts on
 * @returns what has become of the run; null when it is gone
 */
export async function addFlows(
  pool: pg.Pool,
  run: { organizationId: string; runId: string },
  flows: readonly Flow[],
  by: { processId: string; countsOn: boolean },
): Promise<TunnelState | null> {
  const row = await findRow<StateRow>(pool, {
    name: 'svc_add_flows',
    text: `select * from svc_add_flows($1, $2, $3, $4, $5::text[], $6::int[], $7::text[], $8::bigint[], $9::bigint[],
             $10::bigint[])`,
    values: [
      run.organizationId,
      run.runId,
      by.processId,
      by.countsOn,
      flows.map((flow) => flow.target),
      flows.map((flow) => flow.port),
      flows.map((flow) => flow.verdict),
      flows.map((flow) => flow.connections),
      flows.map((flow) => flow.bytesSent),
      flows.map((flow) => flow.bytesReceived),
    ],
  });
  return row === null ? null : toState(row);
}

/** Tells of refused connections that no event told of yet, in one event; of none without any. */
export async function rollUpDenials(tx: TenantTransaction, runId: string): Promise<NewEvent[]> {
  const row = onlyRow(
    await tx.query<{ suppressed: string; distinct_targets: number; top_targets: string[] }>(
      'select * from svc_take_untold_denials($1, $2)',
      [runId, TOP_TARGETS],
    ),
    'svc_take_untold_denials',
  );
  if (Number(row.suppressed) === 0) return [];
  const { distinct_targets: targets, top_targets: top } = row;
  const data = {
    suppressed: Number(row.suppressed),
    distinct_targets: targets,
    top_targets: top,
    targets_truncated: targets > top.length,
  };
  return [{ actor: 'system', type: 'network.denied.rollup', data }];
}

/** The last word on what a run reached and was refused; nothing for one that tried nothing. */
export async function summarizeFlows(tx: TenantTransaction, runId: string): Promise<NewEvent[]> {
  const rollup = await rollUpDenials(tx, runId);
  const rows = await tx.query<{
    target: string;
    port: number;
    connections: string;
    bytes_sent: string;
    bytes_received: string;
  }>('select * from svc_list_reached($1, $2)', [runId, MAX_TARGETS + 1]);
  if (rows.length === 0) return rollup;
  const flows = rows.slice(0, MAX_TARGETS).map((row) => ({
    target: row.target,
    port: row.port,
    connections: Number(row.connections),
    bytes_sent: Number(row.bytes_sent),
    bytes_received: Number(row.bytes_received),
  }));
  const data = { flows, targets_truncated: rows.length > MAX_TARGETS };
  return [...rollup, { actor: 'system', type: 'network.summary', data }];
}

function tellAppended(database: Database, runId: string, events: NewEvent[]): void {
  if (events.length === 0) return;
  database.announce({ ledger: runId });
  database.observer?.appended(events);
}

function toState(row: StateRow): TunnelState {
  const { accepts_work: acceptsWork, grant_status: status, grant_reason: reason, ms_left: msLeft } = row;
  return { acceptsWork, grant: status === null ? null : { status, reason, msLeft: msLeft ?? 0 } };
}
