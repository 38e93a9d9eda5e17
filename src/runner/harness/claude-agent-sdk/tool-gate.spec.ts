import { describe, expect, it } from '@jest/globals';
import { RefusalLog } from '../../bridge/refusal-log.js';
import type { ToolCallRequest } from '../../contract/contract-client.js';
import type { HarnessContext } from '../harness.js';
import { ToolGate } from './tool-gate.js';

describe('a call that failed in Claude Code', () => {
  const refusals = new RefusalLog();
  const context = {
    contract: {
      permission: ({ toolCallId }: ToolCallRequest) =>
        Promise.resolve(toolCallId === 'denied' ? { decision: 'deny', message: 'no' } : { decision: 'allow' }),
    },
    tools: { network: { variables: {}, refusals } },
    mcpTools: [],
    signal: new AbortController().signal,
    log: () => undefined,
  } as unknown as HarnessContext;
  const gate = new ToolGate(context);
  const ask = (toolUseID: string): Promise<unknown> => gate.canUseTool('Bash', { command: 'x' }, { toolUseID });
  const fail = (id: string): Promise<unknown> => gate.failureHook({ tool_use_id: id });

  it('has the reasons beside it why its own connections were refused', async () => {
    refusals.note('before.example:443', 'of another call');
    await ask('first');
    expect(await fail('first')).toEqual({});
    refusals.note('a.example:443', 'this run is offline');
    expect(await fail('first')).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolUseFailure',
        additionalContext: '[sandgate: 1 connection was refused while this ran: a.example:443 — this run is offline]',
      },
    });
  });

  it('and did not run, or is not known, has nothing beside it', async () => {
    await ask('denied');
    refusals.note('a.example:443', 'this run is offline');
    expect([await fail('denied'), await fail('unknown'), await gate.failureHook({})]).toEqual([{}, {}, {}]);
  });
});
