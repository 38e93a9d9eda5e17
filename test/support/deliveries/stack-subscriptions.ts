import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { createRunCreation } from '../../../src/core/creation/create-run-creation.js';
import { placeOfCallbackSecret } from '../../../src/core/deliveries/callback-secret.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { Metrics } from '../../../src/core/metrics/metrics.js';
import { Database, type TenantTransaction } from '../../../src/core/record/database.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { lockSubscription } from '../../../src/core/triggers/lock-subscription.js';
import { SubscriptionRuns, unattendedStarter } from '../../../src/core/triggers/subscription-runs.js';
import type { ResultDestination } from '../../../src/domain/run/result-destination.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { Tracing } from '../../../src/platform/telemetry/tracing.js';
import type { LiveStack } from '../installation/live-stack.js';
import { createSubscription } from '../triggers/subscription-fixture.js';

/** A subscription of a live installation. */
export interface StackSubscription {
  id: string;
  secret: string;
  tokenId: string;
}

/** Subscriptions and their runs in a live installation, written to its record by the code that its API and worker have. */
export class StackSubscriptions {
  private constructor(
    private readonly database: Database,
    private readonly sealer: ReturnType<typeof createSealer>,
    private readonly runs: SubscriptionRuns,
    private readonly organizationId: string,
    private readonly agentId: string,
  ) {}

  static async of(stack: LiveStack, agent: string): Promise<StackSubscriptions> {
    const url = `postgres://sandgate@/sandgate?host=${encodeURIComponent(join(stack.dataDir, 'pg'))}`;
    const database = await Database.connect({ url, poolSize: 4, applicationName: 'sandgate-test' });
    const config = loadConfig({
      SERVICE_DATA_DIR: stack.dataDir,
      SERVICE_KMS_MODE: 'static',
      SERVICE_KMS_STATIC_KEK: readFileSync(join(stack.dataDir, 'kek'), 'utf8').trim(),
      SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    });
    const egress = new Egress(config.egress).guarded;
    const creation = createRunCreation(config, { egress, metrics: new Metrics(), tracing: Tracing.off });
    const { agents } = await stack.json<{ agents: { id: string; name: string; tenant_id: string }[] }>(
      'GET',
      '/v1/agents',
    );
    const { id, tenant_id } = agents.find(({ name }) => name === agent)!;
    return new StackSubscriptions(
      database,
      createSealer(database, config.seal),
      new SubscriptionRuns(creation.runs),
      tenant_id,
      id,
    );
  }

  async subscribe(callbackUrl: string): Promise<StackSubscription> {
    const { database, organizationId, agentId } = this;
    const secret = `svc_whsec_${randomBytes(32).toString('hex')}`;
    const { id } = await createSubscription(database, { organizationId, agentId });
    const sealed = await this.sealer.seal(placeOfCallbackSecret({ organizationId, subscriptionId: id }), secret);
    const tokenId = await this.within(async (tx) => {
      await tx.query(
        `update trigger_subscriptions set callback_url = $2, callback_secret_sealed = $3, callback_secret_key_version = $4
         where id = $1`,
        [id, callbackUrl, sealed.bytes, sealed.keyVersion],
      );
      const [token] = await tx.query<{ id: string }>('select id from api_tokens where subscription_id = $1', [id]);
      return token!.id;
    });
    return { id, secret, tokenId };
  }

  /** A run that performs the steps. */
  start(subscription: StackSubscription, urls: string[], steps: object[]): Promise<string> {
    return this.within((tx) => this.create(tx, subscription, urls, steps));
  }

  /** Runs that are over before anything was started for them, each with a delivery for every address. */
  async startEnded(subscription: StackSubscription, runs: string[][]): Promise<string[]> {
    const ids: string[] = [];
    for (const urls of runs) {
      const id = await this.within(async (tx) => {
        const runId = await this.create(tx, subscription, urls, []);
        await requestFinalization(tx, runId, {
          outcome: 'completed',
          summary: 'done',
          reason: null,
          wantsQuiesce: false,
        });
        await moveRun(tx, runId, 'created', 'finalizing', null);
        await concludeRun(tx, runId);
        return runId;
      });
      ids.push(id);
    }
    return ids;
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private within<T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.database.withTenant(this.organizationId, work);
  }

  private async create(
    tx: TenantTransaction,
    { id, tokenId }: StackSubscription,
    urls: string[],
    steps: object[],
  ): Promise<string> {
    const runId = uuidv7();
    const subscription = await lockSubscription(tx, id);
    await this.runs.start(tx, {
      runId,
      subscription: subscription!,
      starter: unattendedStarter('trigger', tokenId, this.organizationId),
      invocation: { kind: 'api', subscription_id: id, actor: `trigger:${subscription!.name}` },
      task: JSON.stringify(steps),
      trustTier: 'trusted',
      destinations: urls.map((url): ResultDestination => ({ kind: 'signed_webhook', url })),
    });
    return runId;
  }
}
