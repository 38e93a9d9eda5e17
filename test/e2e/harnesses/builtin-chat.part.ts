import { beforeAll, expect, it } from '@jest/globals';
import { reply } from '../../../src/cli/demo/wire/model-script.js';
import { toolResults } from '../../../src/cli/demo/wire/wire-format.js';
import type { Schemas } from '../../../src/client/client.js';
import { provideHarness } from '../../../src/embedded/harness-programs.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { LOCAL_MODEL } from './support/builtin-lab.js';
import type { MessagesLab } from './support/messages-lab.js';
import type { EnterLab } from './support/share-lab.js';

const bash = (id: string, command: string) => ({ tool: 'Bash', input: { command }, id });

const SCRIPT = [
  reply({ text: 'I begin.' }, bash('call_0', 'echo one > one.txt'), bash('call_1', 'curl -s https://example.com')),
  reply(bash('call_0', 'git init approved'), { tool: 'Bash', input: '{"command": "cut of', id: 'call_9' }),
  reply({ text: 'Done.' }),
];

/** A local model behind the real gateway and the real gate. */
export function chatsWithLocalModel(enter: EnterLab<MessagesLab>): void {
  let lab: MessagesLab;
  let stack: LiveStack;
  beforeAll(async () => {
    ({ lab } = await enter());
    ({ stack } = lab);
    await lab.createAgent('local', {
      model: LOCAL_MODEL,
      policy: 'standard',
      budgets: { max_tokens: 100_000 },
    });
  });

  it('CP-007 works through allowed, denied, approved and malformed calls, and leaves a diff and a report of what it used', async () => {
    const id = await lab.begin('chat', SCRIPT, { agent: 'local', allow_unpriced: true });
    const approval = await stack.pendingApproval(id);
    await stack.decide(approval.id, 'approved_once');
    expect(await stack.untilTerminal(id)).toMatchObject({ status: 'completed', result_summary: 'Done.' });
    const timeline = await stack.timeline(id);
    const decisions = eventsOf(timeline, 'tool.decision');
    expect(decisions.map((data) => `${String(data['verdict'])} ${String(data['source'])}`)).toEqual([
      'allow policy',
      'deny policy',
      'allow human',
    ]);
    // The second call_0 is another call; the gate would hold its id against it.
    expect(new Set(decisions.map((data) => data['tool_call_id'])).size).toBe(3);
    expect(timeline.filter((event) => event.type === 'tool.rejected')).toHaveLength(1);
    const told = toolResults('chat', lab.requestsOf('chat').at(-1) ?? {}).map(({ text }) => text);
    expect(told[1]).toMatch(/^The call was denied: /);
    expect(told[3]).toMatch(/^Error: the arguments of Bash are not valid JSON/);
    const cost = await stack.json<Schemas['UsageTotals']>('GET', `/v1/sessions/${id}/cost`);
    expect(cost).toMatchObject({ requests: 3, tool_calls: 3, unreported_requests: 0 });
    expect(cost.output_tokens).toBeGreaterThan(0);
    const read = await stack.json<{ usage: Schemas['UsageTotals'] }>('GET', `/v1/sessions/${id}`);
    expect(read.usage).toEqual(cost);
    const { artifacts } = await stack.json<{ artifacts: Schemas['ArtifactView'][] }>(
      'GET',
      `/v1/sessions/${id}/artifacts`,
    );
    const diff = artifacts.find(({ kind }) => kind === 'diff');
    expect(diff?.content).toMatch(/^diff --git a\/one\.txt b\/one\.txt[^]*^\+one$/m);
  });

  it('a program that is installed while the server runs can be used at once', async () => {
    await stack.json('POST', '/v1/agents', { name: 'codex', harness: 'codex', policy: 'standard' });
    const create = () => stack.request('POST', '/v1/sessions', { agent: 'codex', task: 'x' });
    const refused = await create();
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { error: string }).error).toContain('run `sandgate harness install codex`');
    await provideHarness(stack.dataDir, 'codex');
    const accepted = await create();
    expect(accepted.status).toBe(200);
    const { session } = (await accepted.json()) as { session: { id: string } };
    // The script is written for another agent; this test only checks that the run finds its host.
    await stack.until('the run to be placed', 60_000, async () =>
      ['created', 'queued'].includes((await stack.session(session.id)).status) ? undefined : true,
    );
    await stack.request('POST', `/v1/sessions/${session.id}/cancel`, {});
    await stack.untilTerminal(session.id);
  });
}
