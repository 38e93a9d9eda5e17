import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startRun, type TestRun } from '../../../test/support/runner/runner-run.js';
import { ScriptedPlane, type ScriptedPlaneOptions } from '../../../test/support/plane/scripted-plane.js';
import { inOrder, reply, type ScriptedAnswer } from '../../cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../cli/demo/scripted-model.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { networkVariables, type ToldNetwork } from '../../domain/network/tool-variables.js';
import { openSandboxTools } from './open-sandbox-tools.js';
import type { SandboxTools } from './sandbox-tools.js';

const OFFLINE: ToldNetwork = { mode: 'offline', targets: [], variables: {} };

const SCRIPT = fileURLToPath(new URL('../../../test/support/mcp/mcp-server.mjs', import.meta.url));
const NODE_PATH = process.execPath.slice(0, process.execPath.lastIndexOf('/'));

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const frozen = (name: string, description = `frozen words about ${name}`): JsonObject => ({
  name,
  description,
  input_schema: { properties: { q: { type: 'string' } } },
});
const manifest = (...tools: string[]): JsonObject => ({
  servers: [
    {
      class: 'sandbox',
      name: 'kb',
      command: process.execPath,
      args: [SCRIPT],
      tools: tools.map((tool) => frozen(tool)),
    },
    { class: 'brokered', name: 'crm', tools: [] },
  ],
});

async function startPlane(options: ScriptedPlaneOptions = {}): Promise<ScriptedPlane> {
  const plane = await ScriptedPlane.start(options);
  open.push({ close: () => plane.stop() });
  return plane;
}

async function start(plane: ScriptedPlane, variables: Record<string, string>): Promise<TestRun> {
  const run = await startRun(plane, variables);
  open.push({ close: run.cleanUp });
  return run;
}

const replay = (plane: ScriptedPlane, steps: object[], more: Record<string, string> = {}): Promise<TestRun> =>
  start(plane, {
    SERVICE_HARNESS: 'replay',
    SERVICE_TASK: JSON.stringify(steps),
    SERVICE_CAPABILITIES: JSON.stringify(manifest('echo', 'environment')),
    ...more,
  });

async function agent(
  script: ScriptedAnswer[],
  servers: JsonObject,
  options: ScriptedPlaneOptions = {},
): Promise<{ model: ScriptedModel; plane: ScriptedPlane; run: TestRun }> {
  const model = await startScriptedModel({ script: inOrder(script), apiKey: 'upstream-key' });
  open.push(model);
  const plane = await startPlane({ modelUrl: model.url, ...options });
  const run = await start(plane, {
    SERVICE_HARNESS: 'builtin',
    SERVICE_TASK: 'Look it up.',
    FEATURE: 'on',
    SERVICE_CAPABILITIES: JSON.stringify(servers),
  });
  return { model, plane, run };
}

function resultsOf(model: ScriptedModel): JsonObject[] {
  const messages = model.requests.at(-1)?.body['messages'];
  const blocks = Array.isArray(messages) ? messages.flatMap((message) => (message as JsonObject)['content']) : [];
  return blocks.filter((block) => isJsonObject(block) && block['type'] === 'tool_result') as JsonObject[];
}

/** The tools of the scripted server by themselves, without a plane. */
async function tools(
  names: string[],
  args: string[] = [SCRIPT],
  command = process.execPath,
): Promise<{
  opened: SandboxTools;
  call: (
    name: string,
    input?: unknown,
    timeoutMs?: number,
  ) => Promise<{ text: string; isError: boolean; note: string }>;
}> {
  const stop = new AbortController();
  const opened = await openSandboxTools(
    [{ name: 'kb', command, args, tools: names.map((name) => ({ name, description: '', inputSchema: {} })) }],
    { cwd: '/tmp', environment: { PATH: NODE_PATH, HOME: '/tmp' }, signal: stop.signal },
  );
  open.push(opened);
  return {
    opened,
    call: (name, input = {}, timeoutMs) => {
      const tool = opened.tools.find((one) => one.name === `mcp__kb__${name}`);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return tool.prepare(input).run({ timeoutMs } as Parameters<ReturnType<typeof tool.prepare>['run']>[0]);
    },
  };
}

