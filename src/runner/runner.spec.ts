import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ScriptedPlane } from '../../test/support/plane/scripted-plane.js';
import type { ScriptedPlaneOptions } from '../../test/support/plane/scripted-plane.js';
import { startRun } from '../../test/support/runner/runner-run.js';
import type { TestRun } from '../../test/support/runner/runner-run.js';
import { untilHolds } from '../../test/support/time/until.js';
import type { RunnerOptions } from './runner.js';

const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function startPlane(options: ScriptedPlaneOptions = {}): Promise<ScriptedPlane> {
  const plane = await ScriptedPlane.start(options);
  open.push(plane);
  return plane;
}

async function replay(plane: ScriptedPlane, steps: unknown, changes: Partial<RunnerOptions> = {}): Promise<TestRun> {
  const task = typeof steps === 'string' ? steps : JSON.stringify(steps);
  const run = await startRun(plane, { SERVICE_HARNESS: 'replay', SERVICE_TASK: task }, changes);
  open.push({ stop: run.cleanUp });
  return run;
}

describe('a scripted run', () => {
  it('CP-026 asks the gate for every step, acts on an allow and leaves no trace of a denied one', async () => {
    const plane = await startPlane({
      decide: ({ tool }) => (tool === 'Bash' ? { decision: 'deny', message: 'egress blocked' } : { decision: 'allow' }),
    });
    const run = await replay(plane, [
      { say: 'I start.' },
      { tool: 'Write', input: { file_path: 'a.txt', content: 'one' } },
      { tool: 'Edit', input: { file_path: '/workspace-alias', old_string: 'x', new_string: 'y' } },
      { tool: 'Bash', input: { command: 'echo two > b.txt' } },
      { tool: 'Bash', input: { command: './deploy.sh' }, on_deny_say: 'I leave that to you.' },
    ]);
    expect(await run.exitCode).toBe(0);
    expect(plane.permissions.map((call) => call.toolCallId)).toEqual(['rp_001', 'rp_002', 'rp_003', 'rp_004']);
    expect(await readFile(join(run.workspace, 'a.txt'), 'utf8')).toBe('one');
    await expect(readFile(join(run.workspace, 'b.txt'))).rejects.toThrow();
    expect(plane.messages()).toEqual([
      'This run is scripted: the steps of its task are performed in order, without any model call.',
      'I start.',
      'Bash denied: egress blocked',
      'I leave that to you.',
    ]);
    expect(plane.results).toEqual([
      { outcome: 'completed', summary: 'Replay finished: 2 executed, 2 denied. The deployment was withheld.' },
    ]);
    expect(plane.attempts.get('llm')).toBeUndefined();
  });

  it('sends brokered names to the broker under the same ids and tells its three kinds of answer apart', async () => {
    const plane = await startPlane({
      callTool: ({ toolCallId }) =>
        toolCallId === 'rp_001'
          ? { ok: true, result: { content: [{ type: 'text', text: 'found' }], is_error: false } }
          : { ok: false, denied: true, message: 'not in this run' },
    });
    const run = await replay(plane, [
      { tool: 'mcp__kb__find', input: { q: 'a' } },
      { tool: 'mcp__kb__find', input: { q: 'b' } },
    ]);
    expect(await run.exitCode).toBe(0);
    expect(plane.brokered.map((call) => call.toolCallId)).toEqual(['rp_001', 'rp_002']);
    expect(plane.permissions).toEqual([]);
    expect(plane.messages()).toContain('mcp__kb__find denied: not in this run');
  });

  it.each([
    ['a plain text', 'fix the bug', 'must be a JSON array'],
    ['an empty script', [], '1 to 5000 steps'],
    ['an ambiguous step', [{ say: 'x', tool: 'Bash', input: {} }], 'step 1 must have exactly one'],
    ['an unknown member', [{ say: 'x' }, { tool: 'Bash', input: {}, wait: 1 }], 'step 2 has a member'],
    ['an empty step', [{}], 'step 1 must have exactly one'],
  ])('refuses %s before anything is done', async (_name, steps, reason) => {
    const plane = await startPlane();
    const run = await replay(plane, steps);
    expect(await run.exitCode).toBe(1);
    expect(plane.permissions).toEqual([]);
    expect(plane.results[0]?.['outcome']).toBe('failed');
    expect(plane.results[0]?.['summary']).toContain(reason);
    expect(plane.events.at(-1)).toMatchObject({ type: 'run.error', actor: 'harness' });
  });

  it('keeps what tools read and print out of events and log', async () => {
    const plane = await startPlane();
    const run = await replay(plane, [{ tool: 'Bash', input: { command: 'echo canary-7f3a; exit 3' } }]);
    expect(await run.exitCode).toBe(0);
    const recorded = JSON.stringify([plane.events, plane.results, run.lines]);
    expect(recorded).not.toContain('canary-7f3a');
    expect(recorded).toContain('exit code 3');
  });
});

