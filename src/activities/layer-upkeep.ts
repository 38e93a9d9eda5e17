import { forgetHostLayers, listHostLayers, type HostLayerRow } from '../core/setup/setup-layers.js';
import type { Database } from '../core/record/database.js';
import type { SetupLayers } from '../platform/sandbox/setup-layers.js';

export interface LayerUpkeepDependencies {
  database: Pick<Database, 'pool'>;
  layers: SetupLayers;
  hostId: string;
  /** Bytes of this host for all of them. */
  maxBytes: number;
}

/**
 * Deletes what this host keeps of setups beyond its limit, used longest ago first, what nobody finished, and what the record does not
 * know any more (docs/design/setup.md). What a run is based on stays.
 */
export async function tidyLayers({ database, layers, hostId, maxBytes }: LayerUpkeepDependencies): Promise<string[]> {
  // In this order: an image is never older than its row.
  const present = await layers.list();
  const rows = await listHostLayers(database.pool, hostId);
  const used = new Set(await layers.listUsed());
  const excess = beyond(rows, maxBytes).filter(({ id }) => !used.has(id));
  const unfinished = rows.filter(({ state, stale }) => state !== 'ready' && stale);
  // An image has its name before its row is ready, so one that is not there now was deleted.
  const here = new Set(await layers.list());
  const emptied = rows.filter(({ id, state }) => state === 'ready' && !here.has(id));
  const forgotten = [...new Set([...excess, ...unfinished, ...emptied].map(({ id }) => id))];
  if (forgotten.length > 0) await forgetHostLayers(database.pool, hostId, forgotten);
  const known = new Set(rows.map(({ id }) => id));
  const orphans = present.filter((id) => !known.has(id) && !used.has(id));
  const removed = [...forgotten, ...orphans];
  for (const id of removed) await layers.remove(id);
  return removed;
}

/** The rows, used longest ago first, without which the rest is within the limit. */
function beyond(rows: readonly HostLayerRow[], maxBytes: number): HostLayerRow[] {
  let total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return rows.filter(({ bytes, state }) => {
    if (state !== 'ready' || total <= maxBytes) return false;
    total -= bytes;
    return true;
  });
}
