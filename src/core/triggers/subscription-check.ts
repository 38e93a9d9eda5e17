import type { BudgetLayer } from '../../domain/budgets/effective-budgets.js';
import { refuseForbiddenAutonomy } from '../../domain/creation/freeze-spec.js';
import { SandgateError } from '../../domain/errors.js';
import type { RequestedWorkspace } from '../../domain/run/spec.js';
import { parseWorkspace } from '../../domain/run/workspace-input.js';
import { FiringTimes } from '../../domain/triggers/cron/firing-times.js';
import {
  readResources,
  requireAttached,
  requireEventTemplate,
  requireName,
  requireOneCause,
  requireRenderable,
  requireTask,
  SCHEDULE_TEMPLATE_KEYS,
  type EventResources,
  type ResourceMembers,
} from '../../domain/triggers/subscription-rules.js';
import type { ConcurrencyPolicy, MissedRunPolicy } from '../../domain/triggers/subscription.js';
import { isUuid } from '../../domain/uuid.js';
import { cloneBaseOf } from '../../platform/config/codehost.config.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import { chosenRevision, findAgent } from '../agents/agent-lookup.js';
import { canReceiveEvents } from '../connections/can-receive-events.js';
import { listVisible } from '../connections/connection-rows.js';
import { requireSealing } from '../connections/connection-secrets.js';
import { unattendedViewer, type Viewer } from '../connections/viewer.js';
import { assertFetchable, type FetchRule } from '../creation/fetchable-workspace.js';
import { requireCodeHost } from '../creation/run-bindings.js';
import { refuseCallbackUrl } from '../deliveries/callback-url.js';
import { validContentOf } from '../policies/policy-content.js';
import { readAtHead } from '../policies/policy-versions.js';
import type { TenantTransaction } from '../record/database.js';
import type { SubscriptionEntity } from './subscription.entity.js';

/** A clock as it is asked for. */
export interface WishedSchedule {
  cron: string;
  timezone: string;
  missedRunPolicy: MissedRunPolicy;
}

/** A subscription as it is asked for, or as a change would leave it. */
export interface WishedSubscription extends ResourceMembers {
  name: string;
  /** Id or name. */
  agent: string;
  pinnedRevisionId: string | null;
  taskTemplate: string | null;
  allowTaskOverride: boolean;
  allowWorkspaceOverride: boolean;
  autonomous: boolean;
  allowUnpriced: boolean;
  concurrencyPolicy: ConcurrencyPolicy;
  budgets: BudgetLayer | null;
  capabilities: string[] | null;
  schedule: WishedSchedule | null;
  connection: string | null;
  /** As a client writes it. */
  workspace: unknown;
  callbackUrl: string | null;
}

/** What was wished, in columns. */
export interface CheckedSubscription {
  columns: Omit<
    SubscriptionEntity,
    | 'id'
    | 'tenant_id'
    | 'enabled'
    | 'callback_secret_sealed'
    | 'callback_secret_key_version'
    | 'authority_generation'
    | 'created_at'
    | 'updated_at'
  >;
  clock: (WishedSchedule & { times: FiringTimes }) | null;
}

/** What subscriptions are checked against besides the record. */
export interface SubscriptionTerms extends FetchRule {
  sealer: Pick<Sealer, 'available'>;
  /** The base of links that this deployment hands out. */
  publicUrl: string;
}

/**
 * Checks a subscription in the order of docs/triggers.md; the first fault is the one that is told. It only reads.
 *
 * @throws SandgateError `invalid_request` naming the member; `forbidden` for a folder of the host and a viewer who is not the operator;
 * `unavailable` for a callback without a sealing key
 */
export async function checkSubscription(
  tx: TenantTransaction,
  wish: WishedSubscription,
  { viewer, terms, now }: { viewer: Viewer; terms: SubscriptionTerms; now: Date },
): Promise<CheckedSubscription> {
  const name = requireName(wish.name);
  const agent = await findAgent(tx, wish.agent);
  if (agent === null) throw invalid('agent', `unknown agent ${wish.agent}`);
  const { pinnedRevisionId: pinned } = wish;
  const revision = await chosenRevision(tx, agent, pinned);
  requireTask(wish.taskTemplate, wish.allowTaskOverride);
  const capabilities = requireAttached(wish.capabilities, revision.capability_bundles);
  if (wish.autonomous) refuseForbiddenAutonomy(validContentOf(await readAtHead(tx, revision.policy_id)), true);
  const times = wish.schedule === null ? null : readClock(wish.schedule, wish.taskTemplate, now);
  requireOneCause(wish, wish);
  const listens = wish.connection === null ? null : await readEvents(tx, wish.connection, wish);
  const workspace = await readWorkspace(tx, wish.workspace, { viewer, terms });
  if (listens === null && workspace === null) refuseFolderOf(revision.default_workspace, viewer);
  if (wish.callbackUrl !== null) requireCallback(wish.callbackUrl, terms);
  return {
    columns: {
      name,
      agent_id: agent.id,
      trigger_kind: kindOf(wish),
      pinned_revision_id: pinned,
      task_template: wish.taskTemplate,
      allow_task_override: wish.allowTaskOverride,
      allow_workspace_override: wish.allowWorkspaceOverride,
      autonomy: wish.autonomous ? 'autonomous' : null,
      allow_unpriced: wish.allowUnpriced,
      concurrency_policy: wish.concurrencyPolicy,
      budget_override: wish.budgets,
      workspace_override: workspace,
      callback_url: wish.callbackUrl,
      connection_id: listens?.connectionId ?? null,
      repositories: listens?.repositories ?? null,
      events: listens?.events ?? null,
      publish: listens?.publish ?? null,
      capability_bundles: capabilities,
    },
    clock: wish.schedule === null || times === null ? null : { ...wish.schedule, times },
  };
}

