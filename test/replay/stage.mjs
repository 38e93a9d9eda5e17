import { setTimeout as delay } from 'node:timers/promises';

const PATH_WITHIN_MS = 60_000;
const TERMINAL = ['completed', 'failed', 'cancelled', 'budget_exceeded'];

/** What the paths are played with: the public API, the database's owner and the driver's client. */
export class Stage {
  /** `files` is a folder that runs may copy from. */
  constructor(installation, client, database, files) {
    this.installation = installation;
    this.client = client;
    this.database = database;
    this.files = files;
  }

  async prepare() {
    await this.call('POST', '/v1/agents', { name: 'actor', harness: 'replay', policy: 'standard' });
    await this.call('POST', '/v1/agents', { name: 'free', harness: 'replay', policy: 'unrestricted' });
    await this.call('POST', '/v1/agents', {
      name: 'brief',
      harness: 'replay',
      policy: 'unrestricted',
      budgets: { max_wall_clock_secs: 3 },
    });
    await this.call('POST', '/v1/agents', {
      name: 'frugal',
      harness: 'replay',
      policy: 'unrestricted',
      budgets: { max_tool_calls: 1 },
    });
    const network = { mode: 'approved', targets: ['registry.example.com:443'] };
    await this.call('POST', '/v1/agents', { name: 'networked', harness: 'replay', policy: 'standard', network });
    await this.addImpatientPolicy();
    await this.call('POST', '/v1/agents', { name: 'impatient', harness: 'replay', policy: 'impatient' });
  }

  /** The rules of `standard` with approvals that expire after two seconds. */
  async addImpatientPolicy() {
    await this.database.query(`
      with made as (insert into policies (id, tenant_id, name) select gen_random_uuid(), tenant_id, 'impatient' from policies
                     where name = 'standard' returning id, tenant_id)
      insert into policy_versions (id, tenant_id, policy_id, version, content, author)
      select gen_random_uuid(), made.tenant_id, made.id, 1,
             jsonb_set(v.content, '{approvals,default_ttl_secs}', '2') || '{"name":"impatient"}', 'import'
        from made, policy_versions v join policies p on p.id = v.policy_id where p.name = 'standard' and v.version = 1`);
  }

  async call(method, path, body) {
    const response = await fetch(`${this.installation.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.installation.adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }

  async start(agent, steps, more = {}) {
    return (await this.call('POST', '/v1/sessions', { agent, task: JSON.stringify(steps), ...more })).session.id;
  }

  cancel(id) {
    return this.call('POST', `/v1/sessions/${id}/cancel`, {});
  }

  until(id, ...statuses) {
    return this.wait(`run ${id} to be ${statuses.join(' or ')}`, async () => {
      const { session } = await this.call('GET', `/v1/sessions/${id}`);
      if (statuses.includes(session.status)) return session;
      if (TERMINAL.includes(session.status))
        throw new Error(`run ${id} is ${session.status}: ${session.status_reason}`);
      return undefined;
    });
  }

  approval(id) {
    return this.wait(`an approval of ${id}`, async () => {
      const { approvals } = await this.call('GET', `/v1/sessions/${id}/approvals`);
      return approvals.find((approval) => approval.status === 'pending');
    });
  }

  decide(approval, decision) {
    return this.call('POST', `/v1/approvals/${approval.id}/decision`, { decision });
  }

  /** The first execution of the run's workflow, once it is closed. */
  closed(id) {
    return this.closedWorkflow(`run-${id}`);
  }

  /** The first execution of a workflow that may not have begun yet, once it is closed. */
  async closedWorkflow(workflowId) {
    const handle = this.client.workflow.getHandle(workflowId);
    await this.wait(`${workflowId} to close`, async () => {
      try {
        return (await handle.describe()).closeTime;
      } catch (error) {
        if (error.name !== 'WorkflowNotFoundError') throw error;
        return undefined;
      }
    });
    return { workflowId, runId: undefined };
  }

  async wait(what, look) {
    const deadline = Date.now() + PATH_WITHIN_MS;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      if (Date.now() > deadline) throw new Error(`waited ${PATH_WITHIN_MS / 1000} s for ${what}`);
      await delay(20);
    }
  }
}
