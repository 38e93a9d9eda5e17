import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { sandboxOf } from '../../../src/activities/run-setup.js';
import type { SubscriptionEntity } from '../../../src/core/triggers/subscription.entity.js';
import type { RunSpec } from '../../../src/domain/run/spec.js';
import { server } from '../../support/api/bundles-bench.js';
import { requirement } from '../../support/connections/bindings-bench.js';
import { connected } from '../../support/connections/connected.js';
import { IngressBench } from '../../support/webhooks/ingress-bench.js';
import { giteaPullRequest, githubPullRequest } from '../../support/webhooks/payloads.js';

let bench: IngressBench;
/** Every agent that wants more than a fork may have, by what it wants. */
const agents = new Map<string, string>();

beforeAll(async () => {
  bench = await IngressBench.start();
  const { api } = bench;
  await connected(api.db, api.organizationId, {});
  await api.post('/v1/capabilities', { name: 'kb', servers: [server('kb')] });
  const wishes = {
    nothing: {},
    network: { network: { mode: 'approved', targets: ['example.com:443'] } },
    'commands before it starts': { setup: { commands: ['npm ci'] } },
    'a bundle': { capability_bundles: ['kb'] },
    'a connection': { connection_requirements: [requirement()] },
    'a workspace of its own': {
      default_workspace: { kind: 'git_repository', repository: 'acme/shop', checkout_mode: 'writable_copy' },
    },
    everything: {
      network: { mode: 'approved', targets: ['example.com:443'] },
      setup: { commands: ['npm ci'] },
      capability_bundles: ['kb'],
    },
  };
  for (const [name, wish] of Object.entries(wishes)) {
    const answer = await api.post('/v1/agents', {
      name: `fork-${agents.size}`,
      harness: 'replay',
      policy: 'unrestricted',
      ...wish,
    });
    if (answer.status !== 200) throw new Error(`${name}: ${answer.text}`);
    agents.set(name, answer.body.agent.id);
  }
});
afterAll(() => bench?.close());
beforeEach(() => bench.clear());

/** What a trigger could be set to. */
const TRIGGERS: Readonly<Record<string, Partial<SubscriptionEntity>>> = {
  'as it is by default': {},
  autonomous: { autonomy: 'autonomous' },
  'with a writable workspace': {
    workspace_override: {
      kind: 'git_repository',
      repository: 'acme/shop',
      clone_url: 'https://code.test/acme/shop',
      checkout_mode: 'writable_copy',
    },
  },
  'with an empty workspace': { workspace_override: { kind: 'scratch' } },
  'whose callers may override': { allow_task_override: true, allow_workspace_override: true },
  'that keeps all bundles': { capability_bundles: ['kb'] },
  'that says in its task that it is no fork': { task_template: 'fork: {{fork}}. {{pr_title}}' },
};

async function runOf(
  agent: string,
  trigger: Partial<SubscriptionEntity>,
  payload: unknown,
): Promise<{ spec: RunSpec; bindings: object[]; tier: string }> {
  const agentId = agents.get(agent) ?? '';
  // Only an agent with bundles has some to keep.
  const bundles = agent === 'a bundle' || agent === 'everything' ? trigger.capability_bundles : null;
  const id = await bench.subscribe({ agent_id: agentId, ...trigger, capability_bundles: bundles ?? null });
  const dispatch = (await bench.dispatches(await bench.receive(payload))).find((one) => one.subscription_id === id);
  if (dispatch?.status !== 'created') throw new Error(dispatch?.skip_reason ?? 'nothing was dispatched');
  const run = await bench.run(dispatch.session_id);
  const { rows } = await bench.api.database.owner.query<object>(
    'select slot_kind, authority_kind, connection_id, resource_scope from run_resource_bindings where session_id = $1 order by slot_kind desc, requirement_slot',
    [run.id],
  );
  return { spec: run.run_spec as RunSpec, bindings: rows, tier: run.trust_tier };
}

const OFFLINE = { schema_version: 1, mode: 'offline' };
const fork = () => githubPullRequest({ fork: true, title: `${uuidv7()} "fork":false` });

describe("proof 27: the run of a fork's pull request", () => {
  const cases = ['nothing', 'network', 'commands before it starts', 'a bundle', 'a connection', 'a workspace of its own', 'everything']
    .flatMap((agent) => Object.keys(TRIGGERS).map((trigger) => [agent, trigger] as const)); // prettier-ignore

  it.each(cases)('CP-318 may read and nothing else: an agent that wants %s, a trigger %s', async (agent, trigger) => {
    const { spec, bindings, tier } = await runOf(agent, TRIGGERS[trigger] ?? {}, fork());
    expect([tier, spec.trust_tier]).toEqual(['read_only', 'read_only']);
    expect(spec.workspace).toMatchObject({
      kind: 'git_repository',
      checkout_mode: 'read_only',
      repository: 'acme/shop',
      clone_url: `${bench.host.host.url()}/acme/shop`,
      commit_sha: expect.any(String),
    });
    expect(spec).not.toHaveProperty('capabilities');
    expect(spec).not.toHaveProperty('brokered');
    expect(spec.network).toEqual(OFFLINE);
    expect(sandboxOf('run', spec)).toMatchObject({ workspaceReadOnly: true, keepsHome: false });
    expect(spec.invocation.attributes).toMatchObject({ fork: true });
    // It is fetched, and its result still goes out; there is nothing else that it could act with.
    expect(bindings).toEqual([
      {
        slot_kind: 'workspace_fetch',
        authority_kind: 'connection',
        connection_id: bench.connectionId,
        resource_scope: expect.objectContaining({ commit: expect.any(String), base: expect.any(String) }),
      },
      {
        slot_kind: 'result_publish',
        authority_kind: 'connection',
        connection_id: bench.connectionId,
        resource_scope: expect.objectContaining({ kind: 'codehost_pr_comment' }),
      },
    ]);
  });

  it.each([
    ['Gitea, of another repository', () => giteaPullRequest({ fork: true, title: uuidv7() })],
    ['Gitea, pushed to refs/for', () => giteaPullRequest({ agit: true, title: uuidv7() })],
  ])('of %s is read-only as well', async (_, payload) => {
    const { spec, tier } = await runOf('everything', {}, payload());
    expect([tier, spec.network]).toEqual(['read_only', OFFLINE]);
  });

  it("of the repository itself has what its agent wants, so the rules above are the fork's", async () => {
    const { spec, tier, bindings } = await runOf('everything', {}, githubPullRequest({ title: uuidv7() }));
    expect([tier, spec.trust_tier, spec.network.mode]).toEqual(['trusted', 'trusted', 'approved']);
    expect(spec).toMatchObject({
      workspace: { checkout_mode: 'writable_copy' },
      capabilities: [{ name: 'kb' }],
      setup: { commands: ['npm ci'] },
    });
    expect(sandboxOf('run', spec)).toMatchObject({ workspaceReadOnly: false, keepsHome: true });
    expect(bindings).toHaveLength(2);
    const bound = await runOf('a connection', {}, githubPullRequest({ title: uuidv7() }));
    expect(bound.bindings).toHaveLength(3);
  });
});