describe('the end of a run', () => {
  it('CP-288 ends with exit code 3 and no result when a token is refused for its audience', async () => {
    const plane = await startPlane();
    plane.tokens.tool = 'another token';
    const run = await replay(plane, [{ tool: 'Bash', input: { command: 'touch acted' } }], {
      tokens: { control: plane.tokens.control, tool: 'svc_sess_llm', llm: 'svc_sess_llm' },
    });
    expect(await run.exitCode).toBe(3);
    expect(plane.results).toEqual([]);
    expect(plane.events.at(-1)?.data['text']).toContain('wrong_audience');
    await expect(readFile(join(run.workspace, 'acted'))).rejects.toThrow();
  });

  it.each(['heartbeat', 'result', 'token/renew', 'events'])(
    'CP-288 also when %s is the route that refuses',
    async (refusing) => {
      const plane = await startPlane({
        fault: (route) => (route === refusing ? { status: 403, body: { error: 'wrong_audience' } } : null),
        decide: () => (refusing === 'result' ? { decision: 'allow' } : 'pending'),
      });
      const run = await replay(plane, [{ tool: 'Bash', input: { command: 'true' } }]);
      expect(await run.exitCode).toBe(3);
      expect(plane.results).toEqual([]);
    },
  );

  it('stops the running tool and ends with exit code 0 and no result when told to quiesce', async () => {
    let quiesce = false;
    const plane = await startPlane({ heartbeatAction: () => (quiesce ? 'quiesce' : null) });
    const run = await replay(plane, [{ tool: 'Bash', input: { command: 'echo $$ > pid; sleep 600' } }]);
    await untilHolds(() => plane.permissions.length === 1);
    const pid = await eventually(() => readFile(join(run.workspace, 'pid'), 'utf8'));
    quiesce = true;
    expect(await run.exitCode).toBe(0);
    expect(plane.results).toEqual([]);
    await untilHolds(() => !isAlive(Number(pid)));
  });

  it('ends a parked permission at once when told to quiesce', async () => {
    const plane: ScriptedPlane = await startPlane({
      decide: () => 'pending',
      heartbeatAction: () => (plane.permissions.length > 0 ? 'quiesce' : null),
    });
    const run = await replay(plane, [{ tool: 'Bash', input: { command: 'true' } }]);
    expect(await run.exitCode).toBe(0);
    expect(plane.attempts.get('permission')).toBe(1);
  });

  it('names the point of the self-check that failed, before the agent gets control', async () => {
    const plane = await startPlane();
    const run = await replay(plane, [{ say: 'never' }], {
      selfCheck: () => ({ ok: false, point: 'network' }),
    });
    expect(await run.exitCode).toBe(1);
    expect(plane.results[0]?.['summary']).toContain('network');
    expect(plane.messages()).toEqual([]);
  });

  it('ends with exit code 1 when the result cannot be delivered', async () => {
    const plane = await startPlane({ fault: (route) => (route === 'result' ? { status: 503 } : null) });
    const run = await replay(plane, [{ say: 'done' }]);
    expect(await run.exitCode).toBe(1);
    expect(plane.attempts.get('result')).toBe(6);
  });

  it('refuses a harness that it does not have', async () => {
    const plane = await startPlane();
    const run = await startRun(plane, { SERVICE_HARNESS: 'elsewhere', SERVICE_TASK: 'x' });
    open.push({ stop: run.cleanUp });
    expect(await run.exitCode).toBe(1);
    expect(plane.results[0]?.['summary']).toContain('elsewhere');
  });
});

describe('a run whose control plane comes and goes', () => {
  it('CP-150 a restarted runner presents the same call under the same id and gets the later decision', async () => {
    let quiesce = true;
    const plane: ScriptedPlane = await startPlane({
      decide: () => 'pending',
      heartbeatAction: () => (quiesce && plane.permissions.length > 0 ? 'quiesce' : null),
    });
    const steps = [{ tool: 'Bash', input: { command: 'echo approved > out' } }];
    const first = await replay(plane, steps);
    expect(await first.exitCode).toBe(0);
    quiesce = false;
    const second = await replay(plane, steps);
    await untilHolds(() => plane.permissions.length === 2);
    plane.settle('rp_001', { decision: 'allow' });
    expect(await second.exitCode).toBe(0);
    expect(plane.approvalIds).toEqual(['rp_001']);
    expect(plane.permissions[1]).toEqual(plane.permissions[0]);
    expect(await readFile(join(second.workspace, 'out'), 'utf8')).toBe('approved\n');
  });

  it('CP-150 re-presents a pending call when its connection breaks, for as long as it takes', async () => {
    const plane = await startPlane({
      decide: () => 'pending',
      fault: (route, attempt) => (route === 'permission' && attempt > 1 && attempt < 12 ? { status: 500 } : null),
    });
    const run = await replay(plane, [{ tool: 'Bash', input: { command: 'true' } }]);
    await untilHolds(() => plane.permissions.length === 1);
    plane.dropConnections();
    await untilHolds(() => plane.permissions.length === 2);
    plane.settle('rp_001', { decision: 'allow' });
    expect(await run.exitCode).toBe(0);
    expect(plane.approvalIds).toEqual(['rp_001']);
    expect(plane.attempts.get('permission')).toBe(12);
  });

  it('beats on while a permission is parked', async () => {
    const plane = await startPlane({ decide: () => 'pending' });
    const run = await replay(plane, [{ tool: 'Bash', input: { command: 'true' } }]);
    await untilHolds(() => (plane.attempts.get('heartbeat') ?? 0) >= 4);
    expect(plane.permissions).toHaveLength(1);
    plane.settle('rp_001', { decision: 'deny', message: 'no' });
    expect(await run.exitCode).toBe(0);
  });
});

async function eventually(read: () => Promise<string>): Promise<string> {
  let content = '';
  const deadline = Date.now() + 60_000;
  while (content === '' && Date.now() < deadline) {
    content = await read().catch(() => '');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return content;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
