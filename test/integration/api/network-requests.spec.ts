import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../src/domain/digest/digest.js';
import type { ExactJson } from '../../../src/domain/digest/exact-json.js';
import { Metrics } from '../../../src/core/metrics/metrics.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';

const TASK = '[]';
const files = mkdtempSync(join(tmpdir(), 'sg-presets-'));
const PRESETS = `
presets:
  npm:
    targets: [npm.example.com:443]
    variables: {npm_config_registry: https://npm.example.com/}
  debian: {targets: [deb.example.com:80]}
organizations:
  default:
    debian: {targets: [mirror.example.com:80]}
  other:
    npm: {targets: [elsewhere.example.com:443]}
`;
const POLICIES = {
  open: 'max_mode: approved',
  public: 'max_mode: public',
  guarded: `max_mode: approved
  deny:
    - {kind: dns, pattern: {kind: exact, name: Bad.example.com}, ports: [{from: 1, to: 65535}], protocol: tcp}
    - {kind: cidr, cidr: 198.51.100.0/24, ports: [{from: 1, to: 65535}], protocol: tcp}`,
  listed: `max_mode: approved
  allow:
    - {kind: dns, pattern: {kind: wildcard, suffix: example.com}, ports: [{from: 443, to: 443}], protocol: tcp}`,
  brief: 'max_mode: approved\n  max_grant_secs: 60',
  'asked-late': 'max_mode: approved\n  require_approval: true\n  max_grant_secs: 1800',
};

let api: TestApi;
beforeAll(async () => {
  writeFileSync(join(files, 'presets.yaml'), PRESETS);
  api = await startApi({ SERVICE_NETWORK_PRESETS: join(files, 'presets.yaml') });
  for (const [name, network] of Object.entries(POLICIES)) {
    const yaml = `name: ${name}\nbudgets: {max_wall_clock_secs: 1800}\nnetwork:\n  ${network}\n`;
    expect((await api.post('/v1/policies', { name, yaml })).status).toBe(200);
    await api.post('/v1/agents', { name, harness: 'replay', policy: name, network: reaching('a.example.com:443') });
  }
  await api.post('/v1/agents', { name: 'offline', harness: 'replay', policy: 'open' });
});
afterAll(async () => {
  await api.close();
  rmSync(files, { recursive: true });
});

function reaching(...targets: string[]): object {
  return { mode: 'approved', targets };
}

function create(agent: string, network?: object): Promise<Answer> {
  return api.post('/v1/sessions', { agent, task: TASK, ...(network === undefined ? {} : { network }) });
}

/** An agent of its own with this network. */
let made = 0;
async function agentWith(policy: string, network: object): Promise<string> {
  const name = `agent-${(made += 1)}`;
  const answer = await api.post('/v1/agents', { name, harness: 'replay', policy, network });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return name;
}

async function refused(answer: Promise<Answer>): Promise<string> {
  const { status, body } = await answer;
  expect([status, body.error]).toEqual([400, expect.any(String)]);
  return body.error;
}

