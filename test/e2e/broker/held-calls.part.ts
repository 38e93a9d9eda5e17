import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BUSY, connectServer, createBrokeredAgent, RunnerVoice } from '../../support/broker/brokered-run.js';
import type { Approval, LiveStack, Part } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { ECHO, HostileServer } from '../../support/mcp/hostile-server.js';

const ASKED = 'mcp__kb__ask';
const DENIED = 'mcp__kb__never';
const ANSWER_WITHIN_MS = 90_000;

/** Brokered calls that policy does not allow by itself. */
export function holdsCalls(enter: EnterStack): void {
  let stack: LiveStack;
  let server: HostileServer;
  let voice: RunnerVoice;
  let calls = 0;

  const nextId = (): string => `bkr_held_${(calls += 1)}`;

  beforeAll(async () => {
    const tools = ['ask', 'never'].map((name) => ({ ...ECHO, name }));
    server = await HostileServer.start({ tools });
    stack = await enter();
    await connectServer(stack, server.url);
    const policy = {
      name: 'asking',
      defaults: { tool_action: 'approve' },
      tools: [
        { match: ['Bash'], action: 'allow' },
        { match: [DENIED], action: 'deny' },
      ],
    };
    await stack.json('POST', '/v1/policies', { name: policy.name, yaml: JSON.stringify(policy) });
    const slots = [{ slot: 'kb', url: server.url, tools: ['ask', 'never'] }];
    await createBrokeredAgent(stack, 'asker', slots, { policy: policy.name });
    const id = await stack.startRun('asker', BUSY);
    await stack.untilStatus(id, 'running');
    voice = await RunnerVoice.of(stack, id);
  });

  afterAll(() => server?.close());

  const arrivalsWith = (marker: string): number => server.calls.filter(({ text }) => text.includes(marker)).length;

  const approvals = async (): Promise<Approval[]> =>
    (await stack.json<{ approvals: Approval[] }>('GET', `/v1/sessions/${voice.runId}/approvals`)).approvals;

  /** The question about a call, as soon as it is asked. */
  function question(callId: string): Promise<Approval> {
    return stack.until(`the question about ${callId}`, 60_000, async () =>
      (await approvals()).find(({ tool_call_id }) => tool_call_id === callId),
    );
  }

  /** What the ledger says of a call: each line's type with what it decided, in the order of the ledger. */
  async function linesOf(callId: string): Promise<string[]> {
    const lines = (await stack.timeline(voice.runId)).filter(({ payload }) => payload.data['tool_call_id'] === callId);
    return lines.map(({ type, payload: { data } }) =>
      [type, data['verdict'], data['source'], data['decision'], data['outcome']].filter(Boolean).join(' '),
    );
  }

  const RELEASED = [
    'tool.requested',
    'approval.requested',
    'approval.decided approved_once',
    'tool.decision allow human',
    'tool.brokered succeeded',
  ];

  describe('a brokered call that policy holds for a human', () => {
    it('CP-006 CP-027 CP-295 is sent when it is approved, and not before; its lines stand in the order of what happened', async () => {
      const id = nextId();
      const answer = voice.call(id, ASKED, { message: id });
      const asked = await question(id);
      expect([asked.status, arrivalsWith(id), await linesOf(id)]).toEqual(['pending', 0, RELEASED.slice(0, 2)]);
      await stack.decide(asked.id, 'approved_once');
      expect(await answer).toMatchObject({ status: 200, body: { ok: true } });
      expect([arrivalsWith(id), await linesOf(id)]).toEqual([1, RELEASED]);

      const again = nextId();
      void voice.call(again, ASKED, { message: again }).catch(() => undefined);
      expect((await question(again)).status).toBe('pending');
      await stack.decide((await question(again)).id, 'denied');
    });

    it('CP-027 is never sent when it is denied, and the model is told', async () => {
      const id = nextId();
      const answer = voice.call(id, ASKED, { message: id });
      await stack.decide((await question(id)).id, 'denied');
      expect(await answer).toMatchObject({ status: 200, body: { ok: false, denied: true } });
      expect(await voice.call(id, ASKED, { message: id })).toMatchObject({ body: { ok: false, denied: true } });
      expect(arrivalsWith(id)).toBe(0);
      expect(await linesOf(id)).toEqual([
        'tool.requested',
        'approval.requested',
        'approval.decided denied',
        'tool.decision deny human',
      ]);
    });

    it.each<[string, Part[]]>([
      ['the API', ['api']],
      ['the worker', ['worker']],
      ['the API and the worker', ['api', 'worker']],
    ])(
      'CP-150 CP-159 CP-295 is the same question after kill -9 of %s, and is sent once when it is released',
      async (_what, parts) => {
        const id = nextId();
        const answer = voice.callUntilAnswered(id, ASKED, { message: id }, ANSWER_WITHIN_MS);
        const asked = await question(id);
        for (const part of parts) stack.kill(part);
        // Asked until the next API answers.
        await stack.json('GET', '/v1/health');
        expect((await question(id)).id).toBe(asked.id);
        await stack.decide(asked.id, 'approved_once');
        expect(await answer).toMatchObject({ status: 200, body: { ok: true } });
        expect([arrivalsWith(id), await linesOf(id)]).toEqual([1, RELEASED]);
        expect((await approvals()).filter(({ tool_call_id }) => tool_call_id === id)).toHaveLength(1);
      },
    );

    it('CP-148 is not asked about again in the run once it is approved for it', async () => {
      const [first, second] = [nextId(), nextId()];
      const answer = voice.call(first, ASKED, { message: first });
      await stack.decide((await question(first)).id, 'approved_session');
      expect((await answer).body.ok).toBe(true);
      expect((await voice.call(second, ASKED, { message: second })).body.ok).toBe(true);
      expect((await approvals()).some(({ tool_call_id }) => tool_call_id === second)).toBe(false);
      expect(await linesOf(second)).toEqual([
        'tool.requested',
        'tool.decision allow session_scope',
        'tool.brokered succeeded',
      ]);
    });
  });

  describe('a brokered call that a rule of policy denies', () => {
    it('CP-025 CP-027 reaches nobody and asks nobody, although the tool is bound to the run', async () => {
      const id = nextId();
      const before = server.arrivals.length;
      expect((await voice.call(id, DENIED, { message: id })).body).toEqual({
        ok: false,
        denied: true,
        message: expect.any(String),
      });
      expect(server.arrivals.length).toBe(before);
      expect(await linesOf(id)).toEqual(['tool.requested', 'tool.decision deny policy']);
      expect((await approvals()).some(({ tool_call_id }) => tool_call_id === id)).toBe(false);
    });
  });
}