function kindOf({ schedule, connection }: WishedSubscription): SubscriptionEntity['trigger_kind'] {
  if (schedule !== null) return 'schedule';
  return connection === null ? 'api' : 'event';
}

function readClock({ cron, timezone }: WishedSchedule, template: string | null, now: Date): FiringTimes {
  const times = new FiringTimes(cron, timezone);
  requireRenderable(template, SCHEDULE_TEMPLATE_KEYS, 'schedule');
  if (times.next(now) === null) throw invalid('schedule.cron', 'never fires again');
  return times;
}

async function readEvents(
  tx: TenantTransaction,
  id: string,
  wish: WishedSubscription,
): Promise<EventResources & { connectionId: string }> {
  const connectionId = await requireEventSource(tx, id);
  const resources = readResources(wish);
  requireEventTemplate(wish.taskTemplate);
  return { connectionId, ...resources };
}

/** The organization's own connections alone: an event has no person whose personal connection could be used. */
async function requireEventSource(tx: TenantTransaction, id: string): Promise<string> {
  if (!isUuid(id)) throw invalid('connection', 'must be the id of a connection');
  const visible = await listVisible(tx, unattendedViewer(tx.organizationId));
  const connection = visible.find((one) => one.id === id.toLowerCase());
  if (connection === undefined) throw invalid('connection', `unknown connection ${id}`);
  const { display_name: name, status, provider } = connection;
  if (status !== 'active') throw invalid('connection', `${name} is ${status}, not active`);
  if (provider === 'mcp_http')
    throw invalid('connection', `${name} is no connection to a code host; it sends no events`);
  if (!(await canReceiveEvents(tx, connection.id)))
    throw invalid('connection', `${name} has no webhook secret, so its events could not be verified`);
  return connection.id;
}

async function readWorkspace(
  tx: TenantTransaction,
  wished: unknown,
  { viewer, terms }: { viewer: Viewer; terms: SubscriptionTerms },
): Promise<RequestedWorkspace | null> {
  if (wished === null || wished === undefined) return null;
  const workspace = parseWorkspace(wished, 'workspace', cloneBaseOf(terms.codehost));
  switch (workspace.kind) {
    case 'scratch':
      return null;
    case 'upload':
      throw invalid('workspace.kind', 'an upload is used up by one run; a trigger cannot have one');
    case 'local_copy':
      if (viewer.role === 'operator') return workspace;
      throw folderRefused();
    case 'git_repository':
      assertFetchable(workspace, terms);
      if (workspace.connection_id !== undefined)
        requireCodeHost(workspace.connection_id, await listVisible(tx, unattendedViewer(tx.organizationId)));
      return workspace;
  }
}

/** The agent's folder may be anybody's word, so no run that nobody asks for takes it: the operator names it in the trigger. */
function refuseFolderOf(fallback: RequestedWorkspace | null, viewer: Viewer): void {
  if (fallback?.kind !== 'local_copy') return;
  if (viewer.role !== 'operator') throw folderRefused();
  throw invalid(
    'workspace',
    "the agent's default is a copy of a folder of the host; name it here for the trigger to use",
  );
}

function folderRefused(): SandgateError {
  return new SandgateError(
    'forbidden',
    'workspace: a copy of a folder of the host is for the operator; use git_repository',
  );
}

function requireCallback(url: string, { egress, publicUrl, sealer }: SubscriptionTerms): void {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw invalid('callback_url', 'must be an address that begins with http:// or https://');
  const refused = refuseCallbackUrl(url, { client: egress, publicUrl });
  if (refused !== null) throw new SandgateError('invalid_request', `callback_url rejected: ${refused}`);
  requireSealing(sealer);
}

function invalid(member: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${member}: ${reason}`);
}
