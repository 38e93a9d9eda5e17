import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';

/** What a request may say of network authority. */
export const OFFLINE_NETWORK = {
  type: 'object',
  properties: { mode: { type: 'string', enum: ['offline'] } },
  nullable: true,
} as const;

/** Sandboxes have no network: a request for more is refused and never silently narrowed. */
export function offlineNetwork(network: JsonObject | null | undefined): JsonObject | undefined {
  if (network === null || network === undefined) return undefined;
  if (network['mode'] === undefined || network['mode'] === 'offline') return { mode: 'offline' };
  throw new SandgateError(
    'invalid_request',
    'network.mode: this deployment cannot enforce network grants; only offline is possible',
  );
}
