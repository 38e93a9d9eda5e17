import { v7 as uuidv7 } from 'uuid';
import type { RunStarter } from '../../../src/core/creation/run-starter.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import type { Database, TenantTransaction } from '../../../src/core/record/database.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { mintCallbackSecret } from '../../../src/core/triggers/callback-secrets.js';
import { lockSubscription } from '../../../src/core/triggers/lock-subscription.js';
import { unattendedStarter, type SubscriptionRuns } from '../../../src/core/triggers/subscription-runs.js';
import type { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import { TriggerTokenEntity } from '../../../src/core/triggers/trigger-token.entity.js';
import type { ResultDestination } from '../../../src/domain/run/result-destination.js';
import { destinationsOf } from '../../../src/domain/triggers/destination.js';
import type { Sealer } from '../../../src/platform/seal/sealer.js';
import { createSubscription } from '../triggers/subscription-fixture.js';

/** A subscription with a callback. */
export interface CalledBack {
  id: string;
  secret: string;
  tokenId: string;
}

export async function subscribeCalledBack(
  on: { db: Database; sealer: Sealer },
  of: { organizationId: string; agentId: string },
  members: Partial<SubscriptionEntity> & { callback_url: string },
): Promise<CalledBack> {
  const id = uuidv7();
  const { organizationId } = of;
  const { secret, columns } = await mintCallbackSecret(on.sealer, { organizationId, subscriptionId: id });
  await createSubscription(on.db, of, { id, ...members, ...columns });
  const token = await on.db.withTenant(organizationId, (tx) =>
    tx.manager.findOneByOrFail(TriggerTokenEntity, { subscription_id: id }),
  );
  return { id, secret, tokenId: token.id };
}

/** A run of the subscription, created as every other one; by default its token asked for it, and its callback gets the result. */
export async function startCalledBack(
  tx: TenantTransaction,
  runs: SubscriptionRuns,
  { id, tokenId }: Pick<CalledBack, 'id' | 'tokenId'>,
  how: { starter?: RunStarter; task?: string; destinations?: ResultDestination[] },
): Promise<string> {
  const runId = uuidv7();
  const subscription = (await lockSubscription(tx, id))!;
  await runs.start(tx, {
    ...{ runId, subscription },
    starter: how.starter ?? unattendedStarter('trigger', tokenId, tx.organizationId),
    invocation: { kind: 'api', subscription_id: id, actor: `trigger:${subscription.name}` },
    task: how.task ?? '[]',
    trustTier: 'trusted',
    destinations: how.destinations ?? destinationsOf(subscription, null),
  });
  return runId;
}

/** Ends a run that nothing was started for. */
export async function endCreatedRun(
  tx: TenantTransaction,
  runId: string,
  { outcome, summary }: { outcome: string; summary: string | null },
): Promise<void> {
  await requestFinalization(tx, runId, { outcome, summary, reason: null, wantsQuiesce: false });
  await moveRun(tx, runId, 'created', 'finalizing', null);
  await concludeRun(tx, runId);
}
