import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun } from '../../support/gate/gated-run.js';
import { DIALECT_CASES, wholeAnswer } from '../../support/models/model-wire.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { startWireProvider } from '../../support/models/wire-provider.js';
import type { WireProvider } from '../../support/models/wire-provider.js';

const USAGE = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0 };

let database: TestDatabase;
let provider: WireProvider;
let plane: PlaneApp;

beforeAll(async () => {
  database = await createTestDatabase();
  provider = await startWireProvider(({ path }) => {
    const one = DIALECT_CASES.find((candidate) => path.endsWith(candidate.path));
    if (one === undefined) return { status: 404, pieces: ['{}'] };
    return { pieces: [JSON.stringify(wholeAnswer(one.dialect, { texts: ['hi'], usage: USAGE }))], delayMs: 300 };
  });
  plane = await startPlane(database, { SERVICE_LLM_OPENAI_URL: provider.url, OPENAI_API_KEY: 'k' });
});
afterAll(async () => {
  await plane.close();
  await provider.close();
  await database.close();
});

describe.each(DIALECT_CASES.filter(({ dialect }) => dialect !== 'anthropic'))(
  'the provider’s own client in $dialect',
  ({ dialect, harness, model }) => {
    async function ask(run: FixtureRun): Promise<unknown> {
      const client = new OpenAI({ baseURL: `${plane.url}/internal/llm/v1`, apiKey: run.tokens.llm, maxRetries: 4 });
      const max = 2000;
      return dialect === 'openai-chat'
        ? client.chat.completions.create({
            model,
            max_completion_tokens: max,
            messages: [{ role: 'user', content: 'hi' }],
          })
        : client.responses.create({ model, max_output_tokens: max, input: 'hi' });
    }

    it('CP-332 ends at a 400 and retries a 429', async () => {
      const run = await createGatedRun(database.db, { harness, model, budgets: { max_tokens: 2600 } });
      await Promise.all([ask(run), ask(run)]);
      expect(provider.requests).toHaveLength(2);
      const spent = await createGatedRun(database.db, { harness, model, budgets: { max_tokens: 10 } });
      await expect(ask(spent)).rejects.toMatchObject({ status: 400 });
      expect(provider.requests).toHaveLength(2);
      provider.requests.length = 0;
    });
  },
);
