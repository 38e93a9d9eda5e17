import { AgentEntity } from '../../../src/core/agents/agent.entity.js';
import { createRunCreation } from '../../../src/core/creation/create-run-creation.js';
import { Metrics } from '../../../src/core/metrics/metrics.js';
import type { Database } from '../../../src/core/record/database.js';
import { ScheduleEntity } from '../../../src/core/triggers/schedule.entity.js';
import { ScheduleFirings, type ScheduleRef } from '../../../src/core/triggers/schedule-firings.js';
import { SubscriptionRuns } from '../../../src/core/triggers/subscription-runs.js';
import { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import { FiringTimes } from '../../../src/domain/triggers/cron/firing-times.js';
import type { MissedRunPolicy } from '../../../src/domain/triggers/subscription.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { newRowId } from '../../../src/platform/postgres/row-id.js';
import { insertRows } from '../../../src/platform/postgres/write-rows.js';
import { Tracing } from '../../../src/platform/telemetry/tracing.js';
import { startApi, type TestApi } from '../api/api.js';
import { createSubscription } from './subscription-fixture.js';

export interface ScheduleOptions {
  cron: string;
  timezone?: string;
  missed?: MissedRunPolicy;
  members?: Partial<SubscriptionEntity>;
}

/** One row of the history of a schedule. */
export interface Slot {
  key: string;
  sessionId: string | null;
  skipReason: string | null;
}

/** Schedules over a real record whose moments are set by the test. */
export class ScheduleBench {
  private constructor(
    readonly api: TestApi,
    private readonly agentId: string,
    public now: Date,
  ) {}

  static async start(now: string, env: Record<string, string> = {}): Promise<ScheduleBench> {
    const api = await startApi(env);
    await api.post('/v1/agents', { name: 'free', harness: 'replay', policy: 'unrestricted' });
    const agent = await api.db.withTenant(api.organizationId, (tx) =>
      tx.manager.findOneByOrFail(AgentEntity, { name: 'free' }),
    );
    return new ScheduleBench(api, agent.id, new Date(now));
  }

  close(): Promise<void> {
    return this.api.close();
  }

  at(moment: string | number): void {
    this.now = new Date(moment);
  }

  /** A schedule whose next firing is counted from now. */
  async add({ cron, timezone = 'UTC', missed = 'skip', members = {} }: ScheduleOptions): Promise<ScheduleRef> {
    const { organizationId, db } = this.api;
    const of = { organizationId, agentId: this.agentId };
    const subscription = await createSubscription(db, of, { trigger_kind: 'schedule', ...members });
    await db.withTenant(organizationId, (tx) =>
      insertRows(tx, ScheduleEntity, [
        {
          ...{ id: newRowId(), tenant_id: organizationId, subscription_id: subscription.id, cron, timezone },
          missed_run_policy: missed,
          next_fire_at: new FiringTimes(cron, timezone).next(this.now),
        },
      ]),
    );
    return { organizationId, subscriptionId: subscription.id };
  }

  /** Another process: nothing of the one before is in it. */
  process(
    database: Database = this.api.db,
    wrap = (runs: SubscriptionRuns): SubscriptionRuns => runs,
  ): ScheduleFirings {
    const { config, app } = this.api;
    const egress = new Egress(config.egress).guarded;
    const { runs } = createRunCreation(config, { egress, metrics: app.get(Metrics), tracing: Tracing.off });
    const parts = { database, runs: wrap(new SubscriptionRuns(runs, 1)) };
    return new ScheduleFirings({ ...parts, now: () => this.now });
  }

  schedule({ organizationId, subscriptionId }: ScheduleRef): Promise<ScheduleEntity> {
    return this.api.db.withTenant(organizationId, (tx) =>
      tx.manager.findOneByOrFail(ScheduleEntity, { subscription_id: subscriptionId }),
    );
  }

  change({ organizationId, subscriptionId }: ScheduleRef, members: Partial<SubscriptionEntity>): Promise<unknown> {
    return this.api.db.withTenant(organizationId, (tx) =>
      tx.manager.update(SubscriptionEntity, { id: subscriptionId }, members as object),
    );
  }

  /** The history, by slot. */
  async slots({ subscriptionId }: ScheduleRef): Promise<Slot[]> {
    const { rows } = await this.api.database.owner.query<Slot>(
      `select idempotency_key as key, session_id as "sessionId", skip_reason as "skipReason"
         from trigger_invocations where subscription_id = $1 order by idempotency_key`,
      [subscriptionId],
    );
    return rows;
  }

  /** How many runs there are of a subscription, by what they were frozen with. */
  async runs({
    subscriptionId,
  }: ScheduleRef): Promise<{ id: string; task: string; trigger: object; status: string }[]> {
    const { rows } = await this.api.database.owner.query<{ id: string; task: string; trigger: object; status: string }>(
      'select id, task, trigger, status from sessions where subscription_id = $1 order by id',
      [subscriptionId],
    );
    return rows;
  }
}
