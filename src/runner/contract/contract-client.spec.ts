import { afterEach, describe, expect, it } from '@jest/globals';
import { ScriptedPlane } from '../../../test/support/plane/scripted-plane.js';
import type { ScriptedPlaneOptions } from '../../../test/support/plane/scripted-plane.js';
import { FAST_TIMING } from '../../../test/support/runner/runner-run.js';
import type { JsonValue } from '../../domain/json.js';
import { RunStop } from './run-stop.js';
import { keepRenewing } from './heart.js';
import { boundText, Narrator } from './narrator.js';
import { ContractClient } from './contract-client.js';
import { ContractTransport } from './contract-transport.js';

const open: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function connect(
  options: ScriptedPlaneOptions = {},
): Promise<{ plane: ScriptedPlane; client: ContractClient; stop: RunStop }> {
  const plane = await ScriptedPlane.start(options);
  const transport = new ContractTransport({ baseUrl: 'http://plane', socketPath: plane.socketPath });
  const stop = new RunStop();
  open.push(
    () => plane.stop(),
    () => transport.close(),
  );
  const client = new ContractClient({
    transport,
    runId: plane.runId,
    tokens: plane.tokens,
    stop,
    timing: FAST_TIMING,
  });
  return { plane, client, stop };
}

const CALL = { toolCallId: 't1', tool: 'Bash', input: { command: 'ls' } };
const LINE = {
  actor: 'agent' as const,
  type: 'agent.message' as const,
  data: { role: 'assistant' as const, text: 'hi' },
};

describe('permission', () => {
  it.each([401, 403])('is a local denial on %i', async (status) => {
    const { client } = await connect({
      fault: (route) => (route === 'permission' ? { status, body: { error: 'wrong_run' } } : null),
    });
    expect(await client.permission(CALL)).toEqual({
      decision: 'deny',
      message: "the control plane refused the runner's credential",
    });
  });

  it('is asked again after every other failure, also after an answer that cannot be read', async () => {
    const faults = [
      { status: 500 },
      'cut',
      { status: 400 },
      { status: 404 },
      { status: 200, body: { decision: 'perhaps' } },
      { status: 429 },
    ] as const;
    const { plane, client } = await connect({
      fault: (route, attempt) => (route === 'permission' ? (faults[attempt - 1] ?? null) : null),
    });
    expect(await client.permission(CALL)).toEqual({ decision: 'allow' });
    expect(plane.attempts.get('permission')).toBe(7);
  });

  it('of an input that nests too deep to be written is asked once, as one that nests too deep to be judged', async () => {
    const { plane, client } = await connect({ decide: () => ({ decision: 'deny', message: 'too deep' }) });
    let input: JsonValue = 'x';
    for (let level = 0; level < 100_000; level += 1) input = [input];
    expect(() => JSON.stringify(input)).toThrow(RangeError);
    expect(await client.permission({ ...CALL, input })).toEqual({ decision: 'deny', message: 'too deep' });
    expect(plane.permissions).toMatchObject([{ toolCallId: 't1', tool: 'Bash' }]);
    expect(JSON.stringify(plane.permissions[0]?.input)).toMatch(/^\[{1000}\]{1000}$/);
  });

  it('honours a changed input', async () => {
    const { client } = await connect({ decide: () => ({ decision: 'allow', updated_input: { command: 'pwd' } }) });
    expect(await client.permission(CALL)).toEqual({ decision: 'allow', updatedInput: { command: 'pwd' } });
  });
});

