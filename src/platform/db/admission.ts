import { occupiesCapacity } from '../../domain/run/status.js';
import type { TenantTransaction } from './database.js';
import { lockRun, moveRun } from './run-moves.js';

/** Active runs that are let in at once; null is unlimited. */
export interface AdmissionLimits {
  globalMaxActive: number | null;
  tenantMaxActive: number | null;
}

/** A host that was not seen for this long takes no new runs. */
const HOST_SEEN_WITHIN_SECS = 60;

/**
 * Admits a run: both capacity counters are claimed together, a host is chosen and the run moves to `provisioning`, all in
 * one transaction; otherwise it is parked in the queue (chapter 10 §5). Repeating it changes nothing.
 */
export async function admitRun(
  tx: TenantTransaction,
  sessionId: string,
  limits: AdmissionLimits,
): Promise<{ admitted: boolean; hostId: string | null }> {
  const status = await lockRun(tx, sessionId);
  if (status !== 'created' && status !== 'queued') {
    return { admitted: status !== null && occupiesCapacity(status), hostId: null };
  }
  const hostId = await chooseHost(tx);
  if (hostId !== null && (await claim(tx, sessionId, limits))) {
    await tx.query('update sessions set host_id = $2 where id = $1', [sessionId, hostId]);
    await moveRun(tx, sessionId, status, 'provisioning', null);
    return { admitted: true, hostId };
  }
  if (status === 'created') await moveRun(tx, sessionId, 'created', 'queued', hostId === null ? NO_HOST : null);
  return { admitted: false, hostId: null };
}

const NO_HOST = 'no sandbox host is online';

/** Of the hosts that were seen lately, the one with the most free places. */
async function chooseHost(tx: TenantTransaction): Promise<string | null> {
  const [host] = await tx.query<{ id: string }>('select id from svc_choose_host($1)', [HOST_SEEN_WITHIN_SECS]);
  return host?.id ?? null;
}

async function claim(tx: TenantTransaction, sessionId: string, limits: AdmissionLimits): Promise<boolean> {
  const [row] = await tx.query<{ outcome: string }>('select svc_claim_capacity($1, $2, $3, $4) as outcome', [
    tx.organizationId,
    sessionId,
    limits.globalMaxActive,
    limits.tenantMaxActive,
  ]);
  return row?.outcome === 'claimed';
}
