import type pg from 'pg';
import type { TenantTransaction } from '../record/database.js';
import { queryRows } from '../record/query-row.js';

/** What is kept of a setup on a host. */
export interface LayerRow {
  id: string;
  content_digest: string;
  /** The run that made it. */
  made_by: string;
}

/** A layer of whichever organization, as the upkeep of its host sees it. */
export interface HostLayerRow {
  id: string;
  state: string;
  bytes: number;
  /** Older than anything takes that is still being made. */
  stale: boolean;
}

/** What is kept under a key, marked as used now; undefined when there is nothing. */
export async function useLayer(tx: TenantTransaction, hostId: string, key: string): Promise<LayerRow | undefined> {
  const [row] = await tx.query<LayerRow>('select * from svc_use_setup_layer($1, $2)', [hostId, key]);
  return row;
}

/** Whether this run is the one that makes what will be kept under a key; repeated, it takes over from itself. */
export async function claimLayer(
  tx: TenantTransaction,
  layer: { id: string; hostId: string; key: string; runId: string },
): Promise<boolean> {
  const values = [layer.id, tx.organizationId, layer.hostId, layer.key, layer.runId];
  const [row] = await tx.query<{ claimed: boolean }>(
    'select svc_claim_setup_layer($1, $2, $3, $4, $5) as claimed',
    values,
  );
  return row?.claimed === true;
}

/** Makes a claimed layer one that later runs are given; false when another run took the key over. */
export async function keepLayer(
  tx: TenantTransaction,
  layer: { id: string; contentDigest: string; bytes: number; files: number },
): Promise<boolean> {
  const values = [layer.id, layer.contentDigest, layer.bytes, layer.files];
  const [row] = await tx.query<{ kept: boolean }>('select svc_keep_setup_layer($1, $2, $3, $4) as kept', values);
  return row?.kept === true;
}

/** Frees a key: nothing came of it, or its image is not what it was. */
export async function dropLayer(tx: TenantTransaction, layerId: string): Promise<void> {
  await tx.query('select svc_drop_setup_layer($1)', [layerId]);
}

/** What a host keeps of all organizations, used longest ago first. */
export async function listHostLayers(pool: pg.Pool, hostId: string): Promise<HostLayerRow[]> {
  const rows = await queryRows<Omit<HostLayerRow, 'bytes'> & { bytes: string }>(pool, {
    text: 'select * from svc_list_setup_layers($1)',
    values: [hostId],
  });
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

export async function forgetHostLayers(pool: pg.Pool, hostId: string, ids: string[]): Promise<void> {
  await queryRows(pool, { text: 'select svc_forget_setup_layers($1, $2::uuid[])', values: [hostId, ids] });
}
