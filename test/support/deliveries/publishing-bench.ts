import type { ExternalResultEntity } from '../../../src/core/deliveries/external-result.entity.js';
import { publishResult } from '../../../src/core/deliveries/publish-result.js';
import { Codehost } from '../../../src/core/codehost/codehost.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { unattendedStarter } from '../../../src/core/triggers/subscription-runs.js';
import type { DeliveryEntity } from '../../../src/core/deliveries/delivery.entity.js';
import type { ResultDestination } from '../../../src/domain/run/result-destination.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { CodeHost } from '../codehost/code-host.js';
import { HostedResults } from '../codehost/hosted-results.js';
import { RestApi } from '../codehost/rest-api.js';
import { connectionIn } from '../connections/connections-api.js';
import type { CalledBack } from './called-back.js';
import { DeliveryBench } from './delivery-bench.js';

const TOKEN = 'ghp_personal0123456789';

/** Where a result of a test is published. */
export type Place = { connection: string } & ({ pull: number } | { sha: string });

/** Runs whose results are published at a scripted code host, over https, on a real record. */
export class PublishingBench {
  private constructor(
    readonly bench: DeliveryBench,
    private readonly host: CodeHost,
    private readonly rest: RestApi,
    readonly results: HostedResults,
    /** Of a person's token. */
    readonly personal: string,
    /** Of an app's installation. */
    readonly app: string,
  ) {}

  static async start(): Promise<PublishingBench> {
    const host = await CodeHost.start();
    const rest = new RestApi(host.tokens);
    rest.addAccount(TOKEN, { id: 4711, login: 'octo', scopes: 'repo' });
    const app = rest.addApp(99, 'sandgate-acme', { '501': { login: 'acme', suspended: false } });
    const results = new HostedResults(rest, app.id);
    host.interfere = [results.serve, rest.serve];
    const bench: DeliveryBench = await DeliveryBench.start(
      {
        SERVICE_CODEHOST_API_URL: `${host.url()}/api`,
        SERVICE_CODEHOST_CLONE_BASE: host.url(),
        SERVICE_CODEHOST_CA: host.certificate,
      },
      { publish: (publication) => publishResult({ database: bench.api.db, codehost }, publication) },
    );
    const { config, db: database } = bench.api;
    const sealer = createSealer(database, config.seal);
    const codehost = new Codehost({ config: config.codehost, database, sealer, egress: new Egress(config.egress) });
    const connect = async (body: object): Promise<string> =>
      connectionIn(await bench.api.post('/v1/connections', body)).id;
    const personal = await connect({ provider: 'codehost', token: TOKEN });
    const ofApp = await connect({
      ...{ provider: 'codehost_app', app_id: '99', installation_id: '501' },
      ...{ private_key: app.privateKey, webhook_secret: 'whsec-canary-0123456789' },
    });
    return new PublishingBench(bench, host, rest, results, personal, ofApp);
  }

  /** @throws Error when something that was asked or answered is not as GitHub describes its API */
  async close(): Promise<void> {
    await this.bench.api.close();
    await this.host.stop();
    if (this.rest.faults.length > 0) throw new Error(this.rest.faults.join('\n'));
  }

  subscribe(name: string): Promise<CalledBack> {
    return this.bench.subscribe('https://ci.example.com/callback', { name });
  }

  /** A run that a webhook started, and that has ended. @returns its id */
  async ended(
    subscription: CalledBack,
    place: Place,
    { status = 'completed', summary = 'all is well' }: { status?: string; summary?: string | null } = {},
  ): Promise<string> {
    const starter = unattendedStarter('webhook', subscription.id, this.bench.api.organizationId);
    const runId = await this.bench.run(subscription, { starter, destinations: [destinationOf(place)] });
    await this.bench.end(runId, status, summary);
    return runId;
  }

  /** Makes the next attempt at its delivery, as often as `begun` says. @returns what is on the record of it then */
  async attempt(runId: string, begun = 1): Promise<DeliveryEntity> {
    const [before] = await this.bench.deliveries(runId);
    await this.bench.attempt(await this.bench.wayOf(runId), (before?.attempts ?? 0) + 1, { begun });
    const [after] = await this.bench.deliveries(runId);
    return after!;
  }

  /** Both. */
  async published(subscription: CalledBack, place: Place, how: { status?: string; summary?: string | null } = {}) {
    return this.attempt(await this.ended(subscription, place, how));
  }

  recorded(subscription: CalledBack): Promise<ExternalResultEntity[]> {
    return this.bench.own<ExternalResultEntity>('select * from external_results where subscription_id = $1', [
      subscription.id,
    ]);
  }

  /** As if the process had died between the host's answer and the record. */
  async forget(subscription: CalledBack): Promise<void> {
    await this.bench.own('delete from external_results where subscription_id = $1', [subscription.id]);
  }
}

function destinationOf(place: Place): ResultDestination {
  const at = { connection_id: place.connection, repository: 'acme/app' };
  return 'pull' in place
    ? { kind: 'codehost_pr_comment', ...at, pr_number: place.pull }
    : { kind: 'codehost_check', ...at, head_sha: place.sha };
}
