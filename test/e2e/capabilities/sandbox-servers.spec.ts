import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { byConversation, reply, type ModelScript } from '../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { type JsonObject } from '../../../src/domain/json.js';
import { LiveStack, type TimelineEvent } from '../../support/installation/live-stack.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { resultTexts, taskOf } from '../../support/models/messages-body.js';
import { EVERYTHING, installedTools } from '../../support/packages/installed-tools.js';

jest.setTimeout(300_000);

const FOLDER = 'tools/@modelcontextprotocol/server-everything/2026.8.31';
const PROGRAM = resolve('dist/cli/main.js');
const PROVIDER_KEY = `sk-ant-api03-${'canary0'.repeat(6)}`;
const ROUTER = ['everything', 'kept-away'];

const tool = (name: string, input: JsonObject = {}) => reply({ tool: name, input });
const done = reply({ text: 'Done.' });
/**
 * Looks for credentials where a tool process could find some: arguments and environments of all processes, files, and what the
 * server holds open. The pattern does not match itself.
 */
const LOOK = [
  `pattern='svc_[s]ess_|svc_[p]at_|svc_[w]eb_|sk-ant-[a]pi03'`,
  `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' '\\n' | grep -acE "$pattern"`,
  `grep -rlaE "$pattern" /tmp /home/agent /run /workspace /opt/sandgate/tools 2> /dev/null | wc -l`,
  `server=$(pgrep -f 'dist/index[.]js')`,
  `test -n "$server" && ls -l /proc/$server/fd | grep -vcE 'total|pipe:|socket:|anon_inode|/dev/null'`,
  'touch /opt/sandgate/tools/planted 2>&1',
].join('; ');

const SCRIPTS: Record<string, ModelScript> = {
  governed: byConversation([
    tool('mcp__everything__echo', { message: 'hello from the model' }),
    tool('mcp__everything__get-env'),
    tool('mcp__kept-away__echo', { message: 'outside the keep-list' }),
    tool('mcp__everything__get-tiny-image'),
    tool('Bash', { command: LOOK }),
    done,
  ]),
  asked: byConversation([tool('mcp__everything__get-sum', { a: 2, b: 40 }), done]),
  schema: byConversation([tool('mcp__everything__get-sum', { a: 'two', b: 40 }), done]),
};

