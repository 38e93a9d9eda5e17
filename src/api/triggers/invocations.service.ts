import { Injectable } from '@nestjs/common';
import { digestOf } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import { notFound } from '../../domain/resource-id.js';
import { isTerminal, parseRunStatus } from '../../domain/run/status.js';
import { resultBody } from '../../domain/deliveries/result-body.js';
import { fireTimeOf } from '../../domain/triggers/firing.js';
import { flattenContext } from '../../domain/triggers/invocation-context.js';
import { KEY_PREFIXES, parseInvocationKey } from '../../domain/triggers/invocation-key.js';
import { narrowWorkspace } from '../../domain/triggers/narrow-workspace.js';
import { renderTemplate } from '../../domain/triggers/template.js';
import { readRunResult } from '../../core/deliveries/run-result.js';
import { Database, type TenantTransaction } from '../../core/record/database.js';
import { SessionEntity } from '../../core/runs/session.entity.js';
import { baseWorkspace } from '../../core/triggers/base-workspace.js';
import {
  runOfKey,
  startClaimed,
  type ClaimedOutcome,
  type InvocationClaim,
} from '../../core/triggers/claimed-start.js';
import { lockSubscription } from '../../core/triggers/lock-subscription.js';
import type { SubscriptionEntity } from '../../core/triggers/subscription.entity.js';
import {
  plainFiring,
  SubscriptionRuns,
  unattendedStarter,
  type Firing,
} from '../../core/triggers/subscription-runs.js';
import type { TriggerTokenInfo } from '../../core/triggers/trigger-tokens.js';
import { cloneBaseOf } from '../../platform/config/codehost.config.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { userIdOf, viewerOf, type Principal } from '../auth/principal.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { validated, type Unvalidated } from '../http/validated.js';
import { viewSession } from '../sessions/view-sessions.js';
import type { SessionEnvelope } from '../sessions/sessions.dto.js';
import { InvokeTrigger, MAX_TASK_CHARS, type InvokedRun, type PolledResult } from './invocations.dto.js';

/** What was sent to invoke a trigger. */
export interface InvokeCommand {
  token: TriggerTokenInfo;
  body: Unvalidated<InvokeTrigger>;
  idempotencyKey: string | undefined;
}

/** What an invocation adds to its subscription, checked. */
interface CheckedInvocation {
  task: string;
  context: Record<string, string>;
  workspace?: object;
  claim: InvocationClaim;
}

/** Starts runs of triggers on demand, and shows them to whoever started them. */
@Injectable()
export class InvocationsService {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly runs: SubscriptionRuns,
  ) {}

  /**
   * @throws SandgateError `conflict` for a disabled trigger, a key that was used otherwise, or an active run under `skip_if_running`;
   * `forbidden` for what the trigger lets nobody override; `invalid_request`; whatever refuses the run
   */
  async invoke({ token, body, idempotencyKey }: InvokeCommand): Promise<InvokedRun> {
    const outcome = await this.within(token.organizationId, async (tx) => {
      const subscription = await lockSubscription(tx, token.subscriptionId);
      if (subscription === null) throw notFound('trigger');
      requireEnabled(subscription);
      const invocation = await this.check(tx, subscription, { body, idempotencyKey });
      return this.start(tx, toFiring(subscription, token, invocation), invocation.claim);
    });
    return toInvokedRun(token.subscriptionId, requireStarted(outcome));
  }

  /** Starts a run of a trigger by hand (docs/design/triggers.md). @throws SandgateError as {@link invoke} */
  async runNow(principal: Principal, id: string): Promise<InvokedRun> {
    const outcome = await this.within(principal.organizationId, async (tx) => {
      const subscription = await lockSubscription(tx, id);
      if (subscription === null) throw notFound('trigger');
      if (subscription.trigger_kind === 'event')
        throw new SandgateError('invalid_request', 'a trigger of events runs when an event arrives, not by hand');
      requireEnabled(subscription);
      const firing = manualFiring(subscription, principal);
      return this.start(tx, firing, { key: `${KEY_PREFIXES.manual}${firing.runId}`, digest: null });
    });
    return toInvokedRun(id, requireStarted(outcome));
  }

  /** The run as the holder of the trigger's token may see it (CP-246). @throws SandgateError `not_found` for a run of anything else */
  async poll(token: TriggerTokenInfo, runId: string): Promise<PolledResult> {
    return this.database.withTenant(token.organizationId, async (tx) => {
      const own = { id: runId, subscription_id: token.subscriptionId };
      const session = await tx.manager.findOneBy(SessionEntity, own);
      const result = session === null ? null : await readRunResult(tx, runId);
      if (session === null || result === null) throw notFound('run of this trigger');
      const status = parseRunStatus(session.status);
      const event = status !== undefined && isTerminal(status) ? 'run.finished' : null;
      return { session: await viewSession(tx, session), ...resultBody(result, null), event };
    });
  }

  /** A transaction that may replace runs. */
  private within<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.runs.attempt(() => this.database.withTenant(organizationId, work));
  }

  private async check(
    tx: TenantTransaction,
    subscription: SubscriptionEntity,
    { body, idempotencyKey }: Omit<InvokeCommand, 'token'>,
  ): Promise<CheckedInvocation> {
    refuseOverrides(subscription, body);
    const { task = null } = validated(InvokeTrigger, body, 'task');
    if (task !== null) requireLength(task);
    const context = flattenContext(validated(InvokeTrigger, body, 'context').context ?? {});
    const effective = taskOf(subscription, task, context);
    const override = validated(InvokeTrigger, body, 'workspace').workspace ?? null;
    const workspace = override === null ? {} : { workspace: await this.narrow(tx, subscription, override) };
    const key = parseInvocationKey(idempotencyKey) ?? `${KEY_PREFIXES.unnamed}${newRowId()}`;
    const digest = digestOf({ task, context, workspace: override });
    return { task: effective, context, ...workspace, claim: { key, digest } };
  }

  private async narrow(tx: TenantTransaction, subscription: SubscriptionEntity, override: JsonObject): Promise<object> {
    return narrowWorkspace(await baseWorkspace(tx, subscription), override, cloneBaseOf(this.config.codehost));
  }

  private async start(tx: TenantTransaction, firing: Firing, claim: InvocationClaim): Promise<StartedRun> {
    const outcome = await startClaimed(tx, this.runs, firing, claim);
    if (outcome.outcome === 'overlap') return { outcome };
    const { id } = firing.subscription;
    const runId = outcome.outcome === 'repeated' ? await runOfKey(tx, id, claim) : firing.runId;
    const session = await tx.manager.findOneByOrFail(SessionEntity, { id: runId });
    return { outcome, session: await viewSession(tx, session) };
  }
}

