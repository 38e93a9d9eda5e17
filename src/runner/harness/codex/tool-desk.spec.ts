import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../domain/json.js';
import type { BrokeredAnswer } from '../../contract/contract-answers.js';
import type { ToolCallRequest } from '../../contract/contract-client.js';
import { RefusalLog } from '../../bridge/refusal-log.js';
import { brokeredTools } from '../../mcp/brokered-tools.js';
import { WorkspaceRoot } from '../../tools/workspace-root.js';
import type { HarnessContext } from '../harness.js';
import { offerTools } from './offered-tools.js';
import { ToolDesk } from './tool-desk.js';

let folder: string;
let workspace: WorkspaceRoot;
let asked: JsonObject[];
let brokered: ToolCallRequest[];
let explained: string[];
let desk: ToolDesk;
let refusals: RefusalLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sg-desk-'));
  workspace = await WorkspaceRoot.open(folder);
  asked = [];
  brokered = [];
  explained = [];
  refusals = new RefusalLog();
  const contract = {
    permission: ({ toolCallId, tool, input }: { toolCallId: string; tool: string; input: JsonValue }) => {
      asked.push({ id: toolCallId, tool, input });
      const denied = JSON.stringify(input).includes('forbidden');
      return Promise.resolve(denied ? { decision: 'deny', message: 'by policy' } : { decision: 'allow' });
    },
    callTool: (call: ToolCallRequest) => {
      brokered.push(call);
      const denied = JSON.stringify(call.input).includes('forbidden');
      return Promise.resolve<BrokeredAnswer>(
        denied
          ? { kind: 'denied', message: 'by policy' }
          : { kind: 'answered', content: [{ type: 'text', text: 'Ada' }], isError: false },
      );
    },
  };
  const narrator = { toolCompleted: () => Promise.resolve() };
  const context = {
    contract,
    narrator,
    tools: { workspace, network: { variables: {}, refusals } },
    signal: new AbortController().signal,
    log: () => undefined,
  } as unknown as HarnessContext;
  const echo = {
    name: 'mcp__kb__echo',
    description: 'd',
    inputSchema: { type: 'object' as const },
    prepare: (input: unknown) => ({
      run: () => Promise.resolve({ text: JSON.stringify(input), isError: false, note: 'answered' }),
    }),
  };
  const connected = brokeredTools([{ name: 'crm', tools: [{ name: 'find', description: '', inputSchema: {} }] }], {
    contract,
    narrator: { say: () => Promise.resolve() },
  });
  desk = new ToolDesk(context, offerTools([echo, ...connected]), (reason) =>
    Promise.resolve(void explained.push(reason)),
  );
});
afterEach(async () => {
  await workspace[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const COMMAND = 'item/commandExecution/requestApproval';
const ask = (more: JsonObject = {}): Promise<JsonValue> =>
  desk.answer(COMMAND, { kind: 'command', itemId: 'c1', command: "/bin/bash -c 'ls'", cwd: folder, ...more });

describe('what Codex asks', () => {
  it('is put to the gate under the id of the call, without its wrapper, and accepted for this one time', async () => {
    const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['ls'] } };
    const more = { proposedExecpolicyAmendment: ['ls'], availableDecisions: ['accept', amendment, 'cancel'] };
    expect(await ask(more)).toEqual({ decision: 'accept' });
    expect(asked).toEqual([{ id: 'c1', tool: 'Bash', input: { command: 'ls', cwd: folder } }]);
    expect(desk.completed({ id: 'c1', type: 'commandExecution', status: 'completed', exitCode: 0 })).toBeNull();
  });

  it('is declined when the gate denies it, and the model is told why', async () => {
    expect(await ask({ command: "/bin/bash -c 'touch forbidden'" })).toEqual({ decision: 'decline' });
    expect(explained).toEqual(['touch forbidden was denied: by policy']);
    expect(desk.completed({ id: 'c1', type: 'commandExecution', status: 'declined' })).toBeNull();
  });

  it('that failed is told to the model with the reasons why its own connections were refused', async () => {
    refusals.note('before.example:443', 'of another command');
    await ask();
    await ask({ itemId: 'c2' });
    desk.completed({ id: 'c2', type: 'commandExecution', status: 'failed', exitCode: 1 });
    refusals.note('a.example:443', 'this run is offline');
    desk.completed({ id: 'c1', type: 'commandExecution', status: 'failed', exitCode: 1 });
    expect(explained).toEqual([
      'ls: sandgate: 1 connection was refused while this ran: a.example:443 — this run is offline.',
    ]);
    await ask({ itemId: 'c3' });
    refusals.note('a.example:443', 'this run is offline');
    desk.completed({ id: 'c3', type: 'commandExecution', status: 'completed', exitCode: 0 });
    expect(explained).toHaveLength(1);
  });

  it.each<[string, JsonObject]>([
    ['a folder outside the workspace', { cwd: tmpdir() }],
    ['a folder that is not there', { cwd: '/nowhere' }],
    ['no folder', { cwd: null }],
    ['further rights', { additionalPermissions: { fileSystem: {} } }],
    ['a network', { networkApprovalContext: { host: 'x' } }],
    ['a network for later', { proposedNetworkPolicyAmendments: [{ host: 'x' }] }],
    ['more than this one time', { availableDecisions: ['acceptForSession', 'cancel'] }],
    ['input for a terminal', { kind: 'writeStdin', approvalId: 'a1', command: null }],
    ['a command that is to be typed into a terminal', { kind: 'writeStdin', approvalId: 'a1' }],
  ])('is declined without the gate when it is for %s', async (_, more) => {
    expect(await ask(more)).toEqual({ decision: 'decline' });
    expect(asked).toEqual([]);
  });

  it('is asked one call after the other, without waiting for what was allowed: Codex holds that back until all are answered', async () => {
    const [first, second] = [ask(), ask({ itemId: 'c2' })];
    expect(await first).toEqual({ decision: 'accept' });
    expect(await second).toEqual({ decision: 'accept' });
    expect(asked.map(({ id }) => id)).toEqual(['c1', 'c2']);
  });

  it('is asked in the order of arrival, however long a working directory takes to be looked up', async () => {
    desk.started({ id: 'p1', type: 'fileChange', changes: [{ path: '/w/a', kind: { type: 'add' }, diff: '+x' }] });
    const command = ask();
    const patch = desk.answer('item/fileChange/requestApproval', { itemId: 'p1' });
    expect(await Promise.all([command, patch])).toEqual([{ decision: 'accept' }, { decision: 'accept' }]);
    expect(asked.map(({ id }) => id)).toEqual(['c1', 'p1']);
  });

  it('shows the whole of a patch, both ends of a move, and declines one of which nothing is seen', async () => {
    const changes = [{ path: '/w/a', kind: { type: 'update', move_path: '/w/b' }, diff: '-x' }];
    desk.started({ id: 'p1', type: 'fileChange', changes });
    const approve = (itemId: string): Promise<JsonValue> => desk.answer('item/fileChange/requestApproval', { itemId });
    expect(await approve('p1')).toEqual({ decision: 'accept' });
    expect(asked).toEqual([
      {
        id: 'p1',
        tool: 'MultiEdit',
        input: {
          edits: [
            { file_path: '/w/a', op: 'update', diff: '-x' },
            { file_path: '/w/b', op: 'move_dest' },
          ],
          cwd: folder,
        },
      },
    ]);
    expect(await approve('p2')).toEqual({ decision: 'decline' });
    expect(asked).toHaveLength(1);
  });

  it('runs a tool of a sandbox server after the gate allowed it, and no other', async () => {
    const use = (tool: string, input: JsonObject): Promise<JsonValue> =>
      desk.answer('item/tool/call', { callId: 't1', tool, arguments: input });
    expect(await use('kb__echo', { q: 1 })).toEqual({
      contentItems: [{ type: 'inputText', text: '{"q":1}' }],
      success: true,
    });
    expect(asked).toEqual([{ id: 't1', tool: 'mcp__kb__echo', input: { q: 1 } }]);
    expect(await use('kb__echo', { q: 'forbidden' })).toMatchObject({ success: false });
    expect(await use('kb__other', {})).toMatchObject({ success: false });
    expect(asked).toHaveLength(2);
  });

  it('hands a tool of a connected service to the control plane, which puts it to the gate', async () => {
    const use = (input: JsonObject): Promise<JsonValue> =>
      desk.answer('item/tool/call', { callId: 't1', tool: 'crm__find', arguments: input });
    expect(await use({ q: 1 })).toEqual({ contentItems: [{ type: 'inputText', text: 'Ada' }], success: true });
    expect(await use({ q: 'forbidden' })).toEqual({
      contentItems: [{ type: 'inputText', text: 'The call was denied: by policy' }],
      success: false,
    });
    expect(asked).toEqual([]);
    const ids = brokered.map(({ toolCallId }) => toolCallId);
    expect([ids.every((id) => id.startsWith('bkr_')), new Set(ids).size]).toEqual([true, 2]);
  });

  it.each<[string, JsonValue]>([
    ['item/permissions/requestApproval', { permissions: {}, scope: 'turn' }],
    ['item/tool/requestUserInput', { answers: {} }],
    ['mcpServer/elicitation/request', { action: 'decline', content: null, _meta: null }],
    ['execCommandApproval', { decision: 'denied' }],
    ['applyPatchApproval', { decision: 'denied' }],
  ])('%s gets nothing', async (method, answer) => {
    expect(await desk.answer(method, { _meta: { codex_approval_kind: 'mcp_tool_call' }, serverName: 'kb' })).toEqual(
      answer,
    );
    expect(asked).toEqual([]);
  });

  it.each(['account/chatgptAuthTokens/refresh', 'currentTime/read', 'attestation/generate', 'x'])(
    '%s is not answered',
    async (method) => {
      await expect(desk.answer(method, {})).rejects.toMatchObject({ code: -32601 });
    },
  );

  it.each([
    ['a command', { id: 'u', type: 'commandExecution', status: 'completed', exitCode: 0 }],
    ['a command that failed', { id: 'u', type: 'commandExecution', status: 'failed', exitCode: 1 }],
    ['a patch', { id: 'u', type: 'fileChange', status: 'completed', changes: [] }],
    ['a server of its own', { id: 'u', type: 'mcpToolCall', status: 'completed' }],
    ['a search', { id: 'u', type: 'webSearch' }],
    ['another agent', { id: 'u', type: 'collabAgentToolCall', status: 'completed' }],
  ])('%s that was done without asking is told by its id', (_, item) => {
    expect(desk.completed(item)?.toolCallId).toBe('u');
  });
});
