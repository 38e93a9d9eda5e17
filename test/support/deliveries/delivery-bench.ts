import { MockActivityEnvironment } from '@temporalio/testing';
import { createResultDeliveryActivities } from '../../../src/activities/result-delivery.activities.js';
import { DeliveryEntity } from '../../../src/core/deliveries/delivery.entity.js';
import { ResultSender, type SenderParts } from '../../../src/core/deliveries/result-sender.js';
import type { TenantTransaction } from '../../../src/core/record/database.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { SubscriptionRuns } from '../../../src/core/triggers/subscription-runs.js';
import type { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import type { RunStarter } from '../../../src/core/creation/run-starter.js';
import { createHeadSigner } from '../../../src/domain/ledger/signed-head.js';
import type { DeliveryWay } from '../../../src/domain/deliveries/delivery-way.js';
import type { ResultDestination } from '../../../src/domain/run/result-destination.js';
import { publicUrl, requireSetting } from '../../../src/platform/config/index.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import type { TestApi } from '../api/api.js';
import { startConnectionsApi } from '../connections/connections-api.js';
import { endCreatedRun, startCalledBack, subscribeCalledBack, type CalledBack } from './called-back.js';

/** Runs of subscriptions that end, and attempts to deliver their results, without a driver: a test says when one is made. */
export class DeliveryBench {
  private readonly activities: ReturnType<typeof createResultDeliveryActivities>;
  readonly warnings: Record<string, unknown>[] = [];

  private constructor(
    readonly api: TestApi,
    private readonly agentId: string,
    parts: SenderParts,
    waitsMs: readonly number[],
  ) {
    this.activities = createResultDeliveryActivities({
      database: api.db,
      sender: new ResultSender(parts),
      signer: createHeadSigner(requireSetting(api.config.seal.ledgerKey, 'SERVICE_LEDGER_KEY')),
      waitsMs,
      log: { warn: (fields) => void this.warnings.push(fields) },
    });
  }

  static async start(
    env: Record<string, string> = {},
    replaced: Partial<Pick<SenderParts, 'publish' | 'publicUrl' | 'client'>> = {},
  ): Promise<DeliveryBench> {
    const api = await startConnectionsApi({ SERVICE_DELIVERY_TIMEOUT_MS: '2000', ...env });
    const { config, db: database } = api;
    const agent = (await api.get('/v1/agents')).body.agents[0]!;
    const parts: SenderParts = {
      database,
      sealer: createSealer(database, config.seal),
      client: new Egress(config.egress).guarded,
      publicUrl: publicUrl(config.http),
      timeoutMs: config.deliveries.timeoutMs,
      publish: () => Promise.reject(new Error('nothing is published in this test')),
      ...replaced,
    };
    return new DeliveryBench(api, agent.id, parts, config.deliveries.waitsMs);
  }

  subscribe(callbackUrl: string, members: Partial<SubscriptionEntity> = {}): Promise<CalledBack> {
    const { db, config, organizationId } = this.api;
    const on = { db, sealer: createSealer(db, config.seal) };
    return subscribeCalledBack(
      on,
      { organizationId, agentId: this.agentId },
      { ...members, callback_url: callbackUrl },
    );
  }

  run(
    subscription: Pick<CalledBack, 'id' | 'tokenId'>,
    how: { starter?: RunStarter; destinations?: ResultDestination[] } = {},
  ): Promise<string> {
    const runs = this.api.app.get(SubscriptionRuns);
    return this.within((tx) => startCalledBack(tx, runs, subscription, how));
  }

  end(runId: string, outcome = 'completed', summary: string | null = 'all is well'): Promise<void> {
    return this.within((tx) => endCreatedRun(tx, runId, { outcome, summary }));
  }

  /** A run of the subscription that has ended, and its one delivery. */
  async ended(
    subscription: CalledBack,
    ...how: Parameters<DeliveryBench['run']> extends [unknown, ...infer R] ? R : never
  ): Promise<DeliveryWay> {
    const runId = await this.run(subscription, ...how);
    await this.end(runId);
    return this.wayOf(runId);
  }

  async wayOf(runId: string): Promise<DeliveryWay> {
    const [delivery] = await this.deliveries(runId);
    return { organizationId: this.api.organizationId, runId, deliveryId: delivery!.id, resends: delivery!.resends };
  }

  deliveries(runId: string): Promise<DeliveryEntity[]> {
    return this.within((tx) =>
      tx.manager.find(DeliveryEntity, { where: { session_id: runId }, order: { destination_index: 'ASC' } }),
    );
  }

  /** Makes an attempt as the workflow would have it made. `begun`: for so many times, all others having been lost. */
  attempt(
    way: DeliveryWay,
    attempt = 1,
    { random = 0.5, begun = 1 } = {},
  ): Promise<{ attempt: number; waitMs: number | null }> {
    const environment = new MockActivityEnvironment({ attempt: begun, heartbeatTimeoutMs: 10_000 });
    return environment.run(() => this.activities.attemptDelivery(way, attempt, random));
  }

  /** As the owner, whom nothing stops. */
  async own<R extends object = object>(sql: string, values: unknown[] = []): Promise<R[]> {
    return (await this.api.database.owner.query<R>(sql, values)).rows;
  }

  async callbackEvents(runId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const { events } = (await this.api.get(`/v1/sessions/${runId}/events?limit=1000`)).body;
    return events
      .filter(({ type }) => type.startsWith('callback.'))
      .map(({ payload: { type, data } }) => ({ type, data }));
  }

  private within<T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.api.db.withTenant(this.api.organizationId, work);
  }
}