interface StartedRun extends Partial<SessionEnvelope> {
  outcome: ClaimedOutcome;
}

/** The skip is on the record by now, so its refusal comes behind the commit. */
function requireStarted({ outcome, session }: StartedRun): SessionEnvelope & { replay: boolean } {
  if (outcome.outcome === 'overlap')
    throw new SandgateError('conflict', `run ${outcome.runningId} of this trigger is not over (skip_if_running)`);
  if (session === undefined) throw new Error('a run was started and not read');
  return { session, replay: outcome.outcome === 'repeated' };
}

function toInvokedRun(triggerId: string, { session, replay }: SessionEnvelope & { replay: boolean }): InvokedRun {
  return { session, replay, poll_url: `/v1/triggers/${triggerId}/runs/${session.id}` };
}

function requireEnabled(subscription: SubscriptionEntity): void {
  if (!subscription.enabled) throw new SandgateError('conflict', 'the trigger is disabled; enable it first');
}

/** Null counts as not given. */
function refuseOverrides(subscription: SubscriptionEntity, body: Unvalidated<InvokeTrigger>): void {
  for (const member of ['task', 'workspace'] as const) {
    if (body[member] == null || subscription[`allow_${member}_override`]) continue;
    throw new SandgateError('forbidden', `${member}: this trigger takes none (allow_${member}_override)`);
  }
}

function requireLength(task: string): void {
  // A text has at most as many characters as code units.
  if (task.length > MAX_TASK_CHARS && [...task].length > MAX_TASK_CHARS)
    throw new SandgateError('invalid_request', `task: at most ${MAX_TASK_CHARS} characters`);
}

function taskOf(subscription: SubscriptionEntity, task: string | null, context: Record<string, string>): string {
  const own = task?.trim() ?? '';
  if (own !== '') return own;
  if (subscription.task_template !== null) return renderTemplate(subscription.task_template, context);
  throw new SandgateError('invalid_request', 'task: the trigger has no task of its own, so an invocation brings one');
}

function toFiring(
  subscription: SubscriptionEntity,
  token: TriggerTokenInfo,
  { task, context, workspace, claim }: CheckedInvocation,
): Firing {
  const key = claim.key.startsWith(KEY_PREFIXES.unnamed) ? {} : { idempotency_key: claim.key };
  return plainFiring(subscription, {
    at: new Date(),
    starter: unattendedStarter('trigger', token.tokenId, token.organizationId),
    invocation: { kind: 'api', actor: `trigger:${subscription.name}`, attributes: { context, ...key } },
    task,
    ...(workspace === undefined ? {} : { workspace }),
  });
}

function manualFiring(subscription: SubscriptionEntity, principal: Principal): Firing {
  const at = new Date();
  const fireTime = fireTimeOf(at);
  if (subscription.task_template === null)
    throw new SandgateError('invalid_request', 'the trigger has no task_template, so it cannot be run by hand');
  return plainFiring(subscription, {
    at,
    starter: { kind: principal.kind, principalId: userIdOf(principal), viewer: viewerOf(principal) },
    invocation: {
      kind: 'manual',
      actor: principal.kind === 'user' ? `user:${principal.userId}` : principal.name,
      attributes: { run_now: true, fire_time: fireTime },
    },
    task: renderTemplate(subscription.task_template, { fire_time: fireTime }),
  });
}