describe('a run with a network', () => {
  it('CP-009 CP-010 is frozen with names, presets expanded, and the ledger says what it may reach', async () => {
    const agent = await agentWith('guarded', { ...reaching('*.example.com:443'), presets: ['npm', 'debian'] });
    const before = Date.now();
    const { session } = (await create(agent)).body;
    const policy = (await api.get('/v1/policies/guarded')).body;
    const { network, policy_snapshot: snapshot } = session.run_spec as {
      network: Record<string, unknown>;
      policy_snapshot: object;
    };
    expect(snapshot).toEqual(policy.content);
    const named = (kind: string, name: object, port: number): object => ({
      kind: 'dns',
      pattern: { kind, ...name },
      ports: [{ from: port, to: port }],
      protocol: 'tcp',
    });
    expect(network).toEqual({
      schema_version: 1,
      mode: 'approved',
      targets: [
        named('wildcard', { suffix: 'example.com' }, 443),
        named('exact', { name: 'mirror.example.com' }, 80),
        named('exact', { name: 'npm.example.com' }, 443),
      ],
      denied: (policy.content['network'] as { deny: object[] }).deny,
      variables: { npm_config_registry: 'https://npm.example.com/' },
      expires_at: expect.any(String),
      policy_digest: digestOf(policy.content as ExactJson),
    });
    const seconds = (Date.parse(network['expires_at'] as string) - before) / 1000;
    expect(seconds).toBeGreaterThan(3590);
    expect(seconds).toBeLessThan(3660);
    const { events } = (await api.get(`/v1/sessions/${session.id}/events`)).body;
    expect(events.map(({ type, payload }) => [type, payload.data])).toContainEqual([
      'network.grant.frozen',
      {
        mode: 'approved',
        targets: ['*.example.com:443', 'mirror.example.com:80', 'npm.example.com:443'],
        digest: digestOf(network as ExactJson),
        awaiting_authorization: false,
        expires_at: network['expires_at'],
      },
    ]);
    const { rows } = await api.database.owner.query(
      'select status, grant_digest from network_grants where session_id = $1',
      [session.id],
    );
    expect(rows).toEqual([{ status: 'active', grant_digest: digestOf(network as ExactJson) }]);
  });

  it('keeps what it was frozen with when its agent and its policy change', async () => {
    const agent = await agentWith('open', reaching('a.example.com:443'));
    const { session } = (await create(agent)).body;
    await api.post(`/v1/agents/${agent}/revisions`, { network: { mode: 'offline' } });
    expect((await api.get(`/v1/sessions/${session.id}`)).body.session.run_spec).toEqual(session.run_spec);
    expect((await create(agent)).body.session.run_spec['network']).toEqual({ schema_version: 1, mode: 'offline' });
  });

  it('narrows its agent and never widens it', async () => {
    const narrowed = (await create('open', { mode: 'offline' })).body.session;
    expect(narrowed.run_spec['network']).toEqual({ schema_version: 1, mode: 'offline' });
    expect((await api.get(`/v1/sessions/${narrowed.id}/events`)).body.events.map(({ type }) => type)).not.toContain(
      'network.grant.frozen',
    );
    expect(await refused(create('open', reaching('b.example.com:443')))).toBe(
      "network.targets[0]: is not within the agent's network",
    );
    expect(await refused(create('offline', reaching('a.example.com:443')))).toContain('network.mode: approved is more');
  });

  it.each([
    ['invalid_target', 'open', reaching('10.0.0.0/8'), 'is a network; name hosts as host:port or *.suffix:port'],
    ['invalid_target', 'open', { mode: 'approved', presets: ['go'] }, 'SERVICE_NETWORK_PRESETS'],
    ['mode_ceiling', 'open', { mode: 'public' }, 'use "approved" with targets host:port'],
    ['mode_ceiling', 'public', { mode: 'public' }, 'presets npm, pypi, crates, go, maven, debian'],
  ])('CP-329 %s: a run of %s that asks for %j', async (reason, agent, network, text) => {
    const before = await counted(reason);
    const error = await refused(create(agent, network));
    expect(error).toContain(text);
    expect(await counted(reason)).toBe(before + 1);
  });

  it.each([
    ['blocked_range', 'open', ['localhost:443'], 'private/loopback/link-local address (loopback) (blocked_range)'],
    ['blocked_range', 'open', ['metadata.google.internal:80'], '(metadata) (blocked_range)'],
    ['policy_deny', 'guarded', ['bad.example.com:443'], 'policy_deny: the policy denies bad.example.com:443'],
    ['mode_ceiling', 'default', ['a.example.com:443'], 'mode_ceiling: the policy of the agent allows offline at most'],
    ['not_in_catalog', 'listed', ['a.example.org:443'], 'does not cover a.example.org:443'],
    [
      'expiry_too_short',
      'asked-late',
      ['a.example.com:443'],
      'the grant of 1800 s ends before max_wall_clock_secs 1800 and the 660 s in which a person may authorize it',
    ],
    ['expiry_too_short', 'brief', ['a.example.com:443'], 'the grant of 60 s ends before max_wall_clock_secs 1800'],
  ])('CP-176 CP-329 %s: under %s, %j', async (reason, policy, targets, text) => {
    const before = await counted(reason);
    const agent = await agentWith(policy, reaching(...targets));
    const runs = (await api.get('/v1/sessions?limit=1000')).body.sessions.length;
    expect(await refused(create(agent))).toContain(text);
    expect((await api.get('/v1/sessions?limit=1000')).body.sessions).toHaveLength(runs);
    expect(await counted(reason)).toBe(before + 1);
  });

  async function counted(reason: string): Promise<number> {
    const text = await api.app.get(Metrics).render();
    const line = new RegExp(`^service_network_grant_refusals_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text);
    return Number(line?.[1] ?? Number.NaN);
  }
});

describe('a revision with a network', () => {
  const post = (body: object): Promise<Answer> =>
    api.post('/v1/agents', { name: 'refused', harness: 'replay', ...body });

  it('shows what it says, and null when it says nothing', async () => {
    const { revisions } = (await api.get('/v1/agents/open')).body;
    expect(revisions[0]?.network).toEqual(reaching('a.example.com:443'));
    const offline = (await api.get('/v1/agents/offline')).body.revisions[0];
    expect([offline?.network, offline?.setup]).toEqual([null, null]);
  });

  it.each([
    [{ mode: 'public' }, 'network.mode: public is not available here (mode_ceiling): use "approved"'],
    [{ mode: 'online' }, 'network.mode: must be offline or approved, not online'],
    [{}, 'network.mode: must be a string'],
    [{ mode: 'approved' }, 'network.targets: approved needs targets or presets'],
    [{ mode: 'approved', presets: ['nmp'] }, 'did you mean npm?'],
    [{ mode: 'approved', presets: ['pypi'] }, 'let sandgate network learn-presets find them'],
    [
      { mode: 'approved', target: ['a.example.com:1'] },
      'network.target: is not a member of this request; did you mean network.targets?',
    ],
    [{ mode: 'approved', targets: ['8.8.8.8:53'] }, 'must be a name'],
    [{ mode: 'approved', targets: ['dns.example.com:53/udp'] }, 'is not possible; tcp only'],
    [{ mode: 'approved', targets: [{ kind: 'cidr', cidr: '10.0.0.0/8' }] }, 'network.targets'],
    [{ mode: 'approved', targets: ['a.example.com:1'], duration_secs: 0 }, 'network.duration_secs:'],
    [{ mode: 'offline', targets: ['a.example.com:1'] }, 'network.targets: offline reaches nothing'],
  ])('CP-329 %j is refused with 400 and leaves no agent', async (network, text) => {
    expect(await refused(post({ network }))).toContain(text);
    expect((await api.get('/v1/agents/refused')).status).toBe(404);
  });

  it('a further one inherits it, and offline clears it', async () => {
    const agent = await agentWith('open', reaching('a.example.com:443'));
    const append = async (body: object): Promise<unknown> =>
      (await api.post(`/v1/agents/${agent}/revisions`, body)).body.revision.network;
    expect(await append({ network: null })).toEqual(reaching('a.example.com:443'));
    expect(await append({ network: { mode: 'offline' } })).toEqual({ mode: 'offline' });
  });
});

describe('a revision with a setup', () => {
  it('CP-009 keeps the commands with their defaults, freezes them with a run, and clears them by an empty list', async () => {
    const created = await api.post('/v1/agents', {
      name: 'prepared',
      harness: 'replay',
      setup: { commands: ['npm ci'] },
    });
    const setup = { commands: ['npm ci'], timeout_secs: 600, cache: true };
    expect(created.body.revision.setup).toEqual(setup);
    const append = async (body: object): Promise<unknown> =>
      (await api.post('/v1/agents/prepared/revisions', body)).body.revision.setup;
    expect(await append({})).toEqual(setup);
    expect(await append({ setup: { commands: ['make'], timeout_secs: 5, cache: false } })).toEqual({
      commands: ['make'],
      timeout_secs: 5,
      cache: false,
    });
    const frozen = async (): Promise<unknown> => (await create('prepared')).body.session.run_spec['setup'];
    expect(await frozen()).toEqual({ commands: ['make'], timeout_secs: 5, cache: false });
    expect(await append({ setup: { commands: [] } })).toBeNull();
    expect(await frozen()).toBeUndefined();
  });

  it.each([
    [{ commands: [' '] }, 'setup.commands'],
    [{ commands: Array(33).fill('ls') }, 'setup.commands'],
    [{ commands: ['ls'], timeout_secs: 3601 }, 'setup.timeout_secs'],
    [{ commands: ['ls'], timeout: 5 }, 'did you mean setup.timeout_secs?'],
    [{}, 'setup.commands'],
  ])('CP-329 %j is refused', async (setup, text) => {
    expect(await refused(api.post('/v1/agents', { name: 'refused', harness: 'replay', setup }))).toContain(text);
  });
});
