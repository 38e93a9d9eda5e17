import { describe, expect, it } from '@jest/globals';
import type { BundleVersion } from '../capabilities/bundle.js';
import { digestOf } from '../digest/digest.js';
import type { JsonObject } from '../json.js';
import { POLICY_ENGINE } from '../policy/document.js';
import { freezeSpec, type SpecSources } from './freeze-spec.js';
import { buildRunnerEnvironment } from '../run/runner-environment.js';
import type { BrokeredToolSet, FrozenBundle, FrozenSetup } from '../run/spec.js';

const policy = {
  id: 'p',
  version: 3,
  content: { name: 'default', budgets: { max_cost_usd: 1, max_tool_calls: null }, autonomy: { permitted: false } },
};

const frozen: FrozenBundle = {
  id: 'b',
  name: 'kb',
  version: 2,
  definition_digest: 'sha256:0',
  servers: [{ class: 'sandbox', name: 'kb', command: 'kb', args: [], tools: [] }],
};
const { servers, ...identity } = frozen;
const bundle: BundleVersion = { ...identity, definition: { servers } };

const toolSet: BrokeredToolSet = {
  slot: 'crm',
  url: 'https://crm.example.com/',
  binding_id: '0190a000-0000-7000-8000-000000000000',
  snapshot_version: 3,
  tools: [{ name: 'find', description: 'd', input_schema: {}, definition_digest: 'sha256:1' }],
  tools_digest: 'sha256:0',
  protocol_version: '2025-11-25',
};

function sources(change: Partial<SpecSources['request']> = {}, unpricedModel = false): SpecSources {
  return {
    agent: { id: 'a', name: 'fixer' },
    revision: {
      id: 'r',
      harness: 'builtin',
      runner_image: '',
      model: 'm',
      system_prompt: 'who',
      budgets: { max_cost_usd: 2, max_tool_calls: 9, max_tokens: null, max_wall_clock_secs: null },
      sandbox: { memory_mb: 256 },
      env: {},
      setup: null,
    },
    policy,
    request: {
      task: 'what',
      autonomous: false,
      workspace: { kind: 'scratch' },
      destinations: [],
      budgets: null,
      allowUnpriced: false,
      ...change,
    },
    invocation: { kind: 'manual', actor: 'operator' },
    trustTier: 'trusted',
    bundles: [],
    brokered: [],
    network: { agent: null, run: null, presets: {}, whyBlocked: () => null, enforceable: true, now: new Date(0) },
    sandboxDefaults: { memory_mb: 2048, cpus: 2, disk_mb: 4096, pids: 512 },
    policyEngine: POLICY_ENGINE,
    unpricedModel,
  };
}

