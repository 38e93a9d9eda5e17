import type pg from 'pg';
import { IsNull } from 'typeorm';
import type { TenantTransaction } from '../record/database.js';
import { queryRow } from '../record/query-row.js';
import { changeRow, CLOCK } from '../../platform/postgres/write-rows.js';
import { UpstreamSessionEntity } from './upstream-session.entity.js';

/** Rows still open this long after the run's end are given up without a request (docs/design/broker.md). */
const GIVEN_UP_AFTER_SECS = 900;

/** A session that one process opened at an MCP server for one binding of a run. */
export interface UpstreamSession {
  runId: string;
  bindingId: string;
  /** The process that opened it; no other process uses it. */
  replica: string;
  upstreamSessionId: string;
  endpointUrl: string;
  protocolVersion: string;
}

/** Records a session in place of the one that this process had before. */
export async function rememberUpstreamSession(tx: TenantTransaction, session: UpstreamSession): Promise<void> {
  await tx.query('select svc_remember_upstream_session($1, $2, $3, $4, $5, $6, $7)', [
    tx.organizationId,
    session.runId,
    session.bindingId,
    session.replica,
    session.upstreamSessionId,
    session.endpointUrl,
    session.protocolVersion,
  ]);
}

/** The sessions of a run that nobody has ended yet. */
export async function listUpstreamSessions(tx: TenantTransaction, runId: string): Promise<UpstreamSession[]> {
  const rows = await tx.manager.find(UpstreamSessionEntity, {
    where: { session_id: runId, deleted_at: IsNull() },
    order: { opened_at: 'ASC' },
  });
  return rows.map((row) => ({
    runId,
    bindingId: row.peer_id,
    replica: row.replica,
    upstreamSessionId: row.upstream_session_id,
    endpointUrl: row.endpoint_url,
    protocolVersion: row.protocol_version,
  }));
}

/** Records that the server was asked to end the session, whatever it answered. */
export async function markUpstreamSessionDeleted(tx: TenantTransaction, session: UpstreamSession): Promise<void> {
  await changeRow(
    tx,
    UpstreamSessionEntity,
    {
      session_id: session.runId,
      peer_id: session.bindingId,
      replica: session.replica,
      upstream_session_id: session.upstreamSessionId,
      deleted_at: IsNull(),
    },
    { deleted_at: CLOCK, delete_outcome: 'deleted' },
  );
}

/** Gives up sessions of runs that ended long ago. @returns how many */
export async function sweepUpstreamSessions(pool: pg.Pool, limit: number): Promise<number> {
  const { swept } = await queryRow<{ swept: number }>(pool, {
    text: 'select svc_sweep_upstream_sessions($1, $2) as swept',
    values: [GIVEN_UP_AFTER_SECS, limit],
  });
  return swept;
}
