import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  BUSY,
  connectServer,
  createBrokeredAgent,
  RunnerVoice,
  type BrokeredAnswer,
} from '../../support/broker/brokered-run.js';
import type { LiveStack, Part } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import type { Behaviour } from '../../support/mcp/behaviour.js';
import { ECHO, HostileServer } from '../../support/mcp/hostile-server.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';

const TOOL = 'mcp__kb__echo';
const KEY = 'upstream-key';
/** One round is 40 injections: 24 of the upstream and 16 kills; the nightly campaign runs eight. */
const ROUNDS = Number(process.env['TEST_BROKER_FAULT_ROUNDS'] ?? 1);
const SLOW: Behaviour = { kind: 'slow', delayMs: 600 };

/** What the upstream does to one call. */
const UPSTREAM_FAULTS: [string, (server: HostileServer) => void][] = [
  ['resets the connection', (server) => server.resetConnections(1)],
  ['is cut after the request', (server) => server.next('tools/call', { kind: 'cut', at: 'request' })],
  ['is cut after the head of its answer', (server) => server.next('tools/call', { kind: 'cut', at: 'headers' })],
  ['is cut in the middle of its answer', (server) => server.next('tools/call', { kind: 'cut', at: 'body' })],
  ['is slow', (server) => server.next('tools/call', SLOW)],
  [
    'answers too much',
    (server) => server.next('tools/call', { kind: 'oversized', bytes: 9_000_000, announced: false }),
  ],
  ['redirects', (server) => server.next('tools/call', { kind: 'redirect', to: 'http://127.0.0.1:1/' })],
  ['forgets the session', (server) => server.next('tools/call', { kind: 'session-lost' })],
  ['answers no JSON', (server) => server.next('tools/call', { kind: 'raw', contentType: 'text/html', body: '<p>' })],
  ...[401, 403, 429, 500, 503].map((status): [string, (server: HostileServer) => void] => [
    `answers ${status}`,
    (server) => server.next('tools/call', { kind: 'status', status }),
  ]),
];

/** Faults of the upstream beyond its list, drawn from it in turn, so that a round has 24. */
const UPSTREAM_PER_ROUND = 24;
const VICTIMS: Part[] = ['api', 'worker', 'temporal', 'postgres'];
/** Moments of a kill: as calls leave, when the first byte has arrived, when the answer is on its way, and just behind it. */
const MOMENTS = ['leaving', 'arrived', 'answering', 'answered'] as const;

