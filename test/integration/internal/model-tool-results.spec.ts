import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { ModelBench, request, say, USAGE } from '../../support/models/model-bench.js';

let bench: ModelBench;

beforeAll(async () => {
  bench = await ModelBench.start();
});
afterEach(() => {
  bench.model.requests.length = 0;
});
afterAll(() => bench.close());

describe('the cross-check of tool results', () => {
  const result = (id: string, more: object = {}) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'done',
    ...more,
  });
  const carrying = (...results: object[]) =>
    request({
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: results.map((one) => ({
            type: 'tool_use',
            id: (one as { tool_use_id: string }).tool_use_id,
            name: 'Bash',
            input: {},
          })),
        },
        { role: 'user', content: results },
      ],
    });

  async function useTool(run: FixtureRun, id: string, tool = 'Bash'): Promise<void> {
    bench.script = () => ({ kind: 'reply', content: [{ tool, input: { command: 'ls' }, id }], usage: USAGE });
    await (await bench.stream(run, request())).text();
    bench.script = say('ok');
  }

  it('CP-026 lets the result of a decided use pass, allowed or denied', async () => {
    const run = await createGatedRun(bench.database.db, {
      tools: [
        { match: ['Bash'], action: 'allow' },
        { match: ['*'], action: 'deny' },
      ],
    });
    await useTool(run, 'toolu_a');
    expect(
      await readRows(bench.database.db, run, 'select tool_use_id, tool from llm_tool_uses where session_id = $1'),
    ).toEqual([{ tool_use_id: 'toolu_a', tool: 'Bash' }]);
    await post(`${bench.plane.url}/internal/permission`, run.tokens.tool, {
      tool_call_id: 'toolu_a',
      tool: 'Bash',
      input: { command: 'ls' },
    });
    await useTool(run, 'toolu_b', 'Write');
    await post(`${bench.plane.url}/internal/permission`, run.tokens.tool, {
      tool_call_id: 'toolu_b',
      tool: 'Write',
      input: {},
    });
    expect((await bench.call(run, carrying(result('toolu_a'), result('toolu_b', { is_error: true })))).status).toBe(
      200,
    );
  });

  it.each([
    ['a metered use', 'toolu_a'],
    ['a use under another id', 'toolu_renamed'],
  ])('CP-026 fails the run for the result of %s that was never asked about', async (_what, id) => {
    const run = await createGatedRun(bench.database.db);
    await useTool(run, 'toolu_a');
    bench.model.requests.length = 0;
    const answer = await bench.call(run, carrying(result(id)));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('never decided') } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(bench.model.requests).toEqual([]);
    expect(
      await readRows(bench.database.db, run, 'select outcome from session_finalizations where session_id = $1'),
    ).toEqual([{ outcome: 'failed' }]);
    expect((await readLedger(bench.database.db, run)).at(-1)).toMatchObject({
      type: 'run.error',
      data: { message: expect.stringContaining('never decided') },
    });
  });

  it('CP-026 leaves the names of frozen brokered tool sets to the broker, and those alone', async () => {
    const run = await createGatedRun(bench.database.db, { brokered: ['kb'] });
    await useTool(run, 'toolu_m', 'mcp__kb__find');
    expect((await bench.call(run, carrying(result('toolu_m')))).status).toBe(200);
    await useTool(run, 'toolu_s', 'mcp__kbx__find');
    const answer = await bench.call(run, carrying(result('toolu_m'), result('toolu_s')));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('never decided') } });
  });

  it('CP-026 notes five uses that the harness refused itself and fails the run at the sixth', async () => {
    const run = await createGatedRun(bench.database.db);
    const refused = (id: string) => result(id, { is_error: true, content: 'unknown tool' });
    const seen: object[] = [];
    for (let i = 0; i < 5; i += 1) {
      await useTool(run, `toolu_${i}`);
      seen.push(refused(`toolu_${i}`));
      expect((await bench.call(run, carrying(...seen))).status).toBe(200);
    }
    const rejected = (await readLedger(bench.database.db, run)).filter((line) => line.type === 'tool.rejected');
    expect(rejected.map((line) => line.data['tool_call_id'])).toEqual([0, 1, 2, 3, 4].map((i) => `toolu_${i}`));
    await useTool(run, 'toolu_5');
    expect((await bench.call(run, carrying(...seen, refused('toolu_5')))).status).toBe(400);
    expect(
      await readRows(bench.database.db, run, 'select outcome from session_finalizations where session_id = $1'),
    ).toEqual([{ outcome: 'failed' }]);
  });

  it('CP-026 does not let one request fill the ledger with refusals', async () => {
    const run = await createGatedRun(bench.database.db);
    const many = Array.from({ length: 300 }, (_, i) => result(`toolu_${i}`, { is_error: true, content: 'no' }));
    expect((await bench.call(run, carrying(...many))).status).toBe(400);
    const ledger = await readLedger(bench.database.db, run);
    expect(ledger.map(({ type }) => type)).toEqual([...Array<string>(6).fill('tool.rejected'), 'run.error']);
  });

  it.each(['half a pair \ud800', 'x'.repeat(300)])('CP-026 refuses for good an id that no row can hold', async (id) => {
    const run = await createGatedRun(bench.database.db);
    const answer = await bench.call(run, carrying(result(id, { is_error: true, content: 'no' })));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('id of a tool result') } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await bench.reservationsOf(run)).toEqual([]);
  });

  it('CP-026 takes no long result for a refusal, not even of a use that was refused before', async () => {
    const run = await createGatedRun(bench.database.db);
    await useTool(run, 'toolu_a');
    expect((await bench.call(run, carrying(result('toolu_a', { is_error: true, content: 'no' })))).status).toBe(200);
    expect(
      (await bench.call(run, carrying(result('toolu_a', { is_error: true, content: 'x'.repeat(4096) })))).status,
    ).toBe(400);
  });
});
