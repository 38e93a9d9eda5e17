import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import { post, readLedger, readRows } from '../../support/gate/gated-run.js';
import { DIALECT_CASES, streamedAnswer, wholeAnswer } from '../../support/models/model-wire.js';
import type { DialectCase } from '../../support/models/model-wire.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';
import { DialectBench, reply, SSE, USAGE } from '../../support/models/dialect-bench.js';

let bench: DialectBench;

beforeAll(async () => {
  bench = await DialectBench.start();
});
afterEach(() => {
  bench.provider.requests.length = 0;
});
afterAll(() => bench.close());

const outcomeOf = (run: FixtureRun) =>
  readRows(bench.database.db, run, 'select outcome from session_finalizations where session_id = $1');

describe.each(DIALECT_CASES)('the model gateway in $dialect', (one) => {
  it.each([false, true])('CP-023 charges what was reported and passes the answer on (streamed: %s)', async (stream) => {
    const run = await bench.runOf(one);
    bench.answer = reply(one);
    const response = await fetch(`${bench.plane.url}/internal/llm/${one.path}?beta=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}`, 'x-other': 'y' },
      body: JSON.stringify(one.request({ stream, ...(one.dialect === 'openai-chat' && stream ? { stream_options: { include_usage: true } } : {}) })),
    }); // prettier-ignore
    const sent = stream
      ? streamedAnswer(one.dialect, { texts: ['hel', 'lo'], usage: USAGE }).events.join('')
      : JSON.stringify(wholeAnswer(one.dialect, { texts: ['hel', 'lo'], usage: USAGE }));
    expect(await response.text()).toBe(sent);
    expect(await bench.usageOf(run)).toEqual([{ input_tokens: 100, output_tokens: 50, cache_read_tokens: 10 }]);
    expect(await bench.reservationsOf(run)).toEqual(['charged']);
    const [request] = bench.provider.requests;
    expect(request?.path).toBe(`/${one.path}`);
    expect(request?.headers).toMatchObject(
      one.dialect === 'anthropic' ? { 'x-api-key': 'anthropic-key' } : { authorization: 'Bearer openai-key' },
    );
    expect(request?.headers).not.toHaveProperty(one.dialect === 'anthropic' ? 'authorization' : 'x-api-key');
    expect(request?.headers).not.toHaveProperty('x-other');
    expect(JSON.stringify(request)).not.toContain('svc_sess_');
    expect(JSON.stringify(await readLedger(bench.database.db, run))).not.toContain('hello');
  });

  it('CP-023 passes an answer in one piece on byte for byte, however long', async () => {
    const run = await bench.runOf(one);
    const text = JSON.stringify(wholeAnswer(one.dialect, { texts: ['ü'.repeat(200_000)], usage: USAGE }));
    const bytes = Buffer.from(text);
    bench.answer = () => ({ pieces: [bytes.subarray(0, 1000), bytes.subarray(1000, 90_001), bytes.subarray(90_001)] });
    expect(await bench.call(run, one, one.request())).toMatchObject({
      status: 200,
      body: JSON.parse(text) as JsonObject,
    });
    expect(await bench.reservationsOf(run)).toEqual(['charged']);
  });

  it.each(['half \ud800', 'nul \u0000', 'x'.repeat(9000)])('CP-023 charges an answer whatever its model calls a tool', async (name) => {
    const run = await bench.runOf(one);
    bench.answer = reply(one, { tools: [{ id: 'use_1', name }, { id: name, name: 'Bash' }] });
    expect((await bench.call(run, one, one.request())).status).toBe(200);
    expect(await bench.reservationsOf(run)).toEqual(['charged']);
    expect(await readRows(bench.database.db, run, 'select tool_use_id from llm_tool_uses where session_id = $1')).toEqual([
      { tool_use_id: 'use_1' },
    ]);
  }); // prettier-ignore

  it('CP-332 refuses in the words of the gateway, and says that a retry cannot help', async () => {
    const run = await bench.runOf(one);
    for (const [body, named] of [
      [one.request({ model: 'another' }), one.model],
      ['{"model":', 'JSON'],
      [one.request({ fallbacks: ['another'] }), 'fallbacks'],
    ] as const) {
      const refused = await bench.call(run, one, body);
      expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(named) } });
      expect(refused.headers.get('x-should-retry')).toBe('false');
    }
    for (const other of DIALECT_CASES.filter(({ path }) => path !== one.path)) {
      expect((await bench.call(run, other, one.request())).status).toBe(404);
    }
    expect(bench.provider.requests).toEqual([]);
    const spent = await bench.runOf(one, { budgets: { max_tokens: 0 } });
    expect(await bench.call(spent, one, one.request())).toMatchObject({ status: 400, body: { error: 'token budget exhausted' } });
    const stopped = await bench.runOf(one, { status: 'cancelling' });
    expect(await bench.call(stopped, one, '{')).toMatchObject({ status: 400, body: { error: 'session is not active' } });
  }); // prettier-ignore

  it('CP-333 passes an error of the provider on unchanged', async () => {
    const run = await bench.runOf(one);
    for (const [status, state] of [[400, 'released'], [401, 'released'], [429, 'released'], [503, 'released'], [408, 'unreported'], [500, 'unreported']] as const) {
      const text = `{"error": {"message":"no","odd":[1e3 , "é"],"type":"t${status}"}}`;
      bench.answer = () => ({ status, headers: { 'content-type': 'application/json', 'retry-after': '7', 'x-private': 'z' }, pieces: [text] });
      const response = await fetch(`${bench.plane.url}/internal/llm/${one.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${run.tokens.llm}` },
        body: JSON.stringify(one.request()),
      });
      expect([response.status, await response.text()]).toEqual([status, text]);
      expect(response.headers.get('retry-after')).toBe('7');
      expect(response.headers.get('x-private')).toBeNull();
      const [last] = await readRows<{ state: string }>(bench.database.db, run, 'select state from llm_reservations where session_id = $1 order by id desc limit 1');
      expect(last?.state).toBe(state);
    }
    expect(await bench.usageOf(run)).toEqual([]);
  }); // prettier-ignore

  it('CP-074 admits one of five parallel requests when there is room for one', async () => {
    const run = await bench.runOf(one, { budgets: { max_tokens: 2600 } });
    let refused = 0;
    let release!: () => void;
    const allRefused = new Promise<void>((resolve) => (release = resolve));
    bench.answer = async (request) => {
      await allRefused;
      return reply(one)(request);
    };
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const given = await bench.call(run, one, one.request());
        if (given.status !== 200) refused += 1;
        if (refused === 4) release();
        return given;
      }),
    );
    expect(bench.provider.requests).toHaveLength(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429]);
    for (const { body, headers } of answers.filter(({ status }) => status === 429)) {
      expect(body['error']).toContain('llm_budget_reservation_exceeded');
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('x-should-retry')).toBeNull();
    }
    expect(await bench.reservationsOf(run)).toEqual(['charged']);
  });

  it('CP-074 lowers the output limit to what is left, also of a request without one', async () => {
    const run = await bench.runOf(one, { budgets: { max_tokens: 3000 } });
    bench.answer = reply(one);
    const open = one.request();
    delete open[one.limit];
    await bench.call(run, one, one.request({ [one.limit]: 100_000 }));
    await bench.call(run, one, open);
    for (const { body } of bench.provider.requests) {
      expect(Number(body[one.limit])).toBeGreaterThanOrEqual(1024);
      expect(Number(body[one.limit])).toBeLessThan(3000);
    }
    expect(bench.provider.requests).toHaveLength(2);
  });

  it('CP-023 is drained when the client hangs up, and one without usage stays counted', async () => {
    const run = await bench.runOf(one);
    const { events } = streamedAnswer(one.dialect, { texts: Array.from({ length: 50 }, (_, n) => `w${n}`), usage: USAGE });
    let release!: () => void;
    const aborted = new Promise<void>((resolve) => (release = resolve));
    bench.answer = async () => {
      await aborted;
      return { headers: SSE, pieces: events };
    };
    const controller = new AbortController();
    const pending = fetch(`${bench.plane.url}/internal/llm/${one.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(one.request({ stream: true })),
      signal: controller.signal,
    });
    const hungUp = expect(pending).rejects.toThrow();
    while (bench.provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await hungUp;
    release();
    const settled = await until(() => bench.reservationsOf(run), ([state]) => state !== 'reserved');
    expect(settled).toEqual(['charged']);
    expect(await bench.usageOf(run)).toHaveLength(1);
    bench.answer = () => ({ headers: SSE, pieces: events.slice(0, 10) });
    await (await fetch(`${bench.plane.url}/internal/llm/${one.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(one.request({ stream: true })),
    })).text();
    expect((await bench.reservationsOf(run)).sort()).toEqual(['charged', 'unreported']);
  }); // prettier-ignore

  async function useTools(run: FixtureRun, ids: string[], name = 'Bash'): Promise<void> {
    bench.answer = reply(one, { tools: ids.map((id) => ({ id, name })) });
    const response = await fetch(`${bench.plane.url}/internal/llm/${one.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(one.request({ stream: true })),
    });
    await response.text();
    bench.answer = reply(one);
  }
  const decide = (run: FixtureRun, id: string) =>
    post(`${bench.plane.url}/internal/permission`, run.tokens.tool, {
      tool_call_id: id,
      tool: 'Bash',
      input: { command: 'ls' },
    });

  it('CP-026 lets decided results pass, and fails the run for one that was never asked about', async () => {
    const run = await bench.runOf(one, { tools: [{ match: ['Bash'], action: 'allow' }], brokered: ['kb'] });
    await useTools(run, ['call_a']);
    await useTools(run, ['call_m'], 'mcp__kb__find');
    await useTools(run, ['call_n'], 'kb__find');
    expect(
      await readRows(bench.database.db, run, 'select tool_use_id, tool from llm_tool_uses where session_id = $1 order by 1'),
    ).toEqual([
      { tool_use_id: 'call_a', tool: 'Bash' },
      { tool_use_id: 'call_m', tool: 'mcp__kb__find' },
      { tool_use_id: 'call_n', tool: 'kb__find' },
    ]);
    await decide(run, 'call_a');
    const decided = [{ id: 'call_a', text: 'done' }, { id: 'call_m', text: 'found' }, { id: 'call_n', text: 'found' }];
    expect((await bench.call(run, one, one.carrying(decided))).status).toBe(200);
    bench.provider.requests.length = 0;
    const refused = await bench.call(run, one, one.carrying([...decided, { id: 'call_other', text: 'done' }]));
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('never decided') } });
    expect(bench.provider.requests).toEqual([]);
    expect(await outcomeOf(run)).toEqual([{ outcome: 'failed' }]);
  }); // prettier-ignore

  it('CP-026 notes five uses that the harness refused itself, and fails the run at the sixth', async () => {
    const run = await bench.runOf(one);
    const ids = Array.from({ length: 6 }, (_, n) => `call_${n}`);
    await useTools(run, ids);
    const refusals = ids.map((id) => ({ id, text: 'no such tool', refused: true }));
    for (let n = 1; n <= 5; n += 1) {
      expect((await bench.call(run, one, one.carrying(refusals.slice(0, n)))).status).toBe(200);
    }
    const noted = (await readLedger(bench.database.db, run)).filter(({ type }) => type === 'tool.rejected');
    expect(noted.map(({ data }) => data['tool_call_id'])).toEqual(ids.slice(0, 5));
    expect((await bench.call(run, one, one.carrying(refusals))).status).toBe(400);
    expect(await outcomeOf(run)).toEqual([{ outcome: 'failed' }]);
    const other = await bench.runOf(one);
    await useTools(other, ['call_long']);
    const long = await bench.call(
      other,
      one,
      one.carrying([{ id: 'call_long', text: 'x'.repeat(4096), refused: true }]),
    );
    expect(long.status).toBe(400);
  });
});

describe('a Chat Completions stream', () => {
  const chat = DIALECT_CASES.find(({ dialect }) => dialect === 'openai-chat') as DialectCase;

  it('CP-023 is metered for a client that did not ask for usage, and looks to it as if nobody had', async () => {
    const run = await bench.runOf(chat);
    bench.answer = reply(chat);
    const response = await fetch(`${bench.plane.url}/internal/llm/${chat.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${run.tokens.llm}` },
      body: JSON.stringify(chat.request({ stream: true })),
    });
    const { events, lastReport } = streamedAnswer('openai-chat', { texts: ['hel', 'lo'], usage: USAGE });
    expect(await response.text()).toBe(events.toSpliced(lastReport - 1, 1).join(''));
    expect(bench.provider.requests[0]?.body['stream_options']).toEqual({ include_usage: true });
    expect(await bench.usageOf(run)).toEqual([{ input_tokens: 100, output_tokens: 50, cache_read_tokens: 10 }]);
  });
});
