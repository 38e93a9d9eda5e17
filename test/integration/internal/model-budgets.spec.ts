import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post } from '../../support/gate/gated-run.js';
import { spentTokens } from '../../support/models/spent-tokens.js';
import { DIALECT_CASES, wholeAnswer } from '../../support/models/model-wire.js';
import type { DialectCase } from '../../support/models/model-wire.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import { startWireProvider } from '../../support/models/wire-provider.js';
import type { WireAnswer, WireProvider } from '../../support/models/wire-provider.js';

/** Each with 64 callers, the dialects in turn; the nightly campaign runs 1,000. */
const TRIALS = Number(process.env['TEST_BUDGET_TRIALS'] ?? 50);
const CALLERS = 64;
const MAX_TOKENS = 9000;
const BYTES_PER_TOKEN = 3;

let database: TestDatabase;
let provider: WireProvider;
let planes: PlaneApp[];
const random = new SeededRandom(64);
/** Bytes that make a token of the prompt at this provider: above three it counts less than was held, below it more. */
let bytesPerToken = 4;
/** Tokens that the provider counted beyond what had been held for the prompts. */
let beyondEstimate = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  provider = await startWireProvider((request) => {
    const one = DIALECT_CASES.find(({ path }) => request.path.endsWith(path)) as DialectCase;
    const input = Math.ceil(request.bytes / bytesPerToken);
    beyondEstimate += Math.max(0, input - Math.ceil((request.bytes - 8) / BYTES_PER_TOKEN));
    const output = Math.floor(Number(request.body[one.limit]) * (random.next() < 0.5 ? 1 : random.next()));
    const usage = { input, output, cacheRead: 0, cacheWrite: 0 };
    return fateOf(JSON.stringify(wholeAnswer(one.dialect, { texts: ['x'], usage })));
  });
  const env = {
    SERVICE_LLM_ANTHROPIC_URL: provider.url, ANTHROPIC_API_KEY: 'k', SERVICE_LLM_OPENAI_URL: provider.url, OPENAI_API_KEY: 'k',
    SERVICE_LIMIT_MODEL_REQUESTS: String(CALLERS), SERVICE_LLM_MAX_CONCURRENT_RESERVATIONS: String(CALLERS),
  }; // prettier-ignore
  planes = [await startPlane(database, env), await startPlane(database, env)];
});
afterAll(async () => {
  await Promise.all(planes.map((plane) => plane.close()));
  await provider.close();
  await database.close();
});

/** Most requests are answered; some are refused by the provider, some break off after it has worked. */
function fateOf(text: string): WireAnswer {
  const fate = random.next();
  if (fate < 0.1) return { status: 429, pieces: ['{"error":{"message":"busy"}}'] };
  return fate > 0.9 ? { pieces: [text.slice(0, 20)], cut: true } : { pieces: [text] };
}

/** Asks again while it is told to wait; the status with which it is let go, null when the answer broke off. */
async function ask(run: FixtureRun, one: DialectCase, caller: number): Promise<number | null> {
  const plane = planes[caller % planes.length] as PlaneApp;
  for (;;) {
    const body = one.request({ [one.limit]: 1500 });
    const answer = await post(`${plane.url}/internal/llm/${one.path}`, run.tokens.llm, body).catch(() => null);
    if (answer === null) return null;
    const waits = answer.status === 429 && JSON.stringify(answer.body).includes('llm_budget_reservation_exceeded');
    if (!waits) return answer.status;
    await sleep(15);
  }
}

describe('64 callers at once on one budget of model requests', () => {
  it(
    `CP-074 in ${TRIALS} trials of the three dialects over two processes, spend exceeds it by what prompts were underestimated and no more`,
    async () => {
      for (let trial = 0; trial < TRIALS; trial += 1) {
        const one = DIALECT_CASES[trial % DIALECT_CASES.length] as DialectCase;
        bytesPerToken = trial % 4 === 3 ? 2 : 4;
        beyondEstimate = 0;
        const run = await createGatedRun(database.db, {
          harness: one.harness,
          model: one.model,
          budgets: { max_tokens: MAX_TOKENS },
        });
        const statuses = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => ask(run, one, caller)));
        expect(statuses.filter((status) => ![200, 400, 429, null].includes(status))).toEqual([]);
        expect(statuses).toContain(400);
        const head = await spentTokens(database.db, run);
        expect(head.live).toBe(0);
        expect(head.spent).toBe(head.settled);
        expect(head.spent).toBeLessThanOrEqual(MAX_TOKENS + beyondEstimate);
        if (bytesPerToken > BYTES_PER_TOKEN) expect(head.spent).toBeLessThanOrEqual(MAX_TOKENS);
      }
    },
    60_000 + TRIALS * 4000,
  );
});
