import Anthropic from '@anthropic-ai/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createGatedRun, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { ContractAnswer } from '../../support/gate/gated-run.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { MODEL, ModelBench, request, say, USAGE } from '../../support/models/model-bench.js';
import { eventually } from '../../support/time/until.js';

let bench: ModelBench;

beforeAll(async () => {
  bench = await ModelBench.start();
});
afterEach(() => {
  bench.model.requests.length = 0;
});
afterAll(() => bench.close());

/** Requests at once, to a provider that answers none of them before so many were refused. */
async function whileTheProviderThinks(
  run: FixtureRun,
  of: { requests: number; refused: number },
): Promise<ContractAnswer[]> {
  let refused = 0;
  let release!: () => void;
  const enough = new Promise<void>((resolve) => (release = resolve));
  bench.script = async () => {
    await enough;
    return { kind: 'reply', content: [{ text: 'x' }], usage: USAGE };
  };
  return Promise.all(
    Array.from({ length: of.requests }, async () => {
      const answer = await bench.call(run, request());
      if (answer.status !== 200) refused += 1;
      if (refused >= of.refused) release();
      return answer;
    }),
  );
}

describe('budgets of model requests', () => {
  it('CP-074 lower the output limit to what is left', async () => {
    const run = await createGatedRun(bench.database.db, { budgets: { max_tokens: 3000 } });
    bench.script = say('x');
    await bench.call(run, request({ max_tokens: 100_000 }));
    const sent = Number(bench.model.requests[0]?.body['max_tokens']);
    expect(sent).toBeGreaterThanOrEqual(1024);
    expect(sent).toBeLessThan(3000);
    const priced = await createGatedRun(bench.database.db, { budgets: { max_cost_usd: 0.01 } });
    await bench.call(priced, request({ max_tokens: 100_000 }));
    expect(Number(bench.model.requests[1]?.body['max_tokens'])).toBeLessThanOrEqual(2000);
  });

  it('CP-074 end the run with a final 400 once they are used up, and warn at 80 percent', async () => {
    const run = await createGatedRun(bench.database.db, { budgets: { max_tokens: 4000 } });
    bench.script = say('x', { usage: { ...USAGE, output_tokens: 3200 } });
    expect((await bench.call(run, request())).status).toBe(200);
    const answer = await bench.call(run, request());
    expect(answer).toMatchObject({ status: 400, body: { error: 'token budget exhausted' } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const ledger = await readLedger(bench.database.db, run);
    expect(ledger.map((line) => line.type)).toEqual(['model.response', 'budget.warning', 'budget.exceeded']);
    expect(ledger[1]?.data).toMatchObject({ budget: 'max_tokens', limit: '4000', spent: '3330' });
    expect(
      await readRows(bench.database.db, run, 'select outcome from session_finalizations where session_id = $1'),
    ).toEqual([{ outcome: 'budget_exceeded' }]);
  });

  it('CP-074 admit one of five parallel requests when there is room for one', async () => {
    const run = await createGatedRun(bench.database.db, { budgets: { max_tokens: 2600 } });
    const answers = await whileTheProviderThinks(run, { requests: 5, refused: 4 });
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 429, 429, 429, 429]);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(answer.body['error']).toContain('llm_budget_reservation_exceeded');
      expect(answer.headers.get('x-should-retry')).toBeNull();
    }
    expect(await bench.reservationsOf(run)).toEqual(['charged']);
    expect((await bench.call(run, request())).status).toBe(200);
  });

  it('CP-074 a ninth request of one run in flight is told to wait, and that is noted once', async () => {
    const run = await createGatedRun(bench.database.db);
    const answers = await whileTheProviderThinks(run, { requests: 10, refused: 2 });
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    await eventually(async () =>
      expect(
        (await readLedger(bench.database.db, run)).filter((line) => line.type === 'run.limit_reached'),
      ).toMatchObject([{ data: { limit: 'model_requests' } }]),
    );
  });

  it('CP-074 a 400 ends and a 429 is retried in the provider’s own client', async () => {
    const client = (run: FixtureRun) =>
      new Anthropic({ baseURL: `${bench.plane.url}/internal/llm`, apiKey: run.tokens.llm, maxRetries: 3 });
    const ask = { model: MODEL, max_tokens: 2000, messages: [{ role: 'user' as const, content: 'hello' }] };
    bench.script = say('hi', { delayMs: 400 });
    const run = await createGatedRun(bench.database.db, { budgets: { max_tokens: 2600 } });
    const both = await Promise.all([client(run).messages.create(ask), client(run).messages.create(ask)]);
    expect(both.map((message) => message.content[0])).toEqual(
      [
        { type: 'text', text: 'hi' },
        { type: 'text', text: 'hi' },
      ].map((block) => expect.objectContaining(block)),
    );
    bench.model.requests.length = 0;
    const spent = await createGatedRun(bench.database.db, { budgets: { max_tokens: 10 } });
    await expect(client(spent).messages.create(ask)).rejects.toMatchObject({ status: 400 });
    expect(bench.model.requests).toEqual([]);
    const exceeded = (await readLedger(bench.database.db, spent)).filter((line) => line.type === 'budget.exceeded');
    expect(exceeded).toHaveLength(1);
  });
});
