import { admitWaiting, recountCapacity, type AdmissionLimits } from '../core/runs/capacity.js';
import { expireApprovals } from '../core/approvals/approvals.js';
import { giveUpClaims, listRunsWithExpiredClaims } from '../core/broker/claims.js';
import type { Database } from '../core/record/database.js';
import { requestFinalization } from '../core/finalization/finalization-requests.js';
import { listLostCounts, tellLostCounts } from '../core/network/lost-counts.js';
import { expireGrant, listExpiredGrants } from '../core/network/network-grants.js';
import { listHosts } from '../core/hosts/hosts.js';
import {
  listOverdueApprovals,
  listOverspentRuns,
  listUncleanedRuns,
  listUnfinishedRuns,
  sweepExpired,
  sweepLogins,
  sweepReservations,
} from '../core/maintenance/sweeps.js';
import { sweepUpstreamSessions } from '../core/broker/upstream-session-rows.js';
import { parseRunStatus } from '../domain/run/status.js';
import type { ApprovalNotices } from '../core/driver/approval-notices.js';
import type { DeliveryWorkflows } from '../core/driver/delivery-workflows.js';
import type { StoredWebhooks } from '../core/driver/stored-webhooks.js';
import type { RunDriver } from '../platform/temporal/run-driver.js';
import type { MaintenanceActivities } from './run-activities.js';

export interface MaintenanceDependencies {
  database: Database;
  driver: RunDriver;
  capacity: AdmissionLimits;
  quiesceSecs: number;
  /** Ids of runs whose workflow is open, as far as the driver's visibility knows. */
  openRuns(): Promise<ReadonlySet<string>>;
  /** Null when no webhook for pending approvals is configured. */
  notices: Pick<ApprovalNotices, 'startMissing'> | null;
  deliveries: Pick<DeliveryWorkflows, 'startMissing'>;
  webhooks: Pick<StoredWebhooks, 'startMissing'>;
  /** Ids of stored webhooks whose workflow is open, likewise. */
  openWebhooks(): Promise<ReadonlySet<string>>;
  /** What is younger, or due for less, is still being started. */
  startedWithinMs: number;
}

const PAGE = 500;
/** Lost claims that one round settles (docs/design/broker.md). */
const CLAIMS_PER_ROUND = 200;
const HOST_SEEN_WITHIN_SECS = 60;
const IDEMPOTENCY_DAYS = 30;
/** Batches of expired rows in one round: views of calls expire as fast as the calls once arrived. */
const SWEPT_BATCHES = 20;

/** What heals a deployment after losses; every step may run twice, or beside itself, without harm. */
export function createMaintenanceActivities(on: MaintenanceDependencies): MaintenanceActivities {
  return {
    startMissingRuns: async () => {
      await on.notices?.startMissing(on.startedWithinMs);
      const started = await startMissingRuns(on);
      await on.deliveries.startMissing(on.startedWithinMs);
      await on.webhooks.startMissing(await on.openWebhooks(), on.startedWithinMs);
      return started;
    },
    recountCapacity: async () => {
      await recountCapacity(on.database.pool);
      await admitWaiting(on.database, on.capacity);
    },
    expireRecords: async () => {
      for (const run of await listOverdueApprovals(on.database.pool, PAGE)) {
        await on.database.withTenant(run.organizationId, (tx) => expireApprovals(tx, run.runId));
      }
      for (const run of await listExpiredGrants(on.database.pool, PAGE)) {
        await expireGrant(on.database, run);
      }
      for (const { organizationId, runId } of await listLostCounts(on.database.pool, PAGE)) {
        await on.database.withTenant(organizationId, async (tx) => tx.append(runId, await tellLostCounts(tx, runId)));
      }
      for (const run of await listRunsWithExpiredClaims(on.database.pool, CLAIMS_PER_ROUND)) {
        await giveUpClaims(on.database, run, 'expired');
      }
      await sweepUpstreamSessions(on.database.pool, PAGE);
      await stopOverspentRuns(on);
      await sweepReservations(on.database, PAGE);
      await sweepByBatches((limit) => sweepExpired(on.database.pool, { limit, idempotencyDays: IDEMPOTENCY_DAYS }));
      await sweepByBatches((limit) => sweepLogins(on.database.pool, limit));
    },
    listHosts: async () => (await listHosts(on.database.pool, HOST_SEEN_WITHIN_SECS)).map((host) => host.id),
  };
}

/** The breach itself is on the record; no further event tells it (docs/design/budgets.md). */
async function stopOverspentRuns({ database, quiesceSecs }: MaintenanceDependencies): Promise<void> {
  for (const { organizationId, runId, cap } of await listOverspentRuns(database.pool, PAGE)) {
    const finalizationRequest = {
      outcome: 'budget_exceeded',
      reason: `${cap} budget exceeded`,
      wantsQuiesce: true,
      quiesceSecs,
    };
    await database.withTenant(organizationId, (tx) => requestFinalization(tx, runId, finalizationRequest));
  }
}

async function sweepByBatches(sweep: (limit: number) => Promise<number>): Promise<void> {
  for (let batch = 0; batch < SWEPT_BATCHES; batch += 1) if ((await sweep(PAGE)) < PAGE) return;
}

/** Starting an open workflow again changes nothing, so a stale list of open workflows only costs a call. */
async function startMissingRuns(on: MaintenanceDependencies): Promise<number> {
  const open = await on.openRuns();
  let started = 0;
  const start = async (run: { organizationId: string; runId: string }): Promise<void> => {
    if (open.has(run.runId)) return;
    await on.driver.wake(run, 'created');
    started += 1;
  };
  for (const run of await listUncleanedRuns(on.database.pool, PAGE)) await start(run);
  let page = await listUnfinishedRuns(on.database.pool, null, PAGE);
  while (page.length > 0) {
    // A status of a newer version is left to the version that wrote it.
    for (const run of page) if (parseRunStatus(run.status) !== undefined) await start(run);
    page = await listUnfinishedRuns(on.database.pool, page.at(-1)?.runId ?? null, PAGE);
  }
  return started;
}