describe('a sandbox MCP server from npm', () => {
  let model: ScriptedModel;
  let stack: LiveStack;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sg-'));
    cpSync(await installedTools(), join(folder, 'tools'), { recursive: true });
    model = await startScriptedModel({
      apiKey: PROVIDER_KEY,
      script: (request) => {
        const [, play] = Object.entries(SCRIPTS).find(([task]) => taskOf(request.body) === task) ?? [];
        if (play === undefined) throw new Error('no script for this task');
        return play(request);
      },
    });
    stack = await LiveStack.start({ ANTHROPIC_API_KEY: PROVIDER_KEY, SERVICE_LLM_ANTHROPIC_URL: model.url }, folder);
    const tools = 'echo,get-env,get-sum';
    for (const server of ROUTER) {
      const flags = ['--from-tool', EVERYTHING, '--as', server, '--name', server, '--only', tools];
      expect((await cli(folder, 'capabilities', 'create', ...flags)).stdout).toMatch(
        `${server}@1 with 3 tools sha256:`,
      );
    }
    const rules = '- { match: ["mcp__everything__get-sum"], action: approve }';
    const yaml = `name: asks-for-sums\ntools:\n  ${rules}\ndefaults: { tool_action: allow }\n`;
    await stack.json('POST', '/v1/policies', { name: 'asks-for-sums', yaml });
    await createAgent('helper', { policy: 'unrestricted', env: { FEATURE: 'on' } });
    await createAgent('careful', { policy: 'asks-for-sums' });
  });

  afterAll(async () => {
    await model?.close();
    await untilReleased();
    await stack?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  /** A run is over before its disk is unmounted. */
  async function untilReleased(): Promise<void> {
    await stack?.until('the sandboxes to be removed', 60_000, () =>
      Promise.resolve(readdirSync(join(folder, 'runs')).length === 0 ? true : undefined),
    );
  }

  const createAgent = (name: string, more: object = {}): Promise<unknown> =>
    stack.json('POST', '/v1/agents', { name, harness: 'builtin', capability_bundles: ROUTER, ...more });
  const start = (agent: string, task: string, more: object = {}): Promise<Schemas['SessionView']> =>
    stack
      .json<{ session: Schemas['SessionView'] }>('POST', '/v1/sessions', {
        agent,
        task,
        capabilities: ['everything'],
        ...more,
      })
      .then(({ session }) => session);

  it('CP-013 CP-024 CP-038 CP-039 CP-040 CP-078 is used through the gate, narrowed by the keep-list, and is given no credential', async () => {
    const { id, run_spec } = await start('helper', 'governed');
    expect((run_spec['capabilities'] as { name: string }[]).map(({ name }) => name)).toEqual(['everything']);
    expect(await stack.untilTerminal(id)).toMatchObject({ status: 'completed', result_summary: 'Done.' });
    const timeline = await stack.timeline(id);
    expect(eventsOf(timeline, 'capability.frozen')).toEqual([{ bundles: ['everything@1'], tools: 3 }]);
    expect(decisions(timeline)).toEqual([
      ['mcp__everything__echo', 'allow', 'policy'],
      ['mcp__everything__get-env', 'allow', 'policy'],
      ['mcp__kept-away__echo', 'deny', 'capability'],
      ['mcp__everything__get-tiny-image', 'deny', 'capability'],
      ['Bash', 'allow', 'policy'],
    ]);
    const offered = (requestsOf('governed').at(-1)!['tools'] as JsonObject[]).map(({ name }) => name as string);
    expect(offered.filter((name) => name.startsWith('mcp__'))).toEqual([
      'mcp__everything__echo',
      'mcp__everything__get-env',
      'mcp__everything__get-sum',
    ]);

    const [echo, environment, keptAway, unfrozen, look] = resultsOf('governed');
    expect(echo).toBe('Echo: hello from the model');
    expect([keptAway, unfrozen]).toEqual([expect.stringContaining('not found'), expect.stringContaining('not found')]);
    const seen = JSON.parse(environment ?? '') as Record<string, string>;
    expect(seen['FEATURE']).toBe('on');
    expect(Object.keys(seen).filter((name) => /^(SERVICE|SANDGATE|ANTHROPIC|OPENAI)_/.test(name))).toEqual([]);
    for (const secret of [PROVIDER_KEY, stack.installation.adminToken, 'svc_'])
      expect(environment).not.toContain(secret);
    expect(look?.split('\n').slice(0, 4)).toEqual(['0', '0', '0', expect.stringContaining('Read-only file system')]);
  });

  it('waits for a human where the policy says so, and acts on the decision alone', async () => {
    const { id } = await start('careful', 'asked');
    const approval = await stack.pendingApproval(id);
    expect(requestsOf('asked')).toHaveLength(1);
    await stack.decide(approval.id, 'approved_once');
    expect(await stack.untilTerminal(id)).toMatchObject({ status: 'completed' });
    expect(resultsOf('asked')[0]).toContain('42');
    expect(decisions(await stack.timeline(id))).toEqual([['mcp__everything__get-sum', 'allow', 'human']]);
  });

  it('arguments that the frozen schema refuses never reach the server', async () => {
    const { id } = await start('helper', 'schema');
    expect(await stack.untilTerminal(id)).toMatchObject({ status: 'completed' });
    expect(decisions(await stack.timeline(id))).toEqual([['mcp__everything__get-sum', 'deny', 'schema']]);
  });

  it('CP-024 CP-078 the replay harness drives it under the same rules', async () => {
    await createAgent('replayer', { harness: 'replay', policy: 'unrestricted' });
    const steps = [
      { tool: 'mcp__everything__echo', input: { message: 'again' } },
      { tool: 'mcp__kept-away__echo', input: { message: 'no' } },
    ];
    const id = await stack.startRun('replayer', steps, { capabilities: ['everything', 'unknown'] });
    const { status, result_summary } = await stack.untilTerminal(id);
    expect([status, result_summary]).toEqual(['completed', 'Replay finished: 1 executed, 1 denied.']);
    expect(decisions(await stack.timeline(id))).toEqual([
      ['mcp__everything__echo', 'allow', 'policy'],
      ['mcp__kept-away__echo', 'deny', 'capability'],
    ]);
  });

  it('the catalog’s own program becomes a bundle when it is connected, and reads the workspace of a run', async () => {
    await stack.json('POST', '/v1/catalog/workspace-info/connect', {});
    const agent = { harness: 'replay', policy: 'unrestricted', capability_bundles: ['workspace-info'] };
    await stack.json('POST', '/v1/agents', { name: 'counting', ...agent });
    const steps = [
      { tool: 'Write', input: { file_path: 'a.txt', content: 'one\ntwo\n' } },
      { tool: 'mcp__workspace-info__workspace_file_count', input: {} },
      { tool: 'mcp__workspace-info__workspace_grep_count', input: { pattern: '^t' } },
    ];
    const id = await stack.startRun('counting', steps);
    const { status, result_summary } = await stack.untilTerminal(id);
    expect([status, result_summary]).toEqual(['completed', 'Replay finished: 3 executed, 0 denied.']);
    expect(eventsOf(await stack.timeline(id), 'tool.completed').map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it('the command line shows packages, bundles and what an agent was given', async () => {
    const json = async <T>(...argv: string[]): Promise<T> =>
      JSON.parse((await cli(folder, ...argv, '-o', 'json')).stdout) as T;
    expect(await json('tools', 'list')).toMatchObject([
      { version: '2026.8.31', commands: { 'mcp-server-everything': expect.any(String) } },
    ]);
    expect(await json('capabilities')).toMatchObject([
      { name: 'everything', version: 1, tool_count: 3 },
      { name: 'kept-away' },
      { name: 'workspace-info', version: 1, tool_count: 2 },
    ]);
    const shown = (await cli(folder, 'capabilities', 'show', 'everything@1')).stdout;
    expect(shown).toMatch(/everything: .*\/bin\/mcp-server-everything/);
    expect(shown).toMatch(/mcp__everything__echo +Echoes back/);
    const agent = (await cli(folder, 'agents', 'show', 'helper')).stdout;
    expect(agent).toMatch(/Policy +unrestricted/);
    expect(agent).toMatch(/Bundles +everything@1, kept-away@1/);
    expect(agent).toMatch(/Variables +FEATURE=on/);
    const revision = join(folder, 'revision.yaml');
    writeFileSync(revision, 'capability_bundles: [everything@1]\nenv: {}\n');
    expect(await json('agents', 'revise', 'helper', revision)).toMatchObject({
      revision: { capability_bundles: [{ name: 'everything', version: 1 }], env: {}, policy: 'unrestricted' },
    });
    const run = await json<{ session: Schemas['SessionView'] }>(
      'run',
      '-d',
      '-a',
      'replayer',
      '--capabilities',
      'none',
      '[{"say":"x"}]',
    );
    expect(Object.keys(run.session.run_spec)).not.toContain('capabilities');
    await stack.untilTerminal(run.session.id);
  });

  it('CP-265 a brokered bundle is refused', async () => {
    const answer = await stack.request('POST', '/v1/capabilities', {
      name: 'crm',
      servers: [{ class: 'brokered', name: 'crm', tools: [{ name: 'find' }] }],
    });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('brokered tools are now connection requirements plus snapshots'),
    ]);
  });

  it('a run whose package is not installed on the host fails and says what to install', async () => {
    const missing = '/opt/sandgate/tools/not-here/1.0.0/bin/not-here';
    const servers = [{ class: 'sandbox', name: 'nothing', command: missing, tools: [{ name: 'x' }] }];
    await stack.json('POST', '/v1/capabilities', { name: 'nothing', servers });
    await stack.createReplayAgent('lacking', 'standard', { capability_bundles: ['nothing'] });
    const id = await stack.startRun('lacking', [{ say: 'never' }]);
    expect(await stack.untilTerminal(id)).toMatchObject({ status: 'failed' });
    const said = JSON.stringify(eventsOf(await stack.timeline(id), 'run.error'));
    expect(said).toMatch(
      /bundle nothing@1 names .*npm:not-here@1\.0\.0 is not installed.*sandgate tools install npm:not-here@1\.0\.0/,
    );
  });

  it('a run whose package was changed after it was installed fails before anything of it is started', async () => {
    const changed = join(folder, FOLDER, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    const before = readFileSync(changed);
    appendFileSync(changed, '\n// planted\n');
    const id = await stack.startRun('replayer', [{ say: 'never' }], { capabilities: ['everything'] });
    expect(await stack.untilTerminal(id)).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(eventsOf(await stack.timeline(id), 'run.error'))).toContain(
      'are not those that were installed',
    );
    writeFileSync(changed, before);
    const healed = await stack.startRun('replayer', [{ say: 'fine' }], { capabilities: ['everything'] });
    expect(await stack.untilTerminal(healed)).toMatchObject({ status: 'completed' });
  });

  const requestsOf = (task: string): JsonObject[] =>
    model.requests.map(({ body }) => body).filter((body) => taskOf(body) === task);
  const resultsOf = (task: string): string[] => resultTexts(requestsOf(task).at(-1) ?? {});
});

function decisions(timeline: TimelineEvent[]): unknown[][] {
  const tools = new Map(eventsOf(timeline, 'tool.requested').map((data) => [data['tool_call_id'], data['tool']]));
  return eventsOf(timeline, 'tool.decision').map((data) => [
    tools.get(data['tool_call_id']),
    data['verdict'],
    data['source'],
  ]);
}

/** The command as a person types it; if it fails, the test fails. */
async function cli(dataDir: string, ...argv: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [PROGRAM, '--data-dir', dataDir, ...argv], { timeout: 240_000 });
}
