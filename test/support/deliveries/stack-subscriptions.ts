import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRunCreation } from '../../../src/core/creation/create-run-creation.js';
import { Metrics } from '../../../src/core/metrics/metrics.js';
import { Database, type TenantTransaction } from '../../../src/core/record/database.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { SubscriptionRuns } from '../../../src/core/triggers/subscription-runs.js';
import type { ResultDestination } from '../../../src/domain/run/result-destination.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { Tracing } from '../../../src/platform/telemetry/tracing.js';
import type { LiveStack } from '../installation/live-stack.js';
import { endCreatedRun, startCalledBack, subscribeCalledBack, type CalledBack } from './called-back.js';

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

  subscribe(callbackUrl: string): Promise<CalledBack> {
    const { database: db, sealer, organizationId, agentId } = this;
    return subscribeCalledBack({ db, sealer }, { organizationId, agentId }, { callback_url: callbackUrl });
  }

  /** A run that performs the steps. */
  start(subscription: CalledBack, urls: string[], steps: object[]): Promise<string> {
    return this.within((tx) => this.create(tx, subscription, urls, steps));
  }

  /** Runs that are over before anything was started for them, each with a delivery for every address. */
  async startEnded(subscription: CalledBack, runs: string[][]): Promise<string[]> {
    const ids: string[] = [];
    for (const urls of runs) {
      const id = await this.within(async (tx) => {
        const runId = await this.create(tx, subscription, urls, []);
        await endCreatedRun(tx, runId, { outcome: 'completed', summary: 'done' });
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

  private create(tx: TenantTransaction, subscription: CalledBack, urls: string[], steps: object[]): Promise<string> {
    const destinations = urls.map((url): ResultDestination => ({ kind: 'signed_webhook', url }));
    return startCalledBack(tx, this.runs, subscription, { task: JSON.stringify(steps), destinations });
  }
}
