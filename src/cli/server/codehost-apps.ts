import { isUuid } from '../../domain/uuid.js';
import { inline } from '../terminal/escape.js';
import { listConnections } from './connections.js';
import { textOf } from './event-data.js';
import { isLongPart, onlyMatch } from './only-match.js';
import type { SandgateClient } from './sandgate-client.js';
import type { AppRegistration, Connection } from './wire.js';

/** Newest first, revoked ones included. */
export async function listApps(client: SandgateClient): Promise<AppRegistration[]> {
  return (await client.call((api) => api.GET('/v1/codehost/app'))).registrations;
}

/**
 * Reads an app by its slug, its name, its id or the beginning or end of an id. Those that are revoked are found by their id alone.
 *
 * @throws CliError `not_found`, or `usage` when it names several
 */
export async function findApp(client: SandgateClient, key: string): Promise<AppRegistration> {
  const all = await listApps(client);
  const live = all.filter(({ status }) => status !== 'revoked');
  const named = live.filter(({ slug, name }) => slug === key || name === key);
  const byId = all.filter(({ id }) => (isUuid(key) ? id === key.toLowerCase() : isLongPart(id, key)));
  return onlyMatch(named.length > 0 ? named : byId, {
    none: `no app that is not revoked has the name or id ${inline(key)}`,
    several: `several apps are called ${inline(key)}; give the id`,
  });
}

/** The connections that live by an app. */
export async function connectionsOf(client: SandgateClient, { id }: AppRegistration): Promise<Connection[]> {
  return (await listConnections(client)).filter(({ metadata }) => textOf(metadata, 'registration_id') === id);
}
