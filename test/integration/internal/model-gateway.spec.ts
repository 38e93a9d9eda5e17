import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startConnectProxy } from '../../support/http/connect-proxy.js';
import { createGatedRun, post, readLedger } from '../../support/gate/gated-run.js';
import { startPlane } from '../../support/plane/plane-app.js';
import { MODEL, ModelBench, request, say } from '../../support/models/model-bench.js';
import { eventually } from '../../support/time/until.js';

/** 100 × 1 + 50 × 5 + 10 × 0.1 + 20 × 1.25 micro-dollars. */
const COST_MICROS = 376;

let bench: ModelBench;

beforeAll(async () => {
  bench = await ModelBench.start();
});
afterEach(() => {
  bench.model.requests.length = 0;
});
afterAll(() => bench.close());

describe('an answered model request', () => {
  it.each([false, true])(
    'CP-023 CP-022 is charged with what the provider reported (streamed: %s)',
    async (streamed) => {
      const run = await createGatedRun(bench.database.db);
      bench.script = say('canary-completion-2b7e');
      const body = request({
        system: 'canary-system-91aa',
        messages: [{ role: 'user', content: 'canary-prompt-4c1d' }],
      });
      const response = streamed ? await bench.stream(run, body) : null;
      const text = response === null ? JSON.stringify((await bench.call(run, body)).body) : await response.text();
      expect(text).toContain('canary-completion-2b7e');
      if (response !== null) expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(await bench.usageOf(run)).toEqual([
        {
          model: MODEL,
          input_tokens: 100,
          output_tokens: 50,
          cache_read_tokens: 10,
          cache_write_tokens: 20,
          cost_micros: COST_MICROS,
          source: 'facade',
        },
      ]);
      expect(await bench.reservationsOf(run)).toEqual(['charged']);
      const ledger = await readLedger(bench.database.db, run);
      expect(ledger).toMatchObject([
      {
        actor: 'system',
        type: 'model.response',
        data: {
          model: MODEL, input_tokens: 100, output_tokens: 50, cache_read_tokens: 10, cache_write_tokens: 20, cost_usd: COST_MICROS / 1e6,
          request_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), response_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        },
      },
    ]); // prettier-ignore
      expect(JSON.stringify(ledger)).not.toContain('canary');
    },
  );

  it('CP-062 reaches the provider with our key, its API headers, and nothing of the run', async () => {
    const run = await createGatedRun(bench.database.db);
    bench.script = say('x');
    await post(`${bench.plane.url}/internal/llm/v1/messages?beta=true`, run.tokens.llm, request(), {
      'anthropic-version': '2023-06-01', 'anthropic-beta': 'some-beta', cookie: 'a=b', 'x-other': 'y',
    }); // prettier-ignore
    const [sent] = bench.model.requests;
    expect(sent?.path).toBe('/v1/messages');
    expect(sent?.headers).toMatchObject({
      'x-api-key': 'provider-key',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'some-beta',
    });
    expect(sent?.headers).not.toHaveProperty('x-other');
    expect(sent?.headers).not.toHaveProperty('cookie');
    expect(JSON.stringify(sent?.headers)).not.toContain('svc_sess_');
  });

  it('CP-023 is charged when the client hangs up in the middle of the stream', async () => {
    const run = await createGatedRun(bench.database.db);
    bench.script = say('word '.repeat(200), { eventDelayMs: 20 });
    const controller = new AbortController();
    const response = await bench.stream(run, request(), controller.signal);
    await response.body?.getReader().read();
    controller.abort();
    await eventually(async () => expect(await bench.usageOf(run)).toHaveLength(1));
    expect(await bench.reservationsOf(run)).toEqual(['charged']);
  });

  it('CP-023 without usage keeps its reservation counted', async () => {
    const run = await createGatedRun(bench.database.db);
    bench.script = say('x', { withoutUsage: true });
    await (await bench.stream(run, request())).text();
    expect(await bench.usageOf(run)).toEqual([]);
    expect(await bench.reservationsOf(run)).toEqual(['unreported']);
    expect(await readLedger(bench.database.db, run)).toMatchObject([
      { type: 'agent.message', data: { text: 'model stream completed (usage unparsed)' } },
    ]);
  });

  it('CP-023 that broke off is passed on as broken and keeps its reservation counted', async () => {
    const run = await createGatedRun(bench.database.db);
    bench.script = say('a b c', { cutAfterEvents: 3 });
    const response = await bench.stream(run, request());
    await expect(response.text()).rejects.toThrow();
    await eventually(async () => expect(await bench.reservationsOf(run)).toEqual(['unreported']));
  });

  it('CP-299 that is an error of the provider passes through unchanged and costs nothing', async () => {
    const run = await createGatedRun(bench.database.db);
    bench.script = () => ({ kind: 'error', status: 529, message: 'busy', headers: { 'retry-after': '7' } });
    const answer = await bench.call(run, request());
    expect(answer).toMatchObject({
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    });
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(await bench.reservationsOf(run)).toEqual(['released']);
    bench.script = () => ({ kind: 'error', status: 500, message: 'oops' });
    expect((await bench.call(run, request())).status).toBe(500);
    expect(await bench.reservationsOf(run)).toEqual(['released', 'unreported']);
  });

  it('CP-080 of an unpriced model has tokens and no cost', async () => {
    const run = await createGatedRun(bench.database.db, { harness: 'claude-agent-sdk', model: 'no-such-model' });
    bench.script = say('x');
    expect((await bench.call(run, request({ model: 'no-such-model' }))).status).toBe(200);
    expect(await bench.usageOf(run)).toMatchObject([{ input_tokens: 100, cost_micros: null }]);
    expect(await readLedger(bench.database.db, run)).toMatchObject([{ data: { cost_usd: null } }]);
  });

  it('CP-023 counting tokens holds and costs nothing', async () => {
    const run = await createGatedRun(bench.database.db, { budgets: { max_tokens: 1 } });
    expect(await bench.call(run, request(), 'v1/messages/count_tokens')).toMatchObject({
      status: 200,
      body: { input_tokens: expect.any(Number) },
    });
    expect(await bench.reservationsOf(run)).toEqual([]);
  });
});

