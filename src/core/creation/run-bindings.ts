import { bindToolSet } from '../../domain/connections/bind-tool-set.js';
import { chooseConnection, type BindableConnection } from '../../domain/connections/choose-connection.js';
import { parseRequirements, type ConnectionRequirement } from '../../domain/connections/requirement.js';
import type { BindingAuthority, ResourceBinding } from '../../domain/connections/resource-binding.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { ResultDestination } from '../../domain/run/result-destination.js';
import type { BrokeredToolSet, RunSpec, WorkspaceSpec } from '../../domain/run/spec.js';
import { isUuid } from '../../domain/uuid.js';
import { listVisible } from '../connections/connection-rows.js';
import { latestSnapshot } from '../connections/tool-snapshots.js';
import type { TenantTransaction } from '../record/database.js';
import type { RunStarter } from './run-starter.js';
import { newRowId } from '../../platform/postgres/row-id.js';

/** What a new run is bound to. */
export interface BindingRequest {
  runId: string;
  starter: RunStarter;
  /** As they are stored with the revision. */
  requirements: readonly object[];
  /** `bindings` of the request. */
  pins: JsonObject;
  trustTier: RunSpec['trust_tier'];
  workspace: WorkspaceSpec;
  subscription: { id: string; authorityGeneration: number } | null;
  destinations: readonly ResultDestination[];
}

/** Everything that the run's specification and its rows hold of connections. */
export interface RunBindings {
  toolSets: BrokeredToolSet[];
  workspace: WorkspaceSpec;
  destinations: ResultDestination[];
  rows: ResourceBinding[];
}

/**
 * Resolves whose authority each slot of a new run acts with, before anything of the run exists (CP-192). Candidates
 * are what the caller may see, so a run can never be bound to what its starter could not use.
 * @throws SandgateError `invalid_request` naming the slot and what to do
 */
export async function resolveBindings(tx: TenantTransaction, request: BindingRequest): Promise<RunBindings> {
  const requirements = readStored(request.requirements);
  const pins = readPins(request.pins, requirements);
  const visible = await listVisible(tx, request.starter.viewer);
  const bound: { toolSet: BrokeredToolSet; row: ResourceBinding }[] = [];
  // A stranger's code gets no MCP tools: its requirements are left out, not failed (CP-318).
  for (const requirement of request.trustTier === 'read_only' ? [] : requirements)
    bound.push(await bindRequirement(tx, request, requirement, { pin: pins.get(requirement.slot), visible }));
  const fetch = bindWorkspace(tx, request, visible);
  const published = request.destinations.map((to, index) => bindDestination(tx, request, { to, index, visible }));
  return {
    toolSets: bound.map(({ toolSet }) => toolSet),
    workspace: fetch?.workspace ?? request.workspace,
    destinations: published.map(({ destination }) => destination),
    rows: [...[...bound, ...published].map(({ row }) => row), ...(fetch === null ? [] : [fetch.row])],
  };
}

/** Revisions are written through the same reader; requirements that fail it were changed in the database. */
function readStored(stored: readonly object[]): ConnectionRequirement[] {
  try {
    return parseRequirements(stored);
  } catch (cause) {
    const reason = cause instanceof SandgateError ? cause.message : 'unreadable';
    throw new SandgateError(
      'invalid_request',
      `agent: its stored connection requirements are corrupt (${reason}); append a new revision`,
      { cause },
    );
  }
}

/** Slots of requirements are all that may be pinned: what fetches and publishes is derived (CP-189). */
function readPins(pins: JsonObject, requirements: readonly ConnectionRequirement[]): Map<string, string> {
  const slots = requirements.map(({ slot }) => slot);
  const unknown = Object.keys(pins).filter((slot) => !slots.includes(slot));
  if (unknown.length > 0) {
    const declared = slots.length === 0 ? 'declares none' : `declares ${slots.toSorted().join(', ')}`;
    const names = unknown.map((slot) => slot.slice(0, 80)).sort();
    throw invalid('bindings', `unknown slot ${names.join(', ')}; the agent ${declared}`);
  }
  return new Map(
    Object.entries(pins).map(([slot, id]) => {
      if (typeof id !== 'string' || !isUuid(id)) throw invalid(`bindings.${slot}`, 'must be the id of a connection');
      return [slot, id];
    }),
  );
}

