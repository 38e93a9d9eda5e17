import type { SandgateError } from '../../domain/errors.js';
import type { Invocation, RunSpec } from '../../domain/run/spec.js';
import type { ResultDestination } from '../../domain/run/result-destination.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import type { Viewer } from '../connections/viewer.js';
import type { RunCreation } from '../creation/run-creation.js';
import type { RunStarter } from '../creation/run-starter.js';
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

/** Starts the runs of subscriptions, by their concurrency policies, whatever the occasion (docs/design/triggers.md). */
export class SubscriptionRuns {
  constructor(private readonly runs: Pick<RunCreation, 'create'>) {}

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

/** What starts runs without a person: it sees what belongs to the organization, and nobody's own connections. */
export function unattendedStarter(
  kind: 'trigger' | 'schedule' | 'webhook',
  principalId: string,
  organizationId: string,
): RunStarter {
  const viewer: Viewer = { organizationId, userId: null, role: 'member' };
  return { kind, principalId, viewer };
}

/** What the history says of a firing that failed. */
export function skipReasonOf(error: SandgateError): string {
  if (error.message.startsWith(SKIP_REASONS.unpersisted)) return SKIP_REASONS.unpersisted;
  return `error: ${error.code === 'queue_full' ? 'run queue full' : error.message}`;
}
