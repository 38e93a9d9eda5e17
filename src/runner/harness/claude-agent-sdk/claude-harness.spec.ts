import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../domain/json.js';
import type { ToldNetwork } from '../../../domain/network/tool-variables.js';
import type { BrokeredAnswer, PermissionAnswer } from '../../contract/contract-answers.js';
import type { ToolCallRequest } from '../../contract/contract-client.js';
import { brokeredTools } from '../../mcp/brokered-tools.js';
import type { CanonicalTool } from '../../tools/canonical-tool.js';
import { GIT_VARIABLES, toolEnvironment } from '../../tools/tool-environment.js';
import type { HarnessContext } from '../harness.js';
import { runProgram } from './claude-harness.js';
import { MODEL_VARIABLES, programEnvironment } from './environment.js';
import type { ClaudeProgram } from './program.js';
import type { ContentBlock, McpTransport, ProgramMessage, QueryOptions } from './sdk.js';
import { ToolGate } from './tool-gate.js';

const OFFLINE: ToldNetwork = { mode: 'offline', targets: [], variables: {} };

const INIT: ProgramMessage = {
  type: 'system',
  subtype: 'init',
  claude_code_version: '2.1.0',
  tools: ['Task', 'Bash'],
  permissionMode: 'default',
  mcp_servers: [],
};
const use = (id: string, name = 'Bash'): ProgramMessage => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name, input: { command: 'ls' } }] },
});
const result = (id: string, more: Partial<Extract<ContentBlock, { type: 'tool_result' }>> = {}): ProgramMessage => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'out', ...more }] },
});
const END: ProgramMessage = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' };

type Step = ProgramMessage | ((options: QueryOptions) => Promise<unknown>);

interface Play {
  asked: ToolCallRequest[];
  said: string[];
  outcome: Awaited<ReturnType<typeof runProgram>>;
  options: QueryOptions;
}

/** A run of a program whose every message is given, with a gate that answers by the command. */
async function play(
  steps: Step[],
  decide: (call: ToolCallRequest) => PermissionAnswer = () => ALLOW,
  mcpTools: CanonicalTool[] = [],
): Promise<Play> {
  const asked: ToolCallRequest[] = [];
  const said: string[] = [];
  const context = {
    settings: {
      model: 'frozen',
      task: 'x',
      maxTurns: 7,
      systemPrompt: null,
      workspace: '/workspace',
      network: OFFLINE,
    },
    contract: {
      permission: (call: ToolCallRequest) => {
        asked.push(call);
        return Promise.resolve(decide(call));
      },
      inspectRefusal: () => undefined,
    },
    narrator: {
      say: (_actor: string, text: string) => Promise.resolve(void said.push(text)),
      toolCompleted: () => Promise.resolve(),
    },
    tools: { environment: {} },
    mcpTools,
    model: { token: 'svc_sess_llm' },
    loopbackUrl: 'http://127.0.0.1:1',
    signal: new AbortController().signal,
    log: () => undefined,
  } as unknown as HarnessContext;
  let options: QueryOptions | undefined;
  const program = {
    executable: '/opt/claude',
    sdk: {
      query: (request: { options: QueryOptions }) => {
        options = request.options;
        return messages(steps, request.options);
      },
    },
  } as unknown as ClaudeProgram;
  const outcome = await runProgram(context, program);
  return { asked, said, outcome, options: options as QueryOptions };
}

const ALLOW: PermissionAnswer = { decision: 'allow' };

async function* messages(steps: Step[], options: QueryOptions): AsyncGenerator<ProgramMessage> {
  for (const step of steps) {
    if (typeof step === 'function') await step(options);
    else yield step;
  }
}

const asks =
  (toolUseID: string, command = 'ls'): Step =>
  ({ canUseTool }) =>
    canUseTool('Bash', { command }, { toolUseID });

