import { setTimeout as delay } from 'node:timers/promises';
import { SandgateError } from '../../domain/errors.js';
import type { Invocation, RunSpec } from '../../domain/run/spec.js';
import type { ResultDestination } from '../../domain/run/result-destination.js';
import { destinationsOf } from '../../domain/triggers/destination.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { unattendedViewer } from '../connections/viewer.js';
import type { RunCreation } from '../creation/run-creation.js';
import type { RunStarter } from '../creation/run-starter.js';
import { isSuspension } from '../organizations/require-active.js';
import type { TenantTransaction } from '../record/database.js';
import { cancelActiveRuns, listActiveRuns } from './cancel-active-runs.js';
import type { SubscriptionEntity } from './subscription.entity.js';

/** One start of a subscription. */
export interface Firing {
  /** Behind its lock, as `lockSubscription` answered it in the same transaction. */
  subscription: SubscriptionEntity;
  runId: string;
  starter: RunStarter;
  invocation: Invocation;
  task: string;
  /** In place of the subscription's own one. */
  workspace?: unknown;
  trustTier: RunSpec['trust_tier'];
  destinations: ResultDestination[];
}

/** `overlap`: another run is not over, and the policy is to skip. */
export type FiringOutcome = { outcome: 'created' } | { outcome: 'overlap'; runningId: string };

const REPLACE_ATTEMPTS = 3;
const REPLACE_PAUSE_MS = 2000;

/** Starts the runs of subscriptions, by their concurrency policies, whatever the occasion (docs/design/triggers.md). */
export class SubscriptionRuns {
  /** @param replacePauseMs between two attempts to have the runs of a `replace` asked to stop */
  constructor(
    private readonly runs: Pick<RunCreation, 'create'>,
    private readonly replacePauseMs = REPLACE_PAUSE_MS,
  ) {}

  /** Does the work of a transaction that may replace runs: again, up to three times, where they could not be asked to stop. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (cause) {
        if (!isUnpersisted(cause) || attempt === REPLACE_ATTEMPTS) throw cause;
        await delay(this.replacePauseMs);
      }
    }
  }

  /** @throws SandgateError as {@link RunCreation.create}; the transaction must not commit then, or only up to a savepoint before */
  async start(tx: TenantTransaction, firing: Firing): Promise<FiringOutcome> {
    const { subscription } = firing;
    if (subscription.concurrency_policy !== 'allow') {
      const active = await listActiveRuns(tx, subscription.id);
      const [running] = active;
      if (running !== undefined && subscription.concurrency_policy === 'skip_if_running')
        return { outcome: 'overlap', runningId: running.id };
      await cancelActiveRuns(tx, active);
    }
    await this.runs.create(tx, {
      runId: firing.runId,
      starter: firing.starter,
      invocation: firing.invocation,
      trustTier: firing.trustTier,
      agent: subscription.agent_id,
      task: firing.task,
      workspace: firing.workspace ?? subscription.workspace_override,
      budgets: subscription.budget_override,
      autonomous: subscription.autonomy === 'autonomous',
      allowUnpriced: subscription.allow_unpriced,
      capabilities: subscription.capability_bundles,
      bindings: {},
      network: null,
      labels: {},
      subscription: {
        id: subscription.id,
        authorityGeneration: subscription.authority_generation,
        pinnedRevisionId: subscription.pinned_revision_id,
      },
      destinations: firing.destinations,
    });
    return { outcome: 'created' };
  }
}

/** A start that no event is behind: nobody's code is a stranger's, and the result goes to the callback alone. */
export function plainFiring(
  subscription: SubscriptionEntity,
  { at, invocation, ...of }: Pick<Firing, 'starter' | 'task' | 'workspace'> & { at: Date; invocation: Invocation },
): Firing {
  return {
    subscription,
    runId: newRowId(),
    trustTier: 'trusted',
    destinations: destinationsOf(subscription, null),
    invocation: { ...invocation, subscription_id: subscription.id, received_at: at.toISOString() },
    ...of,
  };
}

/** What starts runs without a person. */
export function unattendedStarter(
  kind: 'trigger' | 'schedule' | 'webhook',
  principalId: string,
  organizationId: string,
): RunStarter {
  return { kind, principalId, viewer: unattendedViewer(organizationId) };
}

/** Whether runs that were to be replaced could not be asked to stop. */
export function isUnpersisted(cause: unknown): boolean {
  return cause instanceof SandgateError && cause.message.startsWith(SKIP_REASONS.unpersisted);
}

/** Whether a start that failed was passed over, and nothing is wrong with it. */
export function isSkip(cause: unknown): boolean {
  return isUnpersisted(cause) || isSuspension(cause);
}

/** What the history says of a firing that failed. */
export function skipReasonOf(error: SandgateError): string {
  if (isUnpersisted(error)) return SKIP_REASONS.unpersisted;
  if (isSuspension(error)) return SKIP_REASONS.suspended;
  return `error: ${error.code === 'queue_full' ? 'run queue full' : error.message}`;
}