describe('sandbox MCP servers in the builtin harness', () => {
  it('CP-024 CP-038 the model is shown the frozen tools alone, and every call asks the gate before the server hears of it', async () => {
    const { model, plane, run } = await agent(
      [reply({ tool: 'mcp__kb__echo', input: { q: 'x' }, id: 'toolu_a' }), reply({ text: 'Done.' })],
      manifest('echo'),
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([{ toolCallId: 'toolu_a', tool: 'mcp__kb__echo', input: { q: 'x' } }]);
    expect(resultsOf(model)).toMatchObject([{ tool_use_id: 'toolu_a', content: '{"q":"x"}' }]);
    const offered = (model.requests[0]!.body['tools'] as JsonObject[]).filter((tool) =>
      (tool['name'] as string).startsWith('mcp__'),
    );
    expect(offered).toMatchObject([
      {
        name: 'mcp__kb__echo',
        description: 'frozen words about echo',
        input_schema: { type: 'object', properties: { q: { type: 'string' } } },
      },
    ]);
  });

  it('CP-149 a denied call never reaches the server', async () => {
    const { model, plane, run } = await agent(
      [
        reply({ tool: 'mcp__kb__count', input: {}, id: 'toolu_a' }),
        reply({ tool: 'mcp__kb__count', input: {}, id: 'toolu_b' }),
        reply({ text: 'Done.' }),
      ],
      manifest('count'),
      {
        decide: ({ toolCallId }) =>
          toolCallId === 'toolu_a' ? { decision: 'deny', message: 'not today' } : { decision: 'allow' },
      },
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toHaveLength(2);
    expect(resultsOf(model).map((result) => result['content'])).toEqual([expect.stringContaining('not today'), '1']);
  });

  it('CP-013 a tool that the server has and the run has not is asked for, so that the attempt is on record, and not performed', async () => {
    const { model, plane, run } = await agent(
      [reply({ tool: 'mcp__kb__hidden', input: {}, id: 'toolu_a' }), reply({ text: 'Done.' })],
      manifest('echo'),
      { decide: () => ({ decision: 'deny', message: 'not in the tool set' }) },
    );
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions.map(({ tool }) => tool)).toEqual(['mcp__kb__hidden']);
    expect(JSON.stringify(resultsOf(model))).toContain('not found');
  });

  it('CP-039 a server gets the variables of the agent and nothing of the runner', async () => {
    process.env['SERVICE_CANARY'] = 'canary-of-the-runner';
    const { model, plane, run } = await agent(
      [reply({ tool: 'mcp__kb__environment', input: {}, id: 'toolu_a' }), reply({ text: 'Done.' })],
      manifest('environment'),
    ).finally(() => delete process.env['SERVICE_CANARY']);
    expect(await run.exitCode).toBe(0);
    const seen = JSON.parse(resultsOf(model)[0]?.['content'] as string) as {
      env: Record<string, string>;
      argv: string[];
      cwd: string;
    };
    const wayOut = ['MAVEN_OPTS', ...Object.keys(networkVariables(OFFLINE, 'http://127.0.0.1:3128', '/certificates'))];
    expect(seen.env['HTTPS_PROXY']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(
      Object.keys(seen.env)
        .toSorted()
        .filter((name) => !wayOut.includes(name)),
    ).toEqual([
      'FEATURE',
      ...['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_KEY_1', 'GIT_CONFIG_KEY_2'],
      ...['GIT_CONFIG_VALUE_0', 'GIT_CONFIG_VALUE_1', 'GIT_CONFIG_VALUE_2', 'GIT_TERMINAL_PROMPT'],
      'HOME',
      'LANG',
      'LOGNAME',
      'PATH',
      'PWD',
      'SHELL',
      'TERM',
      'TMPDIR',
      'USER',
    ]);
    expect([seen.env['FEATURE'], seen.argv, seen.cwd]).toEqual(['on', [], run.workspace]);
    for (const token of Object.values(plane.tokens)) expect(JSON.stringify(seen)).not.toContain(token);
  });

  it('a name that the provider cannot take stays hidden and is told; one that the server lacks is told', async () => {
    const { model, plane, run } = await agent([reply({ text: 'Done.' })], manifest('a.b', 'echo'));
    expect(await run.exitCode).toBe(0);
    const names = (model.requests[0]!.body['tools'] as JsonObject[]).map((tool) => tool['name']);
    expect(names).toContain('mcp__kb__echo');
    expect(names).not.toContain('mcp__kb__a.b');
    expect(plane.messages().join('\n')).toMatch(/do not offer: mcp__kb__a\.b[^]*Not shown to the model.*mcp__kb__a\.b/);
  });

  it('a server that does not start fails the run before any model call and says why', async () => {
    const servers = manifest('echo');
    (servers['servers'] as JsonObject[])[0]!['args'] = [SCRIPT, 'exit'];
    const { model, plane, run } = await agent([reply({ text: 'never' })], servers);
    expect(await run.exitCode).toBe(1);
    expect(model.requests).toEqual([]);
    const why =
      'The MCP server kb of this run could not be started: it ended with exit code 3. Its last words: config file is missing';
    expect(plane.results).toEqual([{ outcome: 'failed', summary: why }]);
    expect(plane.events.filter((event) => event.type === 'run.error')).toMatchObject([{ data: { message: why } }]);
  });
});

describe('sandbox MCP servers in the replay harness', () => {
  it('CP-024 names of sandbox servers go to the gate and then to the server, brokered ones to the broker', async () => {
    const plane = await startPlane({ callTool: () => ({ ok: true, result: { content: [], is_error: false } }) });
    const run = await replay(plane, [
      { tool: 'mcp__kb__echo', input: { q: 1 } },
      { tool: 'mcp__crm__find', input: {} },
      { tool: 'mcp__kb__hidden', input: {} },
    ]);
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions).toEqual([
      { toolCallId: 'rp_001', tool: 'mcp__kb__echo', input: { q: 1 } },
      { toolCallId: 'rp_003', tool: 'mcp__kb__hidden', input: {} },
    ]);
    expect(plane.brokered).toEqual([{ toolCallId: 'rp_002', tool: 'mcp__crm__find', input: {} }]);
    expect(plane.results[0]).toMatchObject({ summary: 'Replay finished: 2 executed, 0 denied.' });
  });
});

describe('one sandbox server', () => {
  it('answers are bounded as the output of Bash is, and content that is no text is named', async () => {
    const { call } = await tools(['big', 'mixed', 'structured', 'fail', 'echo'], [SCRIPT, 'chatty']);
    const big = await call('big');
    expect(big.text.length).toBeLessThan(31_000);
    expect(big.text).toMatch(/^HEADx+[^]*xTAIL$/);
    expect((await call('mixed')).text).toBe('seen\n[image of type image/png, not shown]');
    expect((await call('structured')).text).toBe('{"answer":42}');
    expect(await call('fail')).toEqual({ text: 'no such record', isError: true, note: 'answered with an error' });
    expect(() => call('echo', 'text')).toThrow('the input must be a JSON object');
  });

  it('a call that is not answered in time is a tool error, and the server lives on', async () => {
    const { call } = await tools(['slow', 'echo']);
    const late = await call('slow', {}, 50);
    expect(late).toMatchObject({ isError: true, note: 'no answer within 0.05 s' });
    expect((await call('echo', { a: 1 })).text).toBe('{"a":1}');
  });

  it('a crash is a tool error, the next call starts the server again without its state, and not for ever', async () => {
    const { call } = await tools(['crash', 'count']);
    expect((await call('count')).text).toBe('1');
    expect((await call('count')).text).toBe('2');
    expect(await call('crash')).toMatchObject({
      isError: true,
      note: 'the server ended',
      text: expect.stringContaining('exit code 7'),
    });
    expect((await call('count')).text).toBe('1');
    for (let count = 0; count < 3; count += 1) await call('crash');
    expect(await call('count')).toEqual({
      text: 'The MCP server kb ended 4 times and is not started again.',
      isError: true,
      note: 'the server does not run',
    });
  });

  it('an endless message ends the server and not the runner', async () => {
    const { call } = await tools(['flood', 'echo']);
    expect(await call('flood', {}, 100_000)).toMatchObject({
      isError: true,
      text: expect.stringContaining('more than 8388608 bytes'),
    });
    expect((await call('echo', {})).text).toBe('{}');
  });

  it.each([
    [
      '/opt/sandgate/tools/nothing/1.0.0/bin/nothing',
      'there is no program /opt/sandgate/tools/nothing/1.0.0/bin/nothing in the sandbox',
    ],
    ['/etc', '/etc is not a program that the sandbox may run'],
  ])('a command that cannot run (%s) is named', async (command, reason) => {
    await expect(tools(['echo'], [], command)).rejects.toThrow(reason);
  });
});