describe('the tripwire', () => {
  it('lets a call pass that was asked and allowed', async () => {
    const { outcome } = await play([INIT, use('a'), asks('a'), result('a'), END]);
    expect(outcome).toEqual({ outcome: 'completed', summary: 'Done.' });
  });

  it.each<[string, Step[]]>([
    ['that nobody was asked about', [use('a'), result('a')]],
    ['whose long error shows that it ran', [use('a'), result('a', { is_error: true, content: 'x'.repeat(2049) })]],
    ['that was denied and ran', [use('a'), asks('a', 'no'), result('a')]],
    ['of a nested agent', [use('a'), asks('a'), use('b', 'Write'), result('b'), result('a')]],
  ])('ends the run at a call %s', async (_what, steps) => {
    const decide = ({ input }: ToolCallRequest): PermissionAnswer =>
      JSON.stringify(input).includes('"no"') ? { decision: 'deny', message: 'no' } : ALLOW;
    await expect(play([INIT, ...steps, END], decide)).rejects.toThrow(/although the gate had not allowed it/);
  });

  it('knows the short errors with which the program itself answers an unknown tool', async () => {
    const own = result('a', { is_error: true, content: '<tool_use_error>No such tool available</tool_use_error>' });
    expect((await play([INIT, use('a', 'Nothing'), own, END])).outcome.outcome).toBe('completed');
  });
});

describe('the gate of Claude Code', () => {
  it('every hook answer is ask, without looking', async () => {
    const { options } = await play([INIT, END]);
    expect(options.hooks.PreToolUse).toEqual([{ hooks: [expect.any(Function)] }]);
    expect(await options.hooks.PreToolUse[0]?.hooks[0]?.()).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
    });
    expect(options).toMatchObject({ settingSources: [], permissionMode: 'default', extraArgs: { restricted: null } });
    expect(Object.keys(options)).not.toContain('allowedTools');
  });

  it('a use is asked once under its own id, however often it is presented', async () => {
    const { asked } = await play([INIT, use('a'), asks('a'), asks('a'), result('a'), END]);
    expect(asked).toEqual([{ toolCallId: 'a', tool: 'Bash', input: { command: 'ls' } }]);
  });

  it('an id that returns with another input is asked again, which the gate denies as a protocol violation', async () => {
    const { asked } = await play([INIT, use('a'), asks('a'), asks('a', 'rm -rf /'), result('a'), END]);
    expect(asked).toHaveLength(2);
  });

  it('an MCP name that the run does not have is asked for the record', async () => {
    const own = result('a', { is_error: true, content: 'No such tool available' });
    const { asked } = await play([INIT, use('a', 'mcp__crm__find'), own, END]);
    expect(asked).toMatchObject([{ toolCallId: 'a', tool: 'mcp__crm__find' }]);
  });

  it('the allowed input of a use is given out once, under its own name', async () => {
    const contract = { permission: () => Promise.resolve({ decision: 'allow', updatedInput: { q: 2 } }) };
    const gate = new ToolGate({
      contract,
      tools: {},
      mcpTools: [],
      signal: new AbortController().signal,
      log: () => undefined,
    } as never);
    await gate.canUseTool('mcp__kb__echo', { q: 1 }, { toolUseID: 'a' });
    expect([gate.takeAllowed('a', 'mcp__kb__count'), gate.takeAllowed('b', 'mcp__kb__echo')]).toEqual([null, null]);
    expect([gate.takeAllowed('a', 'mcp__kb__echo'), gate.takeAllowed('a', 'mcp__kb__echo')]).toEqual([{ q: 2 }, null]);
  });
});

