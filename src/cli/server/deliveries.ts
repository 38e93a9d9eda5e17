import { inline } from '../terminal/escape.js';
import { isLongPart, onlyMatch } from './only-match.js';
import type { SandgateClient } from './sandgate-client.js';
import type { Delivery } from './wire.js';

/** Oldest first. */
export async function listDeliveries(client: SandgateClient, runId: string): Promise<Delivery[]> {
  const params = { path: { id: runId } };
  return (await client.call((api) => api.GET('/v1/sessions/{id}/deliveries', { params }))).deliveries;
}

/** Reads a delivery of a run by its id or a part of it. @throws CliError `not_found`, or `usage` where several have that part */
export async function findDelivery(client: SandgateClient, runId: string, key: string): Promise<Delivery> {
  const all = await listDeliveries(client, runId);
  const matches = all.filter(({ id }) => isLongPart(id, key));
  return onlyMatch(matches, {
    none: `this run has no delivery with an id like ${inline(key)}`,
    several: `${matches.length} deliveries of this run have an id like ${inline(key)}`,
  });
}

export function resendDelivery(
  client: SandgateClient,
  { session_id: id, id: delivery_id }: Delivery,
): Promise<Delivery> {
  const params = { path: { id, delivery_id } };
  return client.call((api) => api.POST('/v1/sessions/{id}/deliveries/{delivery_id}/resend', { params }));
}
