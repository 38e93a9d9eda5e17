import type pg from 'pg';
import type { TenantTransaction } from '../record/database.js';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

/** Rows still open this long after the run's end are given up without a request (docs/design/broker.md). */
const GIVEN_UP_AFTER_SECS = 900;

/** A session that one process opened at an MCP server for one binding of a run. */
export interface UpstreamSession {
  sessionId: string;
  bindingId: string;
  /** The process that opened it; no other process uses it. */
  replica: string;
  upstreamSessionId: string;
  endpointUrl: string;
  protocolVersion: string;
}

/** Records a session in place of the one that this process had before. */
export async function rememberUpstreamSession(tx: TenantTransaction, session: UpstreamSession): Promise<void> {
  await tx.query(
    `insert into mcp_upstream_sessions (tenant_id, session_id, peer_kind, peer_id, replica, upstream_session_id, endpoint_url,
                                        protocol_version)
     values ($1, $2, 'binding', $3, $4, $5, $6, $7)
     on conflict (session_id, peer_kind, peer_id, replica) do update
       set upstream_session_id = excluded.upstream_session_id, endpoint_url = excluded.endpoint_url,
           protocol_version = excluded.protocol_version, opened_at = clock_timestamp(), deleted_at = null, delete_outcome = null`,
    [
      tx.organizationId,
      session.sessionId,
      session.bindingId,
      session.replica,
      session.upstreamSessionId,
      session.endpointUrl,
      session.protocolVersion,
    ],
  );
}

/** The sessions of a run that nobody has ended yet. */
export async function listUpstreamSessions(tx: TenantTransaction, sessionId: string): Promise<UpstreamSession[]> {
  const rows = await tx.query<{
    peer_id: string;
    replica: string;
    upstream_session_id: string;
    endpoint_url: string;
    protocol_version: string;
  }>(
    `select peer_id, replica, upstream_session_id, endpoint_url, protocol_version
       from mcp_upstream_sessions where session_id = $1 and deleted_at is null order by opened_at`,
    [sessionId],
  );
  return rows.map((row) => ({
    sessionId,
    bindingId: row.peer_id,
    replica: row.replica,
    upstreamSessionId: row.upstream_session_id,
    endpointUrl: row.endpoint_url,
    protocolVersion: row.protocol_version,
  }));
}

/** Records that the server was asked to end the session, whatever it answered. */
export async function markUpstreamSessionDeleted(tx: TenantTransaction, session: UpstreamSession): Promise<void> {
  await tx.query(
    `update mcp_upstream_sessions set deleted_at = clock_timestamp(), delete_outcome = 'deleted'
      where session_id = $1 and peer_id = $2 and replica = $3 and upstream_session_id = $4 and deleted_at is null`,
    [session.sessionId, session.bindingId, session.replica, session.upstreamSessionId],
  );
}

/** Gives up sessions of runs that ended long ago. @returns how many */
export async function sweepUpstreamSessions(pool: pg.Pool, limit: number): Promise<number> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ swept: number }>('select svc_sweep_upstream_sessions($1, $2) as swept', [GIVEN_UP_AFTER_SECS, limit]),
  );
  return rows[0]?.swept ?? 0;
}
