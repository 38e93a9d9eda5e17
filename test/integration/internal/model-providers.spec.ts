import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/domain/json.js';
import { readRows } from '../../support/gate/gated-run.js';
import { DIALECT_CASES } from '../../support/models/model-wire.js';
import type { DialectCase } from '../../support/models/model-wire.js';
import { startPlane } from '../../support/plane/plane-app.js';
import { DialectBench, reply } from '../../support/models/dialect-bench.js';

let bench: DialectBench;

beforeAll(async () => {
  bench = await DialectBench.start();
});
afterEach(() => {
  bench.provider.requests.length = 0;
});
afterAll(() => bench.close());

describe('the providers of a deployment', () => {
  const [anthropic, responses, chat] = DIALECT_CASES as [DialectCase, DialectCase, DialectCase];

  it('CP-062 that do not speak a dialect are 502, and it says what to set; none at all is 503', async () => {
    const half = await startPlane(bench.database, { SERVICE_LLM_ANTHROPIC_URL: bench.provider.url, ANTHROPIC_API_KEY: 'k' });
    const none = await startPlane(bench.database);
    try {
      for (const one of [responses, chat]) {
        const run = await bench.runOf(one);
        const refused = await bench.call(run, one, '{', half);
        expect(refused).toMatchObject({ status: 502, body: { error: expect.stringContaining('OPENAI_API_KEY') } });
        expect(refused.headers.get('x-should-retry')).toBe('false');
        expect(await bench.call(run, one, one.request(), none)).toMatchObject({ status: 503, body: { error: expect.stringContaining('OPENAI_API_KEY') } });
        expect(await bench.reservationsOf(run)).toEqual([]);
      }
    } finally {
      await half.close();
      await none.close();
    }
  }); // prettier-ignore

  it('CP-062 are one gateway when it is set, with its key in the headers of each dialect', async () => {
    const one = await startPlane(bench.database, {
      SERVICE_LLM_UPSTREAM_URL: `${bench.provider.url}/proxy`,
      SERVICE_LLM_UPSTREAM_KEY: 'master',
      OPENAI_API_KEY: 'unused',
    });
    try {
      for (const dialect of [anthropic, responses, chat]) {
        bench.answer = reply(dialect);
        expect((await bench.call(await bench.runOf(dialect), dialect, dialect.request(), one)).status).toBe(200);
        const sent = bench.provider.requests.at(-1);
        expect(sent?.path).toBe(`/proxy/${dialect.path}`);
        expect(sent?.headers['authorization']).toBe('Bearer master');
        expect(sent?.headers['x-api-key']).toBe(dialect === anthropic ? 'master' : undefined);
      }
    } finally {
      await one.close();
    }
  });

  it('CP-062 may stand below a path of their own', async () => {
    const local = await startPlane(bench.database, { SERVICE_LLM_OPENAI_URL: `${bench.provider.url}/openai/v2`, OPENAI_API_KEY: 'k' });
    try {
      bench.answer = reply(chat);
      expect((await bench.call(await bench.runOf(chat), chat, chat.request(), local)).status).toBe(200);
      expect(bench.provider.requests[0]?.path).toBe('/openai/v2/chat/completions');
      expect(bench.provider.requests[0]?.body).not.toHaveProperty('store');
    } finally {
      await local.close();
    }
  }); // prettier-ignore
});

describe('the prices of the operator', () => {
  it('CP-074 charge and cap a model that the package does not know', async () => {
    const chat = DIALECT_CASES[2] as DialectCase;
    const priced = await startPlane(bench.database, {
      SERVICE_LLM_OPENAI_URL: bench.provider.url,
      OPENAI_API_KEY: 'k',
      SERVICE_LLM_PRICES: 'models: {house: {input_mtok: 1, output_mtok: 4, cache_read_mtok: 0.5}}',
    });
    try {
      const run = await bench.runOf(chat, { model: 'house', budgets: { max_cost_usd: 0.01 } });
      bench.answer = reply(chat);
      const body: JsonObject = { model: 'house', messages: [{ role: 'user', content: 'hi' }] };
      expect((await bench.call(run, chat, body, priced)).status).toBe(200);
      expect(Number(bench.provider.requests[0]?.body['max_tokens'])).toBeLessThanOrEqual(2500);
      expect(
        await readRows(bench.database.db, run, 'select cost_micros::int from usage_entries where session_id = $1'),
      ).toEqual([{ cost_micros: 100 + 4 * 50 + 5 }]);
    } finally {
      await priced.close();
    }
  });
});