describe('events', () => {
  it('keep one key over all attempts and never share it', async () => {
    const { plane, client } = await connect({
      fault: (route, attempt) => (route === 'events' && attempt === 1 ? { status: 503 } : null),
    });
    await client.postEvent(LINE);
    await client.postEvent(LINE);
    expect(plane.attempts.get('events')).toBe(3);
    expect(new Set(plane.events.map((event) => event.key)).size).toBe(2);
    expect(plane.events.every((event) => /^[0-9a-f-]{36}$/.test(event.key))).toBe(true);
  });

  it('are retried three times and then given up, and a lost line does not hold up the next', async () => {
    const { plane, client } = await connect({
      fault: (route, attempt) => (route === 'events' && attempt <= 4 ? 'cut' : null),
    });
    const lines: string[] = [];
    const narrator = new Narrator(client, (line) => lines.push(line));
    void narrator.say('agent', 'lost');
    void narrator.say('agent', 'kept');
    await narrator.flush();
    expect(plane.messages()).toEqual(['kept']);
    expect(plane.attempts.get('events')).toBe(5);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('lost ');
  });

  it('hold no NUL and no half character, which no record can hold, and no result does', async () => {
    const { plane, client } = await connect();
    await client.postEvent({ ...LINE, data: { role: 'assistant', text: 'a\u0000b\ud800c 😀' } });
    await client.postResult('completed', 'done\udc00\u0000');
    expect(plane.messages()).toEqual(['a\ufffdb\ufffdc 😀']);
    expect(plane.results).toEqual([{ outcome: 'completed', summary: 'done\ufffd\ufffd' }]);
  });

  it('are not retried when they are refused', async () => {
    const { plane, client } = await connect({ fault: (route) => (route === 'events' ? { status: 413 } : null) });
    await expect(client.postEvent(LINE)).rejects.toMatchObject({ status: 413 });
    expect(plane.attempts.get('events')).toBe(1);
  });

  it.each(['x'.repeat(200_000), '\u0001'.repeat(200_000), '😀'.repeat(50_000), '\ud800'.repeat(100_000)])(
    'fit into 64 KiB whatever the text is made of',
    (text) => {
      const bound = boundText(text);
      expect(Buffer.byteLength(JSON.stringify(bound))).toBeLessThan(60 * 1024);
      expect(bound.endsWith('(cut)')).toBe(true);
      expect(bound.isWellFormed()).toBe(true);
    },
  );
});

describe('brokered calls', () => {
  it('are presented three times under one id and then say that they may have executed', async () => {
    const { plane, client } = await connect({ fault: (route) => (route === 'tools/call' ? { status: 502 } : null) });
    expect(await client.callTool(CALL)).toMatchObject({
      kind: 'unanswered',
      message: expect.stringContaining('may have executed'),
    });
    expect(plane.attempts.get('tools/call')).toBe(3);
  });

  it('are not repeated when the run is over', async () => {
    const { plane, client } = await connect({
      fault: (route) => (route === 'tools/call' ? { status: 400, body: { error: 'session is not active' } } : null),
    });
    expect(await client.callTool(CALL)).toEqual({ kind: 'failed', message: 'session is not active' });
    expect(plane.attempts.get('tools/call')).toBe(1);
  });
});

describe('the other calls', () => {
  it('heartbeats are retried once, results five times', async () => {
    const { plane, client } = await connect({ fault: () => ({ status: 500 }) });
    await expect(client.heartbeat()).rejects.toThrow();
    await expect(client.postResult('completed', '')).rejects.toThrow();
    expect(plane.attempts.get('heartbeat')).toBe(2);
    expect(plane.attempts.get('result')).toBe(6);
  });

  it.each([
    [{ status: 400 }, 1],
    [{ status: 401 }, 1],
    [{ status: 200, body: { renewed: false } }, 1],
  ] as const)('renewal stops for good on %j', async (fault, attempts) => {
    const { plane, client } = await connect({ fault: (route) => (route === 'token/renew' ? fault : null) });
    await keepRenewing(client, new AbortController().signal, () => undefined);
    expect(plane.attempts.get('token/renew')).toBe(attempts);
  });

  it('renewal goes on after a failure that passes', async () => {
    const { plane, client } = await connect({
      fault: (route, attempt) => (route === 'token/renew' ? { status: attempt < 3 ? 503 : 400 } : null),
    });
    await keepRenewing(client, new AbortController().signal, () => undefined);
    expect(plane.attempts.get('token/renew')).toBe(3);
  });

  it('an answer that is too large is refused, not read', async () => {
    const { client } = await connect({
      fault: (route) => (route === 'heartbeat' ? { status: 200, body: { filler: 'x'.repeat(9_000_000) } } : null),
    });
    await expect(client.heartbeat()).rejects.toThrow();
  });

  it('everything in flight ends when the run is stopped', async () => {
    const { plane, client, stop } = await connect({ decide: () => 'pending' });
    const parked = Array.from({ length: 20 }, (_, index) => client.permission({ ...CALL, toolCallId: `t${index}` }));
    while (plane.permissions.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.request({ kind: 'quiesce' });
    for (const settled of await Promise.allSettled(parked)) expect(settled.status).toBe('rejected');
  });
});
