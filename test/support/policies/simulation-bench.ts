import { expect } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { SimulatePolicy, SimulationView } from '../../../src/api/simulation/simulation.dto.js';
import { ToolCallPayloads } from '../../../src/core/gate/tool-call-payloads.js';
import { startApi, type Answer, type TestApi } from '../api/api.js';
import { createGatedRun, type GatedRunOptions } from '../gate/gated-run.js';
import { keepViews, recordCalls, type RecordedInput } from '../runs/recorded-calls.js';
import type { FixtureOrganization, FixtureRun } from '../runs/run-fixture.js';

export const ALLOW_ALL = [{ match: ['*'], action: 'allow' }];

const SEALING = { SERVICE_KMS_MODE: 'static', SERVICE_KMS_STATIC_KEK: Buffer.alloc(32, 9).toString('base64') };

/** Calls of these commands. */
export function bash(...commands: string[]): RecordedInput[] {
  return commands.map((command, i) => ({ id: `call-${String(i).padStart(4, '0')}`, tool: 'Bash', input: { command } }));
}

/** Runs with recorded calls, and drafts of policies that are tried on them. */
export class SimulationBench {
  private constructor(
    readonly api: TestApi,
    readonly payloads: ToolCallPayloads,
  ) {}

  static async start(): Promise<SimulationBench> {
    const api = await startApi(SEALING);
    return new SimulationBench(api, api.app.get(ToolCallPayloads));
  }

  /** An agent with a policy of its own, so that tests do not see each other's calls. */
  async ownPolicy(name: string): Promise<FixtureOrganization & { policy: string }> {
    const [policyId, agentId, revisionId] = [uuidv7(), uuidv7(), uuidv7()];
    const { organizationId } = this.api;
    await this.api.db.withTenant(organizationId, async (tx) => {
      const named = [organizationId, name];
      await tx.query('insert into policies (id, tenant_id, name) values ($1, $2, $3)', [policyId, ...named]);
      await tx.query(
        `insert into policy_versions (id, tenant_id, policy_id, version, content, author) values ($1, $2, $3, 1, '{}', 'seed')`,
        [uuidv7(), organizationId, policyId],
      );
      const agent = [agentId, organizationId, `of-${name}`];
      await tx.query('insert into agents (id, tenant_id, name) values ($1, $2, $3)', agent);
      await tx.query(
        `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id)
         values ($1, $2, $3, 1, 'replay', 'none', $4)`,
        [revisionId, organizationId, agentId, policyId],
      );
    });
    return { organizationId, agentId, revisionId, policyId, policy: name };
  }

  async pastRun(
    organization: FixtureOrganization,
    calls: readonly RecordedInput[],
    options: GatedRunOptions = {},
  ): Promise<FixtureRun> {
    const run = await createGatedRun(this.api.db, { tools: ALLOW_ALL, ...options, in: organization });
    await recordCalls(this.api.db, run, calls);
    await keepViews(this.payloads, run, calls);
    return run;
  }

  ask(name: string, body: object): Promise<Answer> {
    return this.api.post(`/v1/policies/${name}/simulate`, body);
  }

  async simulate(name: string, body: SimulatePolicy): Promise<SimulationView> {
    const answer = await this.ask(name, body);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return JSON.parse(answer.text) as SimulationView;
  }
}
