import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  BUSY,
  connectServer,
  LOOPBACK_UPSTREAMS,
  NO_DIAL_LIMITS,
  RunnerVoice,
} from '../../support/broker/brokered-run.js';
import type { BrokeredAnswer } from '../../support/broker/brokered-run.js';
import {
  LiveStack,
  QUICK_MAINTENANCE,
  type Approval,
  type TimelineEvent,
} from '../../support/installation/live-stack.js';
import { ECHO, HostileServer } from '../../support/mcp/hostile-server.js';
import { untilHolds } from '../../support/time/until.js';

jest.setTimeout(180_000);

const DENIED = { status: 200, body: { decision: 'deny', message: 'session is not active' } };
const REFUSED = { status: 400, body: { error: 'session is not active' } };
const ECHO_TOOL = 'mcp__kb__echo';

let stack: LiveStack;
let server: HostileServer;

beforeAll(async () => {
  server = await HostileServer.start({ tools: [ECHO], authorization: 'Bearer upstream-key' });
  // The next re-read comes long after these runs are over, so a call that is released was released by the end of its run.
  const farAway = { SERVICE_TIMING_TAIL_REREAD_MS: '600000', SERVICE_LIMIT_BROKERED_CALLS: '1' };
  stack = await LiveStack.start({ ...QUICK_MAINTENANCE, ...LOOPBACK_UPSTREAMS, ...NO_DIAL_LIMITS, ...farAway });
  await connectServer(stack, server.url);
  await createAgent('asking', ['Bash']);
  await createAgent('calling', ['Bash', 'mcp__*']);
}, 180_000);
afterAll(async () => {
  await stack?.stop();
  await server?.close();
}, 120_000);

/** An agent with a brokered server, and a policy that asks a human about every other tool than these. */
async function createAgent(name: string, allowed: string[]): Promise<void> {
  const content = { name, defaults: { tool_action: 'approve' }, tools: [{ match: allowed, action: 'allow' }] };
  await stack.json('POST', '/v1/policies', { name, yaml: JSON.stringify(content) });
  const requirement = {
    slot: 'kb',
    connector: { url: server.url },
    required_tools: ['echo'],
    binding_mode: 'organization',
  };
  await stack.createReplayAgent(name, name, { connection_requirements: [requirement] });
}

async function liveRun(agent: string, steps: object[], more: object = {}): Promise<RunnerVoice> {
  const id = await stack.startRun(agent, steps, more);
  await stack.untilStatus(id, 'running');
  return RunnerVoice.of(stack, id);
}

function approvalsOf({ runId }: RunnerVoice): Promise<Approval[]> {
  return stack
    .json<{ approvals: Approval[] }>('GET', `/v1/sessions/${runId}/approvals`)
    .then(({ approvals }) => approvals);
}

/** One call of each kind, held for a human. */
async function holdBoth(voice: RunnerVoice): Promise<Promise<BrokeredAnswer>[]> {
  const held = [voice.ask('held-permission', 'Deploy', {}), voice.call('held-call', ECHO_TOOL, { message: 'x' })];
  await stack.until('two calls to wait', 60_000, async () =>
    (await approvalsOf(voice)).length === 2 ? true : undefined,
  );
  return held;
}

const cancel = async ({ runId }: RunnerVoice): Promise<void> => {
  await stack.json('POST', `/v1/sessions/${runId}/cancel`);
};

const killSandbox = ({ runId }: RunnerVoice): void => {
  const file = join(stack.dataDir, 'runs', runId, 'sandbox', 'process.json');
  process.kill((JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid, 'SIGKILL');
};

/** One call more than the budget has, when the two held ones and the run's own are out. */
const exceed = async (voice: RunnerVoice): Promise<void> => {
  await stack.until('three calls to be out', 60_000, async () =>
    (await stack.timeline(voice.runId)).filter(({ type }) => type === 'tool.requested').length === 3 ? true : undefined,
  );
  expect(await voice.ask('one-too-many', 'Bash', { command: 'true' })).toMatchObject({
    body: { decision: 'deny', message: 'tool-call budget exceeded' },
  });
};

const nothing = (): void => undefined;

const A_MOMENT = [{ tool: 'Bash', input: { command: 'sleep 8' } }, { say: 'done' }];

interface Ending {
  steps?: object[];
  more?: object;
  by: (voice: RunnerVoice) => Promise<void> | void;
  status: string;
}

describe('both kinds of held call of a run', () => {
  it.each<[string, Ending]>([
    ['that is cancelled', { by: cancel, status: 'cancelled' }],
    ['that exceeds its calls', { more: { budgets: { max_tool_calls: 3 } }, by: exceed, status: 'budget_exceeded' }],
    ['whose time is over', { more: { budgets: { max_wall_clock_secs: 12 } }, by: nothing, status: 'budget_exceeded' }],
    ['whose sandbox dies', { by: killSandbox, status: 'failed' }],
    ['that reports its result', { steps: A_MOMENT, by: nothing, status: 'completed' }],
  ])('CP-141 CP-149 %s are told that it is not active, and denied once on the record', async (_what, ending) => {
    const voice = await liveRun('asking', ending.steps ?? BUSY, ending.more);
    const held = await holdBoth(voice);
    await ending.by(voice);
    const [permission, call] = await Promise.all(held);
    expect(permission).toMatchObject(DENIED);
    expect(call).toMatchObject(REFUSED);
    expect((await stack.untilTerminal(voice.runId)).status).toBe(ending.status);

    const approvals = await approvalsOf(voice);
    expect(approvals.map(({ status }) => status)).toEqual(['expired', 'expired']);
    const ledger = await stack.timeline(voice.runId);
    for (const id of ['held-permission', 'held-call']) expect(linesOf(ledger, id)).toEqual(ASKED_AND_EXPIRED);
    expect(server.calls.filter(({ method }) => method === 'tools/call')).toEqual([]);
    expect(await stack.decide(approvals[0]!.id, 'approved_once')).toMatchObject({ status: 'expired' });
    expect(await stack.timeline(voice.runId)).toEqual(ledger);
  });
});

const ASKED_AND_EXPIRED = [
  ['tool.requested', undefined],
  ['approval.requested', undefined],
  ['approval.decided', 'expired'],
  ['tool.decision', 'deny'],
];

function linesOf(ledger: TimelineEvent[], id: string): unknown[][] {
  const own = ledger.filter(({ payload }) => payload.data['tool_call_id'] === id);
  return own.map(({ type, payload: { data } }) => [type, data['decision'] ?? data['verdict']]);
}

describe('a brokered call that waits behind others of its run', () => {
  it('CP-141 is told that the run is not active as soon as it ends, and is never sent', async () => {
    server.always('tools/call', { kind: 'hang' });
    const voice = await liveRun('calling', BUSY);
    let firstAnswered = false;
    const first = voice.call('first', ECHO_TOOL, { message: 'first' }).finally(() => (firstAnswered = true));
    await untilHolds(() => server.calls.some(({ text }) => text.includes('"first"')));
    const second = voice.call('second', ECHO_TOOL, { message: 'second' });
    await stack.until('the gate to let it go', 60_000, async () =>
      linesOf(await stack.timeline(voice.runId), 'second').length === 2 ? true : undefined,
    );
    await cancel(voice);
    expect(await second).toMatchObject(REFUSED);
    expect(firstAnswered).toBe(false);
    server.always('tools/call', null);
    await stack.untilTerminal(voice.runId);
    expect(await first).toMatchObject({ status: 200, body: { ok: false } });
    expect(server.calls.some(({ text }) => text.includes('"second"'))).toBe(false);
  });
});
