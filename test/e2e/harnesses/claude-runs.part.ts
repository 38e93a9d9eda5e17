import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { createSampleProject } from '../../../src/cli/demo/sample-project.js';
import {
  DEPLOY_COMMAND,
  demoModel,
  NETWORK_COMMAND,
  REPAIRED,
  TASK,
  TEST_COMMAND,
} from '../../../src/cli/demo/scenario.js';
import type { Schemas } from '../../../src/client/client.js';
import { PlaneInterposer } from './support/plane-interposer.js';
import { bash, done, use, type MessagesLab } from './support/messages-lab.js';
import { decisions } from './support/harness-lab.js';
import type { EnterLab } from './support/share-lab.js';
import { deniedConnections, REFUSAL_TOLD, REFUSED_COMMAND } from './support/refused-connection.js';
import { eventsOf } from '../../support/installation/timeline.js';

/** Claude Code in the sandbox. */
export function runsClaude(enter: EnterLab<MessagesLab>): void {
  let lab: MessagesLab;
  let folder: string;
  let interposer: PlaneInterposer | undefined;
  beforeAll(async () => {
    ({ lab, folder } = await enter());
    await createSampleProject(join(folder, 'invoice'));
  });

  it('completes the demo task with allowed, denied and approved calls, a diff and a metered cost', async () => {
    await lab.createAgent('fixer-claude', { policy: 'default' });
    const id = await lab.begin('demo', demoModel(), {
      agent: 'fixer-claude',
      task: `task-demo ${TASK}`,
      workspace: { kind: 'git_repository', clone_url: `file://${join(folder, 'invoice')}` },
    });
    const approval = await lab.stack.pendingApproval(id);
    await lab.stack.decide(approval.id, 'approved_once');
    const run = await lab.finished('demo', id);
    expect(run.session).toMatchObject({ status: 'completed' });
    const asked = eventsOf(run.timeline, 'tool.requested');
    expect(asked.map((data) => data['summary'])).toEqual([
      'Read: /workspace/src/total.js',
      TEST_COMMAND,
      'Edit: /workspace/src/total.js',
      TEST_COMMAND,
      NETWORK_COMMAND,
      DEPLOY_COMMAND,
    ]);
    expect(decisions(run).map(([, ...decided]) => decided.join(' '))).toEqual([
      ...Array<string>(4).fill('allow policy'),
      'deny policy',
      'allow human',
    ]);
    expect(new Set(asked.map((data) => data['tool_call_id'])).size).toBe(6);
    const told = Object.values(run.results);
    expect(told.map(({ isError }) => isError)).toEqual([false, true, false, false, true, false]);
    expect(told[5]?.text).toContain('deployed to staging');
    expect(deniedConnections(run.timeline)).toEqual([]);
    expect(run.diff).toContain(`+  ${REPAIRED}`);
    const cost = await lab.stack.json<Schemas['UsageTotals']>('GET', `/v1/sessions/${id}/cost`);
    expect(cost).toMatchObject({ requests: 7, tool_calls: 6 });
    expect(cost.cost_usd).toBeGreaterThan(0);
    const said = eventsOf(run.timeline, 'agent.message').map((data) => data['text']);
    expect(said.join('\n')).toMatch(
      /Claude Code \d+\.\d+\.\d+ starts with model claude-haiku-4-5\.\n[^]*The test again\.\n[^]*estimate of the cost: \$\d/,
    );
  });

  it('is told why a connection was refused, and asks for none of its own', async () => {
    const run = await lab.perform('unreached', [bash('n1', REFUSED_COMMAND), done]);
    expect(run.session.status).toBe('completed');
    expect(run.results['toolu_n1']).toMatchObject({ isError: true });
    expect(JSON.stringify(run.requests.at(-1))).toContain(REFUSAL_TOLD);
    expect(deniedConnections(run.timeline)).toEqual([['registry.example', 443, 'offline']]);
  });

  it('a denied command leaves no trace, and each tool use is asked once', async () => {
    const run = await lab.perform('denied', [
      bash('d1', 'touch forbidden.txt'),
      use('d2', 'Write', { file_path: '/workspace/forbidden.md', content: 'x' }),
      use('d3', 'Write', { file_path: '/workspace/fine.md', content: 'x' }),
      done,
    ]);
    expect(run.session.status).toBe('completed');
    expect(decisions(run)).toEqual([
      ['toolu_d1', 'deny', 'policy'],
      ['toolu_d2', 'deny', 'policy'],
      ['toolu_d3', 'allow', 'policy'],
    ]);
    expect(eventsOf(run.timeline, 'tool.requested')).toHaveLength(3);
    expect(run.diff).toContain('fine.md');
    expect(run.diff).not.toContain('forbidden');
  });

  it('CP-292 a call that cannot be stored is denied, recorded, and the run goes on', async () => {
    const run = await lab.perform('unstorable', [
      bash('h1', 'echo \ud800'),
      use('h2', 'Write', { file_path: '/workspace/nul.txt', content: 'a\0b' }),
      bash('h3', 'echo'),
      done,
    ]);
    expect(run.session.status).toBe('completed');
    expect(decisions(run)).toEqual([
      ['toolu_h1', 'deny', 'schema'],
      ['toolu_h2', 'deny', 'schema'],
      ['toolu_h3', 'allow', 'policy'],
    ]);
  });

  it.each<[string, (lab: MessagesLab, run: string) => Promise<void>]>([
    [
      'the death of the API',
      async ({ stack }) => {
        stack.kill('api');
        // Asked until the next API answers.
        await stack.json('GET', '/v1/health');
      },
    ],
    ["a cut of the runner's connections", () => Promise.resolve(expect(interposer?.cut()).toBeGreaterThan(0))],
  ])('a call that waits for a human is the same question after %s', async (what, disturb) => {
    const mark = what.includes('cut') ? 'cut' : 'killed';
    const id = await lab.begin(mark, [bash(mark, 'touch approved'), done], { agent: 'asker' });
    interposer = mark === 'cut' ? await PlaneInterposer.place(lab.stack.dataDir, id) : undefined;
    try {
      const approval = await lab.stack.pendingApproval(id);
      await disturb(lab, id);
      await lab.stack.decide(approval.id, 'approved_once');
      const run = await lab.finished(mark, id);
      expect(run.session.status).toBe('completed');
      expect(decisions(run)).toEqual([[`toolu_${mark}`, 'allow', 'human']]);
      for (const type of ['tool.requested', 'approval.requested', 'approval.decided'])
        expect([type, eventsOf(run.timeline, type).length]).toEqual([type, 1]);
      expect(run.results[`toolu_${mark}`]).toMatchObject({ isError: false });
    } finally {
      interposer?.close();
    }
  });

  it('a request that the provider refuses ends the run, and one that it puts off is repeated', async () => {
    const refused = await lab.perform('refused', () => ({ kind: 'error', status: 400, message: 'no such luck' }));
    expect(refused.session).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(eventsOf(refused.timeline, 'run.error'))).toContain('no such luck');
    expect(refused.requests).toHaveLength(1);
    const putOff = await lab.perform('put-off', ({ index }) =>
      lab.requestsOf('put-off').length <= 2
        ? { kind: 'error', status: index % 2 === 0 ? 429 : 529, headers: { 'retry-after': '1' } }
        : done,
    );
    expect(putOff.session).toMatchObject({ status: 'completed', result_summary: 'Done.' });
    expect(putOff.requests).toHaveLength(3);
  });

  it('a run is stopped when it is cancelled, in the middle of a call', async () => {
    const id = await lab.begin('cancelled', [bash('long', 'sleep 110'), done]);
    const { status, tookMs } = await lab.cancelDuringCall(id);
    expect(status).toBe('cancelled');
    expect(tookMs).toBeLessThan(60_000);
  });

  it("uses a sandbox server's frozen tools through the gate, with the frozen words and no other tool", async () => {
    const served = join(folder, 'served');
    await lab.serveTools(served);
    const run = await lab.perform(
      'served',
      [use('m1', 'mcp__kb__echo', { q: 'x' }), use('m2', 'mcp__kb__count', {}), use('m3', 'mcp__kb__hidden', {}), done],
      { agent: 'served', workspace: { kind: 'local_copy', path: served } },
    );
    expect(run.session.status).toBe('completed');
    expect(decisions(run)).toEqual([
      ['toolu_m1', 'allow', 'policy'],
      ['toolu_m2', 'deny', 'policy'],
      ['toolu_m3', 'deny', 'capability'],
    ]);
    expect(run.results['toolu_m1']?.text).toBe('{"q":"x"}');
    const offered = (run.requests[0]!['tools'] as { name: string; description: string }[]).filter(({ name }) =>
      name.startsWith('mcp__'),
    );
    expect(offered.map(({ name, description }) => [name, description])).toEqual([
      ['mcp__kb__count', 'frozen words about count'],
      ['mcp__kb__echo', 'frozen words about echo'],
    ]);
  });
}
