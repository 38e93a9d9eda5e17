import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { createSampleProject } from '../../../src/cli/demo/sample-project.js';
import { DEPLOY_COMMAND, NETWORK_COMMAND, REPAIRED, TASK, TEST_COMMAND } from '../../../src/cli/demo/scenario.js';
import type { Schemas } from '../../../src/client/client.js';
import { HostileServer } from '../../support/mcp/hostile-server.js';
import { type CodexLab, done, MODEL, offered } from './support/codex-lab.js';
import { decisions } from './support/harness-lab.js';
import type { EnterLab } from './support/share-lab.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { PlaneInterposer } from './support/plane-interposer.js';
import { deniedConnections, REFUSAL_TOLD, REFUSED_COMMAND } from './support/refused-connection.js';
import { call, patch, run, say, type Script } from './support/scripted-responses.js';

const REPAIR = [
  '*** Update File: src/total.js',
  '@@',
  '-  return lines.reduce((sum, line) => sum + line.price, 0);',
  `+  ${REPAIRED}`,
];

/** Codex in the sandbox. */
export function runsCodex(enter: EnterLab<CodexLab>): void {
  let lab: CodexLab;
  let folder: string;
  let interposer: PlaneInterposer | undefined;
  beforeAll(async () => {
    ({ lab, folder } = await enter());
    await createSampleProject(join(folder, 'invoice'));
  });

  it('completes the demo task with allowed, denied and approved calls, a diff and a metered cost', async () => {
    await lab.createAgent('fixer-codex', { policy: 'default' });
    const answers = [
      [say('I look at the code first.'), run('d1', 'cat src/total.js')],
      [run('d2', TEST_COMMAND, { timeout_ms: 60_000 })],
      [patch('d3', ...REPAIR)],
      [run('d4', TEST_COMMAND, { timeout_ms: 60_000 })],
      [run('d5', NETWORK_COMMAND)],
      [run('d6', DEPLOY_COMMAND)],
      [say('It is repaired.')],
    ];
    const id = await lab.begin('demo', answers, {
      agent: 'fixer-codex',
      task: `task-demo ${TASK}`,
      workspace: { kind: 'git_repository', clone_url: `file://${join(folder, 'invoice')}` },
    });
    const approval = await lab.stack.pendingApproval(id);
    await lab.stack.decide(approval.id, 'approved_once');
    const finished = await lab.finished('demo', id);
    expect(finished.session).toMatchObject({ status: 'completed', result_summary: 'It is repaired.' });
    const asked = eventsOf(finished.timeline, 'tool.requested');
    expect(asked.map((data) => [data['tool_call_id'], data['summary']])).toEqual([
      ['d1', 'cat src/total.js'],
      ['d2', TEST_COMMAND],
      ['d3', 'MultiEdit: /workspace/src/total.js'],
      ['d4', TEST_COMMAND],
      ['d5', NETWORK_COMMAND],
      ['d6', DEPLOY_COMMAND],
    ]);
    expect(decisions(finished).map(([, ...how]) => how.join(' '))).toEqual([
      ...Array<string>(4).fill('allow policy'),
      'deny policy',
      'allow human',
    ]);
    expect(finished.results['d2']).toContain('exited with code 1');
    expect(finished.results['d4']).toContain('exited with code 0');
    expect(finished.results['d6']).toContain('deployed to staging');
    expect(deniedConnections(finished.timeline)).toEqual([]);
    expect(finished.diff).toContain(`+  ${REPAIRED}`);
    const cost = await lab.stack.json<Schemas['UsageTotals']>('GET', `/v1/sessions/${id}/cost`);
    expect(cost).toMatchObject({ requests: 7, tool_calls: 6 });
    expect(cost.cost_usd).toBeGreaterThan(0);
    const said = eventsOf(finished.timeline, 'agent.message').map((data) => data['text']);
    expect(said).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^Codex \\d+\\.\\d+\\.\\d+ starts with model ${MODEL}\\.$`)),
        'I look at the code first.',
      ]),
    );
  });

  it('is told why a connection was refused, and asks for none of its own', async () => {
    await lab.createAgent('free-codex', { policy: 'unrestricted' });
    const isTold = (body: unknown): boolean => JSON.stringify(body).includes(REFUSAL_TOLD);
    // The words stand before one of the model's next steps.
    const script: Script = (turn, body) => {
      if (turn === 0) return [run('n1', REFUSED_COMMAND)];
      return isTold(body) || turn > 8 ? done : [run(`w${turn}`, 'sleep 0.2')];
    };
    const id = await lab.begin('unreached', script, { agent: 'free-codex' });
    const finished = await lab.finished('unreached', id);
    expect(finished.session.status).toBe('completed');
    expect(finished.results['n1']).toContain('exited with code 1');
    expect(finished.requests.filter(isTold).length).toBeGreaterThan(0);
    expect(deniedConnections(finished.timeline)).toEqual([['registry.example', 443, 'offline']]);
  });

  it('CP-292 calls that hold NUL have no effect, and the run goes on', async () => {
    const id = await lab.begin('unstorable', [
      [run('u1', 'echo \0 > nul.txt'), patch('u2', '*** Add File: nul.md', '+a\0b')],
      [run('u3', 'ls')],
      done,
    ]);
    await lab.stack.decide((await lab.stack.pendingApproval(id)).id, 'denied');
    const finished = await lab.finished('unstorable', id);
    expect(finished.session.status).toBe('completed');
    expect(decisions(finished).filter(([, verdict]) => verdict === 'allow')).toEqual([['u3', 'allow', 'policy']]);
    expect(finished.diff).not.toContain('nul.');
  });

  it('a denied command and patch leave no trace, each call is asked once, and the model reads the reason', async () => {
    const finished = await lab.perform('denied', [
      [
        run('n1', 'touch forbidden.txt'),
        patch('n2', '*** Add File: forbidden.md', '+x'),
        run('n3', 'touch allowed.txt'),
      ],
      [run('n4', 'ls')],
      done,
    ]);
    expect(finished.session.status).toBe('completed');
    expect(Object.fromEntries(decisions(finished).map(([id, verdict]) => [id, verdict]))).toEqual({
      n1: 'deny',
      n2: 'deny',
      n3: 'allow',
      n4: 'allow',
    });
    expect(eventsOf(finished.timeline, 'tool.requested')).toHaveLength(4);
    expect(finished.results['n4']).not.toContain('forbidden');
    expect(finished.diff).toContain('allowed.txt');
    expect(finished.diff).not.toContain('forbidden');
    const told = JSON.stringify(finished.requests.at(-1));
    expect(told).toContain('[Sandgate] touch forbidden.txt was denied: ');
    expect(told).toContain('[Sandgate] The patch was denied: ');
    const completed = eventsOf(finished.timeline, 'tool.completed').map((data) => data['tool_call_id']);
    expect(completed).toEqual(['n3', 'n4']);
  });

  it.each<[string, (id: string) => Promise<void>]>([
    ['connections were cut', () => Promise.resolve(void expect(interposer?.cut()).toBeGreaterThan(0))],
    [
      'kill -9 of the API',
      async () => {
        lab.stack.kill('api');
        // Asked until the next API answers.
        await lab.stack.json('GET', '/v1/health');
      },
    ],
  ])('a call that waits for a human goes on after %s', async (what, disturb) => {
    const mark = what.includes('cut') ? 'cut' : 'killed';
    const id = await lab.begin(mark, [[run(mark, 'git init approved')], done]);
    interposer = mark === 'cut' ? await PlaneInterposer.place(lab.stack.dataDir, id) : undefined;
    try {
      const approval = await lab.stack.pendingApproval(id);
      await disturb(id);
      await lab.stack.decide(approval.id, 'approved_once');
      const finished = await lab.finished(mark, id);
      expect(finished.session.status).toBe('completed');
      expect(decisions(finished)).toEqual([[mark, 'allow', 'human']]);
      for (const type of ['tool.requested', 'approval.requested', 'approval.decided'])
        expect([type, eventsOf(finished.timeline, type).length]).toEqual([type, 1]);
      expect(finished.results[mark]).toContain('exited with code 0');
    } finally {
      interposer?.close();
    }
  });

  it('a request that the provider refuses ends the run, and one that it puts off is repeated', async () => {
    const refused = await lab.perform('refused', () => ({ status: 400, message: 'no such luck' }));
    expect(refused.session).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(eventsOf(refused.timeline, 'run.error'))).toContain('no such luck');
    expect(refused.requests).toHaveLength(1);
    const statuses = [429, 503];
    const putOff = await lab.perform('put-off', () => {
      const status = statuses.shift();
      return status === undefined ? done : { status, message: 'later', headers: { 'retry-after': '1' } };
    });
    expect(putOff.session).toMatchObject({ status: 'completed', result_summary: 'Done.' });
    expect(putOff.requests).toHaveLength(3);
  });

  it('a run is stopped when it is cancelled, in the middle of a call', async () => {
    const id = await lab.begin('cancelled', [[run('long', 'sleep 85', { timeout_ms: 90_000 })], done]);
    const { status, tookMs } = await lab.cancelDuringCall(id);
    expect(status).toBe('cancelled');
    expect(tookMs).toBeLessThan(60_000);
  });

  it("uses a sandbox server's frozen tools through the gate, asked once, with the frozen words and no other tool", async () => {
    const served = join(folder, 'served');
    await lab.serveTools(served);
    const answers = [
      [call('m1', 'kb__echo', { q: 'x' }), call('m2', 'kb__count', {}), call('m3', 'kb__hidden', {})],
      done,
    ];
    const finished = await lab.perform('served', answers, {
      agent: 'served',
      workspace: { kind: 'local_copy', path: served },
    });
    expect(finished.session.status).toBe('completed');
    // Codex begins the calls of one reply in no order of its own.
    expect(decisions(finished).toSorted()).toEqual([
      ['m1', 'allow', 'policy'],
      ['m2', 'deny', 'policy'],
    ]);
    expect(eventsOf(finished.timeline, 'tool.requested').map((data) => data['tool'])).toHaveLength(2);
    expect(finished.results['m1']).toBe('{"q":"x"}');
    expect(finished.results['m2']).toContain('denied');
    expect(finished.results['m3']).toContain('unsupported call');
    expect(eventsOf(finished.timeline, 'tool.rejected')).toEqual([{ tool_call_id: 'm3' }]);
    expect(offered(finished.requests[0])).toEqual(['exec_command', 'apply_patch', 'kb__echo', 'kb__count']);
    expect(JSON.stringify(finished.requests[0]?.['tools'])).toContain('frozen words about count');
  });

  it('CP-028 CP-041 CP-042 hands tools of a connected service to the control plane, and so does a scripted agent', async () => {
    const server = await HostileServer.start();
    try {
      await lab.stack.json('POST', '/v1/connections', { provider: 'mcp_http', base_url: server.url, token: 'k' });
      const connection_requirements = [
        { slot: 'crm', connector: { url: server.url }, required_tools: ['echo'], binding_mode: 'organization' },
      ];
      await lab.createAgent('connected', { connection_requirements });
      const answers = [
        [call('b1', 'crm__echo', { message: 'one' })],
        [call('b2', 'crm__echo', { message: 2 })],
        [call('b3', 'crm__other', {})],
        done,
      ];
      const finished = await lab.perform('connected', answers, { agent: 'connected' });
      expect(finished.session).toMatchObject({ status: 'completed' });
      expect(offered(finished.requests[0])).toContain('crm__echo');
      expect(finished.results['b1']).toContain('one');
      expect(finished.results['b2']).toContain('denied');
      expect(finished.results['b3']).toContain('unsupported call');
      const id = expect.stringMatching(/^bkr_[0-9a-f-]{36}$/);
      expect(decisions(finished)).toEqual([
        [id, 'allow', 'policy'],
        [id, 'deny', 'schema'],
      ]);
      expect(eventsOf(finished.timeline, 'tool.brokered')).toMatchObject([{ tool: 'mcp__crm__echo', ok: true }]);

      await lab.stack.createReplayAgent('scripted', 'tries', { connection_requirements });
      const scripted = await lab.stack.startRun('scripted', [
        { tool: 'mcp__crm__echo', input: { message: 'three' } },
        { tool: 'mcp__crm__other', input: {} },
      ]);
      const { result_summary: summary } = await lab.stack.untilTerminal(scripted);
      expect(summary).toBe('Replay finished: 1 executed, 1 denied.');
      const timeline = await lab.stack.timeline(scripted);
      expect(decisions({ timeline })).toEqual([
        ['rp_001', 'allow', 'policy'],
        ['rp_002', 'deny', 'capability'],
      ]);
      expect(server.calls).toHaveLength(2);
      expect(JSON.stringify([finished.requests, finished.timeline, timeline])).not.toContain(server.url);
    } finally {
      await server.close();
    }
  });
}
