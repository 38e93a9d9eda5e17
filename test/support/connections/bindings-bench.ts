import { expect } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import type { RunSpec } from '../../../src/domain/run/spec.js';
import { ADMIN_TOKEN, startApi, type Answer, type TestApi } from '../api/api.js';
import type { TestUser } from '../api/users.js';
import { connected, CRM_URL, type ConnectedOptions } from './connected.js';

/** Where workspaces of runs may be copied from. */
export const ROOT = '/srv/code';

/** A slot of an agent that asks for two tools of a CRM. */
export const requirement = (change: JsonObject = {}): JsonObject => ({
  slot: 'crm',
  connector: { url: CRM_URL, slug: 'acme-crm' },
  required_tools: ['update', 'find'],
  binding_mode: 'organization',
  ...change,
});

export const specOf = (answer: Answer): RunSpec => answer.body.session.run_spec as unknown as RunSpec;

/** Agents that need connections, and runs of them. */
export class BindingsBench {
  private agents = 0;

  private constructor(
    readonly api: TestApi,
    readonly ada: TestUser,
    readonly bob: TestUser,
  ) {}

  static async start(): Promise<BindingsBench> {
    const api = await startApi({ SERVICE_LOCAL_COPY_ROOTS: ROOT });
    return new BindingsBench(api, await api.addUser('member'), await api.addUser('admin'));
  }

  connect(options: ConnectedOptions = {}): Promise<string> {
    return connected(this.api.db, this.api.organizationId, options);
  }

  /** What one test connects is gone for the next one. */
  async revokeAll(): Promise<void> {
    await this.api.database.owner.query(`update integration_connections set status = 'revoked'`);
  }

  async agent(...requirements: JsonObject[]): Promise<string> {
    const name = `needs-${(this.agents += 1)}`;
    const body = { name, harness: 'replay', connection_requirements: requirements };
    expect((await this.api.post('/v1/agents', body)).status).toBe(200);
    return name;
  }

  start(name: string, body: JsonObject = {}, user?: TestUser): Promise<Answer> {
    const whole = { agent: name, task: '[{"say":"x"}]', ...body };
    return this.api.post('/v1/sessions', whole, { token: user?.token ?? ADMIN_TOKEN });
  }

  /** Why a run does not start; nothing of it is left. */
  async refusal(name: string, body: JsonObject = {}, user?: TestUser): Promise<string> {
    const runs = await this.count();
    const answer = await this.start(name, body, user);
    expect([answer.status, await this.count()]).toEqual([400, runs]);
    return answer.body.error;
  }

  async rowsOf(answer: Answer): Promise<JsonObject[]> {
    const { rows } = await this.api.database.owner.query<JsonObject>(
      'select * from run_resource_bindings where session_id = $1 order by slot_kind, requirement_slot',
      [answer.body.session.id],
    );
    return rows;
  }

  private async count(): Promise<number> {
    const { rows } = await this.api.database.owner.query<{ n: number }>('select count(*)::int as n from sessions');
    return rows[0]?.n ?? 0;
  }
}
