import { isJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import type { OpenDelivery } from './delivery-records.js';

/** The form of bodies; it changes when a member goes or changes its meaning. */
const API_VERSION = '1';

/** The body of an event: the same bytes in every attempt. @param publicUrl where the addresses of `links` begin */
export function eventBody(orgId: string, publicUrl: string, delivery: OpenDelivery): string {
  const { links, ...data } = delivery.data;
  return JSON.stringify({
    id: delivery.eventId,
    type: delivery.eventType,
    timestamp: delivery.occurredAt.toISOString(),
    apiVersion: API_VERSION,
    data: {
      ...{ orgId, projectId: delivery.projectId, ...data, links: absolute(links, publicUrl) },
      ...(delivery.result === null ? {} : { result: delivery.result }),
    },
  });
}

function absolute(links: unknown, publicUrl: string): JsonObject {
  if (!isJsonObject(links)) return {};
  const base = publicUrl.replace(/\/$/, '');
  const paths = Object.entries(links).filter((one): one is [string, string] => typeof one[1] === 'string');
  return Object.fromEntries(paths.map(([name, path]) => [name, base + path]));
}