describe('tools of connected services', () => {
  const FIND = 'mcp__crm__find';

  it('are allowed locally, because the control plane asks; each call runs once, with the input of its use', async () => {
    const calls: ToolCallRequest[] = [];
    const answer = {
      kind: 'answered',
      content: [{ type: 'text', text: 'Ada' }],
      structuredContent: { id: 7 },
      isError: false,
    };
    const contract = {
      callTool: (call: ToolCallRequest) => {
        calls.push(call);
        return Promise.resolve(answer as BrokeredAnswer);
      },
    };
    const tools = brokeredTools([{ name: 'crm', tools: [{ name: 'find', description: '', inputSchema: {} }] }], {
      contract,
      narrator: { say: () => Promise.resolve() },
    });
    const sent: JsonObject[] = [];
    const use: Step = async ({ canUseTool, mcpServers }) => {
      expect(await canUseTool(FIND, { q: 1 }, { toolUseID: 'a' })).toEqual({
        behavior: 'allow',
        updatedInput: { q: 1 },
      });
      await callServer(mcpServers, sent, 'a');
      await callServer(mcpServers, sent, 'a');
      await callServer(mcpServers, sent, 'never-asked');
    };
    const { asked, outcome } = await play([INIT, mcpUse('a'), use, result('a'), END], () => ALLOW, tools);
    expect([asked, outcome.outcome]).toEqual([[], 'completed']);
    expect(calls).toEqual([{ toolCallId: expect.stringMatching(/^bkr_/), tool: FIND, input: { q: 1 } }]);
    expect(sent.map(({ result: answered }) => answered)).toMatchObject([
      { content: answer.content, structuredContent: { id: 7 }, isError: false },
      { isError: true },
      { isError: true },
    ]);
  });

  const mcpUse = (id: string): ProgramMessage => ({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id, name: FIND, input: { q: 1 } }] },
  });
  async function callServer(servers: QueryOptions['mcpServers'], sent: JsonObject[], useId: string): Promise<void> {
    const answered = Promise.withResolvers<void>();
    const transport: McpTransport = {
      start: () => Promise.resolve(),
      send: (message) => {
        sent.push(message);
        answered.resolve();
        return Promise.resolve();
      },
    };
    await servers['crm']?.instance.connect(transport);
    transport.onmessage?.({
      id: 1,
      method: 'tools/call',
      params: { name: 'find', _meta: { 'claudecode/toolUseId': useId } },
    });
    await answered.promise;
  }
});

describe('the outcome', () => {
  it.each<[string, ProgramMessage[], string]>([
    ['an error of the model', [{ ...END, is_error: true, result: 'API Error: 400' }], 'stopped: API Error: 400'],
    ['too many turns', [{ type: 'result', subtype: 'error_max_turns', is_error: true }], 'stopped after 7 model turns'],
    ['no result', [], 'ended without a result'],
    [
      'a tool that was not asked for',
      [{ ...INIT, tools: ['WebFetch'] }, END],
      'not start as it was configured: tool WebFetch',
    ],
    [
      'another permission mode',
      [{ ...INIT, permissionMode: 'bypassPermissions' }, END],
      'permission mode bypassPermissions',
    ],
    [
      'a foreign MCP server',
      [{ ...INIT, mcp_servers: [{ name: 'evil', status: 'connected' }] }, END],
      'MCP server evil',
    ],
  ])('of a run with %s is failed and says so', async (_what, steps, words) => {
    const { outcome } = await play(steps);
    expect(outcome).toMatchObject({ outcome: 'failed', summary: expect.stringContaining(words) });
  });
});

describe('the environment of the program', () => {
  it('names the frozen model wherever it would choose one, holds no token, and nothing that steers it', () => {
    const tools = toolEnvironment('/workspace', {
      FEATURE: 'on',
      FORCE_COLOR: '1',
      CLAUDE_CODE_SUBAGENT_MODEL: 'other',
      Claude_Config_Dir: '/workspace',
      BUN_OPTIONS: '--preload=/workspace/x.js',
      HTTPS_PROXY: 'http://evil',
    });
    const network = { HTTP_PROXY: 'http://127.0.0.1:3128', SSL_CERT_FILE: '/certificates' };
    const input = { tools: { ...tools, ...network }, network, model: 'frozen', baseUrl: 'http://plane/internal/llm' };
    const { variables, leftOut } = programEnvironment(input);
    expect(MODEL_VARIABLES.map((name) => variables[name])).toEqual(MODEL_VARIABLES.map(() => 'frozen'));
    expect(leftOut).toEqual(['BUN_OPTIONS', 'CLAUDE_CODE_SUBAGENT_MODEL', 'Claude_Config_Dir', 'HTTPS_PROXY']);
    expect(variables).toMatchObject({
      FEATURE: 'on',
      FORCE_COLOR: '1',
      ANTHROPIC_BASE_URL: 'http://plane/internal/llm',
      ...network,
      ...GIT_VARIABLES,
    });
    expect(Object.keys(variables).filter((name) => /(?<!GIT_CONFIG_)KEY|TOKEN|SECRET/.test(name))).toEqual([
      'CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR',
    ]);
  });
});
