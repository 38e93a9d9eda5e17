import type { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import { startApi, type Answer, type AnswerBody, type TestApi } from '../api/api.js';
import { createSubscription, type FixtureSubscription } from './subscription-fixture.js';

/** What a route of invocations answers. */
export interface InvokedBody extends AnswerBody {
  replay: boolean;
  poll_url: string;
}

export interface HistoryRow {
  idempotency_key: string;
  session_id: string | null;
  skip_reason: string | null;
}

/** An API with an agent, `bee`, and subscriptions of it as they are stored. */
export class TriggersBench {
  private constructor(
    readonly api: TestApi,
    readonly agentId: string,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<TriggersBench> {
    const api = await startApi(env);
    const { body } = await api.post('/v1/agents', { name: 'bee', harness: 'replay', policy: 'standard' });
    return new TriggersBench(api, body.agent.id);
  }

  subscribe(members: Partial<SubscriptionEntity> = {}): Promise<FixtureSubscription> {
    const { db, organizationId } = this.api;
    return createSubscription(db, { organizationId, agentId: this.agentId }, members);
  }

  async invoke(of: FixtureSubscription, body?: unknown, key?: string): Promise<Answer & { body: InvokedBody }> {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const options = { token: of.token, headers };
    return (await this.api.post(`/v1/triggers/${of.id}/invoke`, body, options)) as Answer & { body: InvokedBody };
  }

  async change(of: FixtureSubscription, members: object): Promise<void> {
    const [column, value] = Object.entries(members)[0] ?? [];
    await this.api.database.owner.query(`update trigger_subscriptions set ${column} = $1 where id = $2`, [
      value,
      of.id,
    ]);
  }

  /** Oldest first. */
  async history(of: FixtureSubscription): Promise<HistoryRow[]> {
    const { rows } = await this.api.database.owner.query<HistoryRow>(
      `select idempotency_key, session_id, skip_reason from trigger_invocations
         where subscription_id = $1 order by created_at, id`,
      [of.id],
    );
    return rows;
  }

  async revisionOf(agent: string): Promise<string> {
    const [revision] = (await this.api.get(`/v1/agents/${agent}`)).body.revisions;
    if (revision === undefined) throw new Error(`agent ${agent} has no revision`);
    return revision.id;
  }
}
