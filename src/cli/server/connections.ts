import { isUuid } from '../../domain/uuid.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { inline } from '../terminal/escape.js';
import { isLongPart, onlyMatch } from './only-match.js';
import type { SandgateClient } from './sandgate-client.js';
import type { Connection, Snapshot } from './wire.js';

export async function listConnections(client: SandgateClient): Promise<Connection[]> {
  return (await client.call((api) => api.GET('/v1/connections'))).connections;
}

/** Reads a connection by its id, by the beginning or end of one, or by its name where only one that is not revoked has it. */
export async function findConnection(client: SandgateClient, key: string): Promise<Connection> {
  if (isUuid(key)) return readConnection(client, key.toLowerCase());
  const all = await listConnections(client);
  const named = all.filter(({ display_name }) => display_name === key);
  const live = named.filter(({ status }) => status !== 'revoked');
  const matches = live.length > 0 ? live : all.filter(({ id }) => isLongPart(id, key));
  return onlyMatch(matches, {
    none: whyNone(key, named),
    several: `${matches.length} connections are called ${inline(key)}; give the id: ${idsOf(matches)}`,
  });
}

/** A revoked connection frees its name and is found by its id only. */
function whyNone(key: string, revoked: readonly Connection[]): string {
  if (revoked.length === 0) return `no connection has the name or id ${inline(key)}`;
  return `${inline(key)} is revoked, and a revoked connection is named by its id: ${idsOf(revoked)}`;
}

function idsOf(connections: readonly Connection[]): string {
  return connections.map(({ id }) => id).join(', ');
}

export function readConnection(client: SandgateClient, id: string): Promise<Connection> {
  return client.call((api) => api.GET('/v1/connections/{id}', { params: { path: { id } } }));
}

/** Starts an authorization. @returns the address that a person opens in a browser */
export async function startAuthorization(client: SandgateClient, id: string): Promise<string> {
  const params = { path: { id } };
  return (await client.call((api) => api.POST('/v1/connections/{id}/oauth/start', { params }))).go_url;
}

export function revokeConnection(client: SandgateClient, id: string): Promise<Connection> {
  return client.call((api) => api.POST('/v1/connections/{id}/revoke', { params: { path: { id } } }));
}

/** The newest tool snapshot; null when the connection has none. */
export async function readTools(client: SandgateClient, id: string): Promise<Snapshot | null> {
  try {
    return await client.call((api) => api.GET('/v1/connections/{id}/tools', { params: { path: { id } } }));
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.notFound) return null;
    throw error;
  }
}
