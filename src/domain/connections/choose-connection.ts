import { SandgateError } from '../errors.js';
import { endpointOf, type ConnectionRecord } from './connection.js';

import type { ConnectionRequirement } from './requirement.js';
import { isUrlInside } from './url-inside.js';

/** What is read to choose a connection for a slot. */
export type BindableConnection = Pick<
  ConnectionRecord,
  | 'id'
  | 'provider'
  | 'status'
  | 'display_name'
  | 'metadata'
  | 'resource_selection'
  | 'owner_type'
  | 'owner_user_id'
  | 'authorization_generation'
>;

/** Who starts the run: the connections that this caller may see, and who the caller is. */
export interface Invoker {
  /** Null for the operator and for everything unattended. */
  userId: string | null;
  visible: readonly BindableConnection[];
}

/**
 * The connection that serves a requirement in a new run (docs/design/connections.md): the pinned one, else the only active one of the kind
 * that the binding mode asks for. Never the newest of several.
 * @throws SandgateError `invalid_request` naming the slot
 */
export function chooseConnection(
  requirement: ConnectionRequirement,
  pinned: string | undefined,
  invoker: Invoker,
): BindableConnection {
  return pinned === undefined ? findOnly(requirement, invoker) : requirePinned(requirement, pinned, invoker);
}

function requirePinned(requirement: ConnectionRequirement, pinned: string, { visible }: Invoker): BindableConnection {
  const { slot } = requirement;
  const connection = visible.find(({ id }) => id === pinned.toLowerCase());
  // Missing, of another organization, or personal: the answer is the same.
  if (connection === undefined) throw refusal(slot, `connection ${pinned} not found`);
  if (connection.status !== 'active')
    throw refusal(slot, `connection ${connection.display_name} is ${connection.status} — reconnect it`);
  if (serves(connection, requirement)) return connection;
  throw refusal(
    slot,
    `connection ${connection.display_name} does not serve this connector, ${requirement.connector.url}`,
  );
}

function findOnly(requirement: ConnectionRequirement, { userId, visible }: Invoker): BindableConnection {
  const { slot, binding_mode: mode } = requirement;
  if (mode === 'invoking_user' && userId === null)
    throw refusal(slot, 'acts as the user who starts the run, and this run is started by nobody who is a user');
  const fitting = visible.filter(
    (connection) => ownerFits(connection, requirement, userId) && serves(connection, requirement),
  );
  const [only, ...others] = fitting.filter(({ status }) => status === 'active');
  // A revoked connection cannot be restored, so it is not suggested.
  if (only === undefined)
    throw refusal(
      slot,
      noneText(
        requirement,
        fitting.filter(({ status }) => status !== 'revoked'),
      ),
    );
  if (others.length === 0) return only;
  const names = [only, ...others].map((connection) => `${connection.display_name} (${connection.id})`).sort();
  throw refusal(slot, `multiple connections serve this connector: ${names.join(', ')}; bind one of them explicitly`);
}

function ownerFits(
  connection: BindableConnection,
  { binding_mode: mode }: ConnectionRequirement,
  userId: string | null,
): boolean {
  if (mode === 'organization') return connection.owner_type === 'organization';
  return connection.owner_type === 'user' && connection.owner_user_id === userId;
}

function serves(connection: BindableConnection, { connector }: ConnectionRequirement): boolean {
  const base = endpointOf(connection);
  return connection.provider === 'mcp_http' && base !== null && isUrlInside(base, connector.url);
}

function noneText(
  { connector, binding_mode: mode }: ConnectionRequirement,
  idle: readonly BindableConnection[],
): string {
  const service = connector.slug ?? connector.url;
  const missing =
    mode === 'organization'
      ? `no active organization connection serves ${service}`
      : `connect ${service} first: you have no active connection of your own to it`;
  const [first] = idle;
  return first === undefined ? missing : `${missing}; ${first.display_name} is ${first.status} — reconnect it`;
}

/** A refusal of one slot, under the member of the request that can settle it. */
export function refusal(slot: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `bindings.${slot}: ${reason}`);
}
