import { isUuid } from '../../domain/uuid.js';
import { inline } from '../terminal/escape.js';
import { isLongPart, onlyMatch } from './only-match.js';
import type { SandgateClient } from './sandgate-client.js';
import type { Trigger, TriggerWithHistory } from './wire.js';

const ALL = 1000;

export async function listTriggers(client: SandgateClient, limit = ALL): Promise<Trigger[]> {
  return (await client.call((api) => api.GET('/v1/triggers', { params: { query: { limit } } }))).triggers;
}

/** The id of a trigger by its name, its id, or the beginning or end of one. */
export async function findTrigger(client: SandgateClient, key: string): Promise<string> {
  if (isUuid(key)) return key.toLowerCase();
  const all = await listTriggers(client);
  const named = all.filter(({ name }) => name === key);
  const matches = named.length > 0 ? named : all.filter(({ id }) => isLongPart(id, key));
  return onlyMatch(matches, {
    none: `no trigger has the name or id ${inline(key)}`,
    several: `${matches.length} triggers have an id like ${inline(key)}; give more of it`,
  }).id;
}

export function readTrigger(client: SandgateClient, id: string): Promise<TriggerWithHistory> {
  return client.call((api) => api.GET('/v1/triggers/{id}', { params: { path: { id } } }));
}
