import { sign } from '@octokit/webhooks-methods';
import { v7 as uuidv7 } from 'uuid';
import { ConnectionSecrets } from '../../../src/core/connections/connection-secrets.js';
import { insertConnection, type NewConnection } from '../../../src/core/connections/connection-rows.js';
import { EventRuns } from '../../../src/core/ingress/event-runs.js';
import { DispatchEntity } from '../../../src/core/ingress/dispatch.entity.js';
import { createRunCreation } from '../../../src/core/creation/create-run-creation.js';
import { Metrics } from '../../../src/core/metrics/metrics.js';
import { GuardedClient } from '../../../src/platform/egress/guarded-client.js';
import { Tracing } from '../../../src/platform/telemetry/tracing.js';
import { SessionEntity } from '../../../src/core/runs/session.entity.js';
import { SubscriptionRuns } from '../../../src/core/triggers/subscription-runs.js';
import { AgentEntity } from '../../../src/core/agents/agent.entity.js';
import type { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import { DEFAULT_EVENTS } from '../../../src/domain/triggers/events/event-names.js';
import type { Answer, TestApi } from '../api/api.js';
import { CodehostBench } from '../codehost/codehost-bench.js';
import { createSubscription } from '../triggers/subscription-fixture.js';

export const WEBHOOK_SECRET = 'whsec-canary-of-the-connection';

/** A request to an address of webhooks, as a test varies it. */
export interface SentWebhook {
  event?: string;
  delivery?: string;
  secret?: string;
  /** Null sends none. */
  signature?: string | null;
  path?: string;
  headers?: Record<string, string>;
}

/** The real API with a connection that receives webhooks. */
export class IngressBench {
  /** Those who send by the thousand do without. */
  hasSocket = true;

  private constructor(
    readonly host: CodehostBench,
    readonly connectionId: string,
    readonly agentId: string,
  ) {}

  static async start(): Promise<IngressBench> {
    const host = await CodehostBench.start();
    const { api } = host;
    const agent = await api.db.withTenant(api.organizationId, (tx) =>
      tx.manager.findOneByOrFail(AgentEntity, { name: 'fixer' }),
    );
    return new IngressBench(host, await connectWithSecret(api), agent.id);
  }

  get api(): TestApi {
    return this.host.api;
  }

  get path(): string {
    return `/v1/ingress/codehost/${this.connectionId}`;
  }

  connect(more: Partial<NewConnection> = {}, secret: string | null = WEBHOOK_SECRET): Promise<string> {
    return connectWithSecret(this.api, more, secret);
  }

  /** Signed as GitHub does. */
  async send(payload: unknown, of: SentWebhook = {}): Promise<Answer> {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    return this.sendBytes(Buffer.from(text), {
      ...of,
      signature: of.signature === undefined ? await sign(of.secret ?? WEBHOOK_SECRET, text) : of.signature,
    });
  }

  sendBytes(
    body: Buffer,
    { event = 'pull_request', delivery = uuidv7(), signature = null, path, headers }: SentWebhook,
  ): Promise<Answer> {
    const all = {
      'content-type': 'application/json',
      ...(event === '' ? {} : { 'x-github-event': event }),
      ...(delivery === '' ? {} : { 'x-github-delivery': delivery }),
      ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
      ...headers,
    };
    const request = ['POST', path ?? this.path, { raw: body, token: null, headers: all }] as const;
    return this.hasSocket ? this.api.call(...request) : this.api.inject(...request);
  }

  /** An event subscription, without the API of triggers. @returns its id */
  async subscribe(more: Partial<SubscriptionEntity> = {}): Promise<string> {
    const { db, organizationId } = this.api;
    const members = {
      trigger_kind: 'event' as const,
      task_template: 'Review {{repository}}#{{pr_number}} at {{head_sha}}.',
      connection_id: this.connectionId,
      repositories: [],
      events: [...DEFAULT_EVENTS],
      publish: ['pr_comment' as const],
      ...more,
    };
    return (await createSubscription(db, { organizationId, agentId: this.agentId }, members)).id;
  }

  /** What the workflow's activity would do. `queueDepth` 0: no run finds room, since the deployment has no host. */
  eventRuns(now: () => number = Date.now, queueDepth: number | null = null): EventRuns {
    const { app, config } = this.api;
    const capacity = { ...config.capacity, tenantQueueDepth: queueDepth };
    const [egress, metrics] = [app.get(GuardedClient, { strict: false }), app.get(Metrics, { strict: false })];
    const creation = createRunCreation({ ...config, capacity }, { egress, metrics, tracing: Tracing.off });
    const runs = new SubscriptionRuns(creation.runs, 10);
    const cloneBase = this.host.host.url();
    return new EventRuns({ database: this.api.db, runs, cloneBase, now, log: { warn: () => undefined } });
  }

  /** Handles a stored webhook once. @returns how long its workflow would wait */
  handle(deliveryId: string, now?: () => number, queueDepth?: number): Promise<number | null> {
    return this.eventRuns(now, queueDepth).start({ organizationId: this.api.organizationId, deliveryId });
  }

  /** Sends a webhook and handles it. @returns the id of the delivery */
  async receive(payload: unknown, of: SentWebhook = {}): Promise<string> {
    const answer = await this.send(payload, of);
    const { delivery_id: id } = answer.body as unknown as { delivery_id?: string };
    if (id === undefined) throw new Error(`${answer.status}: ${answer.text}`);
    await this.handle(id);
    return id;
  }

  /** What came of a webhook, in the order in which it came. */
  dispatches(deliveryId: string): Promise<DispatchEntity[]> {
    return this.api.db.withTenant(this.api.organizationId, (tx) =>
      tx.manager.find(DispatchEntity, { where: { delivery_id: deliveryId }, order: { created_at: 'ASC', id: 'ASC' } }),
    );
  }

  run(id: string | null | undefined): Promise<SessionEntity> {
    return this.api.db.withTenant(this.api.organizationId, (tx) =>
      tx.manager.findOneByOrFail(SessionEntity, { id: id ?? '' }),
    );
  }

  async count(table: 'trigger_deliveries' | 'trigger_dispatches' | 'sessions' | 'driver_outbox'): Promise<number> {
    const { rows } = await this.api.database.owner.query<{ count: number }>(`select count(*)::int from ${table}`);
    return rows[0]?.count ?? 0;
  }

  /** Forgets webhooks, what came of them, and all subscriptions. */
  async clear(): Promise<void> {
    await this.api.database.owner.query(
      'delete from trigger_dispatches; delete from trigger_deliveries; delete from driver_outbox; update trigger_subscriptions set enabled = false',
    );
  }

  close(): Promise<void> {
    return this.host.close();
  }
}

async function connectWithSecret(
  api: TestApi,
  more: Partial<NewConnection> = {},
  secret: string | null = WEBHOOK_SECRET,
): Promise<string> {
  const id = uuidv7();
  const ref = { organizationId: api.organizationId, connectionId: id };
  const secrets = api.app.get(ConnectionSecrets, { strict: false });
  const connection: NewConnection = {
    id,
    provider: 'codehost',
    external_account_id: id,
    display_name: 'octo',
    status: 'active',
    auth_kind: 'static',
    owner_type: 'organization',
    owner_user_id: null,
    created_by_user_id: null,
    credential: await secrets.seal(ref, 'credential', 'ghp_personal0123456789'),
    webhookSecret: secret === null ? null : await secrets.seal(ref, 'webhook_secret', secret),
    ...more,
  };
  await api.db.withTenant(api.organizationId, (tx) => insertConnection(tx, connection));
  return id;
}
