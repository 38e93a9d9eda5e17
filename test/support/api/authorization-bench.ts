import { expect } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { authorizeRun, type Authorization } from '../../../src/core/launch/authorization.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { startApi, type Answer, type TestApi } from './api.js';
import type { TestUser } from './users.js';

type Approval = Schemas['ApprovalView'];

/** A run that waits for the authorization of its network, and the question about it. */
export interface ParkedRun {
  id: string;
  approval: Approval;
}

/** Runs whose network a person has to authorize, and what their workflow would do with them. */
export class AuthorizationBench {
  private constructor(readonly api: TestApi) {}

  static async start(): Promise<AuthorizationBench> {
    const bench = new AuthorizationBench(await startApi());
    await bench.agent('asking', 'a.example.com:443', '*.example.org:443');
    return bench;
  }

  /** An agent under a policy of its name that asks for every grant. */
  async agent(name: string, ...targets: string[]): Promise<void> {
    await this.publish(name, 'max_mode: approved, require_approval: true');
    const network = { mode: 'approved', targets };
    await this.api.post('/v1/agents', { name, harness: 'replay', policy: name, network });
  }

  /** The first version of a policy, or a further one. */
  async publish(name: string, network: string): Promise<void> {
    const yaml = `name: ${name}\nbudgets: {max_wall_clock_secs: 1800}\nnetwork: {${network}}\n`;
    expect((await this.api.post('/v1/policies', { name, yaml })).status).toBe(200);
  }

  async park(by?: TestUser, agent = 'asking'): Promise<ParkedRun> {
    const options = by === undefined ? {} : { token: by.token };
    const { session } = (await this.api.post('/v1/sessions', { agent, task: '[]' }, options)).body;
    expect(session.status).toBe('awaiting_authorization');
    const [approval] = (await this.api.get(`/v1/sessions/${session.id}/approvals`)).body.approvals;
    return { id: session.id, approval: approval! };
  }

  decide({ id }: Approval, decision: string, by?: TestUser): Promise<Answer> {
    return this.api.post(`/v1/approvals/${id}/decision`, { decision }, by === undefined ? {} : { token: by.token });
  }

  authorize(id: string): Promise<Authorization> {
    return this.api.db.withTenant(this.api.organizationId, (tx) => authorizeRun(tx, id));
  }

  /** What the workflow does with a run that is to end. */
  async finish(id: string): Promise<void> {
    await this.api.db.withTenant(this.api.organizationId, async (tx) => {
      await moveRun(tx, id, ['awaiting_authorization', 'queued'], 'finalizing', null);
      await concludeRun(tx, id);
    });
  }

  async statusOf(id: string): Promise<[string, string | null]> {
    const { session } = (await this.api.get(`/v1/sessions/${id}`)).body;
    return [session.status, session.status_reason];
  }

  async grantOf(id: string): Promise<string | undefined> {
    const { rows } = await this.api.database.owner.query<{ status: string }>(
      'select status from network_grants where session_id = $1',
      [id],
    );
    return rows[0]?.status;
  }

  async ledgerOf(id: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const { events } = (await this.api.get(`/v1/sessions/${id}/events`)).body;
    return events.map(({ type, payload }) => ({ type, data: payload.data }));
  }

  async revocations(id: string): Promise<unknown[]> {
    const ledger = await this.ledgerOf(id);
    return ledger.filter(({ type }) => type === 'network.grant.revoked').map(({ data }) => data);
  }
}