describe('freezeSpec', () => {
  it('CP-009 CP-010 CP-011 CP-012 holds revision, policy, workspace and effective budgets', () => {
    const spec = freezeSpec(sources({ budgets: { max_tool_calls: 4, max_cost_usd: 50 } }));
    expect(spec).toMatchObject({ model: 'm', system_prompt: 'who', task: 'what', workspace: { kind: 'scratch' } });
    expect(spec.policy_snapshot).toEqual(policy.content);
    expect(spec.budgets).toEqual({ max_cost_usd: 1, max_tool_calls: 4, max_tokens: null, max_wall_clock_secs: null });
    expect(spec.sandbox).toEqual({ memory_mb: 256, cpus: 2, disk_mb: 4096, pids: 512 });
    expect([spec.policy_version, spec.policy_engine, spec.trust_tier]).toEqual([3, POLICY_ENGINE, 'trusted']);
  });

  it('CP-077 a policy can forbid autonomous runs', () => {
    expect(() => freezeSpec(sources({ autonomous: true }))).toThrow('does not permit autonomous runs');
    expect(freezeSpec({ ...sources({ autonomous: true }), policy: { ...policy, content: {} } }).autonomy).toBe(
      'autonomous',
    );
  });

  it('CP-013 holds the bundles that are left and the variables of the revision, and leaves both out when there are none', () => {
    const plain = freezeSpec(sources());
    expect(Object.keys(plain)).not.toContain('capabilities');
    expect(Object.keys(plain)).not.toContain('env');
    const base = sources();
    const full = freezeSpec({ ...base, bundles: [bundle], revision: { ...base.revision, env: { TZ: 'UTC' } } });
    expect([full.capabilities, full.env]).toEqual([[frozen], { TZ: 'UTC' }]);
  });

  it('CP-009 holds the setup of the revision, and leaves one without commands out', () => {
    const withSetup = (setup: FrozenSetup | null) =>
      freezeSpec({ ...sources(), revision: { ...sources().revision, setup } });
    const setup = { commands: ['npm ci'], timeout_secs: 60, cache: true };
    expect(withSetup(setup).setup).toEqual(setup);
    for (const none of [null, { ...setup, commands: [] }]) expect(Object.keys(withSetup(none))).not.toContain('setup');
  });

  it('CP-014 refers to the bindings by their tool sets, and leaves them out when there are none', () => {
    expect(Object.keys(freezeSpec(sources()))).not.toContain('brokered');
    expect(freezeSpec({ ...sources(), brokered: [toolSet] }).brokered).toEqual([toolSet]);
    const named = { ...toolSet, slot: 'kb' };
    expect(() => freezeSpec({ ...sources(), bundles: [bundle], brokered: [named] })).toThrow(
      'bindings.kb: server kb of bundle kb@2 has the name of this slot',
    );
  });

  it('CP-318 the read-only tier freezes neither bundle nor tool set', () => {
    const spec = freezeSpec({ ...sources(), bundles: [bundle], brokered: [toolSet], trustTier: 'read_only' });
    expect(spec.trust_tier).toBe('read_only');
    expect(Object.keys(spec)).not.toContain('capabilities');
    expect(Object.keys(spec)).not.toContain('brokered');
  });

  const networked = (trustTier: SpecSources['trustTier']): SpecSources => {
    const base = sources({ budgets: { max_wall_clock_secs: 60 } });
    const agent = { mode: 'approved' as const, targets: ['a.example.com:443'] };
    const content = { ...policy.content, network: { max_mode: 'approved' } };
    return { ...base, trustTier, policy: { ...policy, content }, network: { ...base.network, agent } };
  };

  it('CP-009 CP-318 holds the network that the policy allows, and none for work on a stranger’s code', () => {
    expect(freezeSpec(networked('trusted')).network).toMatchObject({
      mode: 'approved',
      expires_at: '1970-01-01T01:00:00.000Z',
      policy_digest: digestOf(networked('trusted').policy.content as JsonObject),
    });
    expect(freezeSpec(networked('read_only')).network).toEqual({ schema_version: 1, mode: 'offline' });
  });

  it('a clash of names is told before a network that is refused', () => {
    const named = { ...toolSet, slot: 'kb' };
    const both = { ...networked('trusted'), policy, bundles: [bundle], brokered: [named] };
    expect(() => freezeSpec(both)).toThrow('has the name of this slot');
    expect(() => freezeSpec({ ...both, brokered: [] })).toThrow('mode_ceiling');
  });

  it('CP-028 the runner is told slot and tools of a connected service, and nothing that could address it', () => {
    const spec = freezeSpec({ ...sources(), bundles: [bundle], brokered: [toolSet] });
    const manifest = JSON.parse(buildRunnerEnvironment('s', spec)['SERVICE_CAPABILITIES'] ?? '') as unknown;
    expect(manifest).toEqual({
      servers: [
        { class: 'sandbox', name: 'kb', command: 'kb', args: [], tools: [] },
        { class: 'brokered', name: 'crm', tools: [{ name: 'find', description: 'd', input_schema: {} }] },
      ],
    });
  });

  it('a cost cap that cannot bind is refused unless the request says so', () => {
    expect(() => freezeSpec(sources({}, true))).toThrow('allow_unpriced');
    expect(freezeSpec(sources({ allowUnpriced: true }, true)).allow_unpriced).toBe(true);
    expect(freezeSpec(sources()).allow_unpriced).toBeUndefined();
  });
});