/** A brokered call under faults. */
export function settlesCalls(enter: EnterStack): void {
  let stack: LiveStack;
  let server: HostileServer;
  let voices: RunnerVoice[];
  let calls = 0;
  const answers = new Map<string, { voice: RunnerVoice; answer: BrokeredAnswer }>();

  beforeAll(async () => {
    server = await HostileServer.start({ tools: [ECHO], authorization: `Bearer ${KEY}` });
    stack = await enter();
    await connectServer(stack, server.url, KEY);
    await createBrokeredAgent(stack, 'unlucky', [{ slot: 'kb', url: server.url, tools: ['echo'] }]);
    voices = await Promise.all(
      [1, 2, 3].map(async () => {
        const id = await stack.startRun('unlucky', BUSY);
        await stack.untilStatus(id, 'running');
        return RunnerVoice.of(stack, id);
      }),
    );
  });

  afterAll(() => server?.close());

  /** Each call carries its id, so that the server's record tells how often it arrived. */
  async function make(voice: RunnerVoice): Promise<BrokeredAnswer> {
    const id = `bkr_${String((calls += 1)).padStart(5, '0')}`;
    const answer = await voice.callUntilAnswered(id, TOOL, { message: id }, 60_000);
    answers.set(id, { voice, answer });
    return answer;
  }

  const arrivalsOf = (id: string): number => server.arrivals.filter(({ text }) => text.includes(id)).length;

  it('CP-160 CP-161 CP-162 is answered or settled whatever the upstream does', async () => {
    for (let index = 0; index < UPSTREAM_PER_ROUND * ROUNDS; index += 1) {
      const [name, inject] = UPSTREAM_FAULTS[index % UPSTREAM_FAULTS.length]!;
      inject(server);
      const answer = await make(voices[index % voices.length]!);
      expect({ name, status: answer.status, ok: typeof answer.body.ok }).toEqual({ name, status: 200, ok: 'boolean' });
    }
  }, 600_000);

  const kills = Array.from({ length: ROUNDS }, (_, round) =>
    VICTIMS.flatMap((part) => MOMENTS.map((moment) => [part, moment, round + 1] as const)),
  ).flat();

  it.each(kills)(
    'CP-159 CP-162 is answered or settled after kill -9 of %s while it is %s (round %d)',
    async (part, moment) => {
      server.always('tools/call', moment === 'leaving' ? null : SLOW);
      const before = server.calls.length;
      const pending = voices.map((voice) => make(voice));
      if (moment !== 'leaving') {
        await stack.until('a call to arrive', 60_000, () =>
          Promise.resolve(server.calls.length > before ? true : undefined),
        );
      }
      if (moment === 'answering') await pause(550);
      if (moment === 'answered') await pause(650);
      stack.kill(part);
      await Promise.all(pending);
      server.always('tools/call', null);
    },
    120_000,
  );

  it('CP-159 never reaches the upstream twice after its first byte, and every claim is settled', async () => {
    const database = StackDatabase.of(stack);
    const runIds = voices.map(({ runId }) => runId);
    await stack.until('every claim to be settled', 60_000, async () => {
      const open = await database.query(
        `select 1 from tool_execution_claims where state = 'claimed' and session_id = any ($1)`,
        [runIds],
      );
      return open.length === 0 ? true : undefined;
    });
    const often = [...answers.keys()].filter((id) => arrivalsOf(id) > 1);
    expect(often.filter((id) => !wasRefusedBySession(server, id))).toEqual([]);
    const claims = await database.query<{ tool_call_id: string; state: string; attempt: number }>(
      'select tool_call_id, state, attempt from tool_execution_claims where session_id = any ($1)',
      [runIds],
    );
    const states = new Map(claims.map((claim) => [claim.tool_call_id, claim]));
    for (const [id, { answer }] of answers) {
      const claim = states.get(id);
      const { ok, error } = answer.body;
      if (arrivalsOf(id) > 0) expect({ id, claimed: claim !== undefined }).toEqual({ id, claimed: true });
      if (ok === true) expect(['succeeded', 'failed_upstream']).toContain(claim?.state);
      if (error?.includes('ambiguous') === true)
        expect({ id, state: claim?.state }).toEqual({ id, state: 'ambiguous' });
    }
    // An answered call gets the same answer again, byte for byte, and nothing arrives at the upstream.
    const arrived = server.calls.length;
    for (const [id, { voice, answer }] of answers) {
      if (answer.body.ok !== true) continue;
      expect((await voice.call(id, TOOL, { message: id })).text).toBe(answer.text);
    }
    expect(server.calls.length).toBe(arrived);
    for (const runId of runIds) {
      await stack.json('POST', `/v1/sessions/${runId}/cancel`);
      await stack.untilTerminal(runId);
      await expectWholeLedger(stack, runId);
    }
  }, 240_000);
}

/**
 * A server that has lost the session has performed nothing, and says so: that one repetition belongs to the protocol
 * (docs/design/broker.md).
 */
function wasRefusedBySession(server: HostileServer, id: string): boolean {
  const mine = server.arrivals.filter(({ text }) => text.includes(id));
  const performed = mine.filter(
    ({ behaviour }) => behaviour.kind !== 'session-lost' && !(behaviour.kind === 'status' && behaviour.status === 404),
  );
  return performed.length <= 1;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
