import { MockActivityEnvironment } from '@temporalio/testing';
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { createResultDeliveryActivities } from '../../../src/activities/result-delivery.activities.js';
import { DeliveryEntity } from '../../../src/core/deliveries/delivery.entity.js';
import { placeOfCallbackSecret } from '../../../src/core/deliveries/callback-secret.js';
import { ResultSender, type SenderParts } from '../../../src/core/deliveries/result-sender.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { lockSubscription } from '../../../src/core/triggers/lock-subscription.js';
import { SubscriptionRuns, unattendedStarter } from '../../../src/core/triggers/subscription-runs.js';
import type { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import type { RunStarter } from '../../../src/core/creation/run-starter.js';
import { createHeadSigner } from '../../../src/domain/ledger/signed-head.js';
import type { DeliveryWay } from '../../../src/domain/deliveries/delivery-way.js';
import { destinationsOf } from '../../../src/domain/triggers/destination.js';
import type { ResultDestination } from '../../../src/domain/run/result-destination.js';
import { publicUrl, requireSetting } from '../../../src/platform/config/index.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import type { TestApi } from '../api/api.js';
import { startConnectionsApi } from '../connections/connections-api.js';
import { createSubscription } from '../triggers/subscription-fixture.js';

/** A subscription with a callback. */
export interface CalledBack {
  id: string;
  secret: string;
  tokenId: string;
}

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

  async subscribe(callbackUrl: string, members: Partial<SubscriptionEntity> = {}): Promise<CalledBack> {
    const { db, config, organizationId } = this.api;
    const secret = `svc_whsec_${randomBytes(32).toString('hex')}`;
    const { id } = await createSubscription(db, { organizationId, agentId: this.agentId }, members);
    const place = placeOfCallbackSecret({ organizationId, subscriptionId: id });
    const sealed = await createSealer(db, config.seal).seal(place, secret);
    await this.own(
      'update trigger_subscriptions set callback_url = $2, callback_secret_sealed = $3, callback_secret_key_version = $4 where id = $1',
      [id, callbackUrl, sealed.bytes, sealed.keyVersion],
    );
    const [token] = await this.own<{ id: string }>('select id from api_tokens where subscription_id = $1', [id]);
    return { id, secret, tokenId: token!.id };
  }

  /** A run of the subscription, created as every other one; by default its token asked for it. */
  async run(
    subscription: Pick<CalledBack, 'id' | 'tokenId'>,
    how: { starter?: RunStarter; destinations?: ResultDestination[] } = {},
  ): Promise<string> {
    const { db, organizationId } = this.api;
    const runId = uuidv7();
    const starter = how.starter ?? unattendedStarter('trigger', subscription.tokenId, organizationId);
    await db.withTenant(organizationId, async (tx) => {
      const locked = await lockSubscription(tx, subscription.id);
      await this.api.app.get(SubscriptionRuns).start(tx, {
        ...{ runId, starter, subscription: locked! },
        invocation: { kind: 'api', subscription_id: subscription.id, actor: `trigger:${locked!.name}` },
        task: '[]',
        trustTier: 'trusted',
        destinations: how.destinations ?? destinationsOf(locked!, null),
      });
    });
    return runId;
  }

  async end(runId: string, outcome = 'completed', summary: string | null = 'all is well'): Promise<void> {
    await this.api.db.withTenant(this.api.organizationId, async (tx) => {
      await requestFinalization(tx, runId, { outcome, summary, reason: null, wantsQuiesce: false });
      await moveRun(tx, runId, 'created', 'finalizing', null);
      await concludeRun(tx, runId);
    });
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
    return this.api.db.withTenant(this.api.organizationId, (tx) =>
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
}