async function bindRequirement(
  tx: TenantTransaction,
  request: BindingRequest,
  requirement: ConnectionRequirement,
  { pin, visible }: { pin: string | undefined; visible: readonly BindableConnection[] },
): Promise<{ toolSet: BrokeredToolSet; row: ResourceBinding }> {
  const { slot, connector, binding_mode: mode } = requirement;
  const connection = chooseConnection(requirement, pin, { userId: request.starter.viewer.userId, visible });
  const snapshot = await latestSnapshot(tx, connection.id);
  const bound = bindToolSet(requirement, connection, snapshot);
  const row = bindingRow(tx, request, {
    slotKind: 'mcp',
    slot,
    authority: authorityOf(connection),
    toolSet: bound,
    resourceScope: connection.resource_selection,
    bindingMode: pin === undefined ? mode : 'explicit',
  });
  const toolSet: BrokeredToolSet = {
    slot,
    url: connector.url,
    binding_id: row.id,
    snapshot_version: bound.snapshotVersion,
    tools: bound.tools,
    tools_digest: bound.digest,
    ...(snapshot === null ? {} : { protocol_version: snapshot.protocolVersion }),
  };
  return { toolSet, row };
}

/** A repository is fetched with a connection's authority or, said as plainly, with none (CP-129). */
function bindWorkspace(
  tx: TenantTransaction,
  request: BindingRequest,
  visible: readonly BindableConnection[],
): { workspace: WorkspaceSpec; row: ResourceBinding } | null {
  const { workspace } = request;
  if (workspace.kind !== 'git_repository') return null;
  const { connection_id: id, clone_url: url, ref = null, commit_sha: commit = null, base_sha: base } = workspace;
  const row = bindingRow(tx, request, {
    slotKind: 'workspace_fetch',
    slot: 'workspace',
    authority: id === undefined ? { kind: 'none' } : authorityOf(requireCodeHost(id, visible)),
    toolSet: null,
    resourceScope: { url, ref, commit, ...(base === undefined ? {} : { base }) },
    bindingMode: 'explicit',
  });
  return { workspace: { ...workspace, binding_id: row.id }, row };
}

/** A result goes out under what it is bound to now, or not at all: nothing is chosen when the run ends. */
function bindDestination(
  tx: TenantTransaction,
  request: BindingRequest,
  { to, index, visible }: { to: ResultDestination; index: number; visible: readonly BindableConnection[] },
): { destination: ResultDestination; row: ResourceBinding } {
  const slot = `publish:${index}`;
  const row = bindingRow(tx, request, {
    slotKind: 'result_publish',
    slot,
    authority:
      to.kind === 'signed_webhook'
        ? callbackAuthority(request.subscription)
        : authorityOf(requireCodeHost(to.connection_id, visible, slot)),
    toolSet: null,
    resourceScope: { ...to },
    bindingMode: 'organization',
  });
  return { destination: { ...to, binding_id: row.id }, row };
}

function callbackAuthority(subscription: BindingRequest['subscription']): BindingAuthority {
  if (subscription === null) throw new Error('a run without a subscription has no callback');
  return {
    kind: 'subscription_secret',
    subscriptionId: subscription.id,
    generation: subscription.authorityGeneration,
  };
}

/** The connection, when it can fetch and publish. @throws SandgateError `invalid_request` that begins with the field */
export function requireCodeHost(
  id: string,
  visible: readonly BindableConnection[],
  field = 'workspace.connection_id',
): BindableConnection {
  const connection = visible.find((one) => one.id === id);
  if (connection === undefined) throw invalid(field, `unknown connection ${id}`);
  const { display_name: name, status, provider } = connection;
  if (provider === 'mcp_http') throw invalid(field, `connection ${name} is no connection to a code host`);
  if (status !== 'active') throw invalid(field, `connection ${name} is ${status} — reconnect it`);
  return connection;
}

function authorityOf(connection: BindableConnection): BindingAuthority {
  return {
    kind: 'connection',
    connectionId: connection.id,
    generation: connection.authorization_generation,
    ownerType: connection.owner_type,
    ownerUserId: connection.owner_user_id,
  };
}

function bindingRow(
  tx: TenantTransaction,
  { runId, starter }: BindingRequest,
  of: Omit<ResourceBinding, 'id' | 'organizationId' | 'runId' | 'resolvedBy'>,
): ResourceBinding {
  return {
    id: newRowId(),
    organizationId: tx.organizationId,
    runId,
    resolvedBy: { kind: starter.kind, id: starter.principalId },
    ...of,
  };
}

function invalid(field: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${field}: ${reason}`);
}