describe('a refused model request', () => {
  it('CP-009 is one for another model than the frozen one', async () => {
    const run = await createGatedRun(bench.database.db);
    const answer = await bench.call(run, request({ model: 'claude-opus-4-8' }));
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(MODEL) } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(bench.model.requests).toEqual([]);
  });

  it.each([
    ['server tools', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['MCP servers', { mcp_servers: [{ type: 'url', url: 'https://x', name: 'x' }] }],
  ])('CP-026 is one with %s', async (_what, more) => {
    const run = await createGatedRun(bench.database.db);
    expect((await bench.call(run, request(more))).status).toBe(400);
    expect(bench.model.requests).toEqual([]);
  });

  it('CP-026 is refused in the order of the checks', async () => {
    const stopped = await createGatedRun(bench.database.db, { status: 'cancelling' });
    expect(await bench.call(stopped, '{', 'v1/nothing')).toMatchObject({
      status: 400,
      body: { error: 'session is not active' },
    });
    const run = await createGatedRun(bench.database.db);
    expect(await bench.call(run, '{', 'v1/nothing')).toMatchObject({ status: 404 });
    expect(await bench.call(run, '{')).toMatchObject({ status: 400, body: { error: expect.stringContaining('JSON') } });
    const replay = await createGatedRun(bench.database.db, { harness: 'replay' });
    expect(await bench.call(replay, request(), 'v1/nothing')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('replay') },
    });
    const spent = await createGatedRun(bench.database.db, { budgets: { max_tokens: 0 } });
    expect(await bench.call(spent, '{', 'v1/nothing')).toMatchObject({
      status: 400,
      body: { error: 'token budget exhausted' },
    });
  });

  it('CP-062 without a provider is 503 and says what to set', async () => {
    const bare = await startPlane(bench.database);
    try {
      const run = await createGatedRun(bench.database.db);
      const answer = await bench.call(run, request(), 'v1/messages', bare);
      expect(answer).toMatchObject({ status: 503, body: { error: expect.stringContaining('ANTHROPIC_API_KEY') } });
      expect(answer.headers.get('x-should-retry')).toBe('false');
    } finally {
      await bare.close();
    }
  });

  it('CP-037 reaches its provider through the configured proxy, which alone knows the name', async () => {
    const proxy = await startConnectProxy();
    const { port } = new URL(bench.model.url);
    const proxied = await startPlane(bench.database, {
      SERVICE_LLM_ANTHROPIC_URL: `http://models.example:${port}`,
      ANTHROPIC_API_KEY: 'provider-key',
      SERVICE_EGRESS_PROXY: proxy.url,
    });
    try {
      bench.script = say('through');
      const run = await createGatedRun(bench.database.db);
      expect((await bench.call(run, request(), 'v1/messages', proxied)).status).toBe(200);
      expect(proxy.tunnels).toEqual([`models.example:${port}`]);
    } finally {
      await proxied.close();
      await proxy.close();
    }
  });

  it('CP-023 with a provider that cannot be reached is 502 and releases its reservation', async () => {
    const closed = await startPlane(bench.database, {
      SERVICE_LLM_ANTHROPIC_URL: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'k',
    });
    try {
      const run = await createGatedRun(bench.database.db);
      expect((await bench.call(run, request(), 'v1/messages', closed)).status).toBe(502);
      expect(await bench.reservationsOf(run)).toEqual(['released']);
    } finally {
      await closed.close();
    }
  });
});

describe('a long stream', () => {
  it('CP-023 is held back at the provider while the client does not read, so that nothing piles up', async () => {
    const total = 64 * 1024 * 1024;
    const delta = `data: ${JSON.stringify({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'x'.repeat(65_000) } })}\n\n`;
    let sent = 0;
    const upstream = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (): void => {
        while (sent < total) {
          sent += delta.length;
          if (!response.write(delta)) return void response.once('drain', send);
        }
        response.end(
          `data: {"type":"message_delta","usage":{"input_tokens":1,"output_tokens":2}}\n\ndata: {"type":"message_stop"}\n\n`,
        );
      };
      send();
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const wide = await startPlane(bench.database, { SERVICE_LLM_ANTHROPIC_URL: url, ANTHROPIC_API_KEY: 'k' });
    try {
      const run = await createGatedRun(bench.database.db);
      const body = JSON.stringify(request({ stream: true }));
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { 'x-api-key': run.tokens.llm, 'content-length': Buffer.byteLength(body) };
        httpRequest(`${wide.url}/internal/llm/v1/messages`, { method: 'POST', headers }, resolve)
          .once('error', reject)
          .end(body);
      });
      let stalledAt = -1;
      while (stalledAt !== sent) {
        stalledAt = sent;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      // What is under way fills the socket buffers of three connections and no more.
      expect(stalledAt).toBeLessThan(32 * 1024 * 1024);
      let received = 0;
      for await (const chunk of response) received += (chunk as Buffer).length;
      expect(received).toBeGreaterThanOrEqual(total);
      expect(await bench.usageOf(run)).toMatchObject([{ input_tokens: 1, output_tokens: 2 }]);
    } finally {
      await wide.close();
      upstream.closeAllConnections();
      upstream.close();
    }
  });
});
