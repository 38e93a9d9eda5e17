import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startConnectProxy, type ConnectProxy } from '../../support/http/connect-proxy.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack } from '../../support/installation/live-stack.js';
import { DEPENDENCY, INSTALL, writeNpmProject } from '../../support/packages/npm-project.js';
import { PackageRegistry } from '../../support/packages/package-registry.js';
import { artifactOf, createPreparedAgent, dataOf } from './prepared-agents.js';

jest.setTimeout(240_000);

const NAME = 'packages.outside.example';
const LOOK = [{ tool: 'Bash', input: { command: `node -p "require('left')" > seen.txt` } }];
const keepsSetups = process.getuid?.() === 0;

describe('a setup that fetches packages', () => {
  let registry: PackageRegistry;
  let proxy: ConnectProxy;
  let stack: LiveStack;
  let folder: string;
  let project: string;

  beforeAll(async () => {
    registry = await PackageRegistry.startSecurely(NAME);
    // The name of the registry leads here on the way that everything outbound takes.
    proxy = await startConnectProxy();
    folder = mkdtempSync(join(tmpdir(), 'setup-tunnel-'));
    project = join(folder, 'project');
    writeNpmProject(project, registry);
    const presets = join(folder, 'presets.yaml');
    const npm = { targets: [registry.target], variables: { npm_config_registry: registry.url } };
    writeFileSync(presets, JSON.stringify({ presets: { npm } }));
    stack = await LiveStack.start({
      SERVICE_LOCAL_COPY_ROOTS: folder,
      SERVICE_NETWORK_PRESETS: presets,
      SERVICE_EGRESS_PROXY: proxy.url,
    });
    const content = {
      name: 'granting',
      defaults: { tool_action: 'allow' },
      budgets: { max_wall_clock_secs: 600 },
      network: { max_mode: 'approved', require_approval: true },
      tools: [{ match: ['Bash'], action: 'allow', shell: { on_no_match: 'allow' } }],
    };
    await stack.json('POST', '/v1/policies', { name: 'granting', yaml: JSON.stringify(content) });
    const setup = { commands: [INSTALL], cache: true };
    await createPreparedAgent(stack, 'fetching', 'granting', setup, {
      network: { mode: 'approved', presets: ['npm'] },
    });
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await stack?.stop();
    await proxy?.close();
    await registry?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  const start = (more: object = {}): Promise<string> =>
    stack.startRun('fetching', LOOK, { workspace: { kind: 'local_copy', path: project }, ...more });

  /** Plays a run whose network a person authorizes. */
  async function play(): Promise<string> {
    const run = await start();
    const approval = await stack.pendingApproval(run);
    expect(approval.tool_call_id).toBe('network-grant');
    expect((await stack.session(run)).status).toBe('awaiting_authorization');
    await stack.decide(approval.id, 'approved_once');
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    expect(await artifactOf(stack, run, 'changes.patch')).toContain(`+${DEPENDENCY}\n`);
    return run;
  }

  it('reaches the granted registry once a person has authorized it, and the next run starts with what it fetched', async () => {
    const first = await play();
    expect(registry.served).toEqual([DEPENDENCY]);
    expect(proxy.tunnels).toContain(registry.target);
    const { hostname, port } = new URL(registry.url);
    expect(await dataOf(stack, first, 'network.allowed')).toMatchObject([{ target: hostname, port: Number(port) }]);
    const [summary] = await dataOf(stack, first, 'network.summary');
    expect(summary).toMatchObject({ flows: [{ target: hostname, port: Number(port) }] });
    expect(await dataOf(stack, first, 'setup.command')).toMatchObject([{ exit_code: 0 }]);
    if (!keepsSetups) return;
    expect(await dataOf(stack, first, 'setup.kept')).toMatchObject([{ kept: true }]);

    const before = proxy.tunnels.length;
    const second = await play();
    expect(await dataOf(stack, second, 'setup.reused')).toMatchObject([{ made_by: first }]);
    const kinds = (await stack.timeline(second)).map(({ type }) => type);
    for (const kind of ['setup.started', 'network.allowed', 'network.denied']) expect(kinds).not.toContain(kind);
    expect([registry.served, proxy.tunnels.length]).toEqual([[DEPENDENCY], before]);
  });

  it('fails at once in a run that is offline, is not given what others fetched, and says what was refused', async () => {
    const run = await start({ network: { mode: 'offline' } });
    const { status, status_reason: reason } = await stack.untilTerminal(run);
    expect(status).toBe('failed');
    expect(reason).toContain(`setup failed: command 1 of 1 (${INSTALL}) ended with exit code`);
    expect(reason).toContain(registry.target);
    const kinds = (await stack.timeline(run)).map(({ type }) => type);
    expect(kinds).not.toContain('setup.reused');
    expect(kinds).not.toContain('network.allowed');
  });

  it('is not begun when the person says no', async () => {
    const served = registry.served.length;
    const run = await start();
    await stack.decide((await stack.pendingApproval(run)).id, 'denied');
    expect(await stack.untilTerminal(run)).toMatchObject({
      status: 'failed',
      status_reason: expect.stringContaining('network grant was not authorized') as unknown,
    });
    expect(await dataOf(stack, run, 'setup.started')).toEqual([]);
    expect(registry.served).toHaveLength(served);
  });
});
