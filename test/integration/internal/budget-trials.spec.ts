import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openProcessLease } from '../../../src/core/budgets/process-leases.js';
import { settle } from '../../../src/core/budgets/reservations.js';
import { reserve } from '../../../src/core/budgets/reserve.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows, type LedgerLine } from '../../support/gate/gated-run.js';
import { spentTokens } from '../../support/models/spent-tokens.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import { tokenDigest, type FixtureRun } from '../../support/runs/run-fixture.js';
import { SeededRandom } from '../../support/random/seeded-random.js';

/** Each with 64 callers; the nightly campaign runs 1,000. */
const TRIALS = Number(process.env['TEST_BUDGET_TRIALS'] ?? 20);
const CALLERS = 64;
const CALLS = 10;
const TOKENS = 20_000;

let database: TestDatabase;
let planes: PlaneApp[];

beforeAll(async () => {
  database = await createTestDatabase();
  planes = [await startPlane(database), await startPlane(database)];
});
afterAll(async () => {
  await Promise.all(planes.map((plane) => plane.close()));
  await database.close();
});

const ofType = (ledger: LedgerLine[], type: string) => ledger.filter((line) => line.type === type);

describe('64 callers at once on one budget', () => {
  it(
    `CP-076 of ${CALLS} calls: exactly that many pass, in ${TRIALS} trials over two processes, and each cap is told once`,
    async () => {
      for (let trial = 0; trial < TRIALS; trial += 1) {
        const run = await createGatedRun(database.db, {
          tools: [{ match: ['*'], action: 'allow' }],
          budgets: { max_tool_calls: CALLS },
        });
        const answers = await Promise.all(
          Array.from({ length: CALLERS }, (_unused, n) =>
            post(`${planes[n % planes.length]?.url}/internal/permission`, run.tokens.tool, {
              tool_call_id: `call-${n}`,
              tool: 'Read',
            }),
          ),
        );
        expect(answers.filter((answer) => answer.body['decision'] === 'allow')).toHaveLength(CALLS);
        const ledger = await readLedger(database.db, run);
        expect(ledger.map((line) => line.seq)).toEqual(ledger.map((_line, index) => index + 1));
        expect(ofType(ledger, 'tool.decision').filter((line) => line.data['verdict'] === 'allow')).toHaveLength(CALLS);
        expect(ofType(ledger, 'budget.exceeded')).toHaveLength(1);
        expect(ofType(ledger, 'budget.warning').map((line) => line.data)).toEqual([
          { budget: 'max_tool_calls', limit: '10', spent: '8' },
        ]);
        expect(
          await readRows(database.db, run, 'select outcome, reason from session_finalizations where session_id = $1'),
        ).toEqual([{ outcome: 'budget_exceeded', reason: 'tool-call budget exceeded' }]);
      }
    },
    30_000 + TRIALS * 3000,
  );

  it(
    `CP-074 of ${TOKENS} tokens: ${TRIALS} trials spend no more, leave no reservation and warn once`,
    async () => {
      const processId = await openProcessLease(database.db.pool, { kind: 'api', hostId: null });
      const random = new SeededRandom(6);
      for (let trial = 0; trial < TRIALS; trial += 1) {
        const run = await createGatedRun(database.db, { budgets: { max_tokens: TOKENS } });
        const fates = Array.from({ length: CALLERS }, () => random.next());
        await Promise.all(fates.map((fate) => requestModel(run, processId, fate)));
        const head = await spentTokens(database.db, run);
        expect(head.live).toBe(0);
        expect(head.spent).toBe(head.settled);
        expect(head.spent).toBeLessThanOrEqual(TOKENS);
        const warnings = ofType(await readLedger(database.db, run), 'budget.warning');
        expect(warnings).toHaveLength(head.spent >= TOKENS * 0.8 ? 1 : 0);
      }
    },
    30_000 + TRIALS * 3000,
  );
});

/** Asks until it is told finally; an answer is charged, refused by the provider, or breaks off without usage. */
async function requestModel(run: FixtureRun, processId: string, fate: number): Promise<void> {
  for (;;) {
    const answer = await reserve(database.db, {
      tokenSha256: tokenDigest(run, 'llm'),
      organizationId: run.organizationId,
      runId: run.runId,
      runSpecDigest: run.runSpecDigest,
      inputTokens: 500,
      outputTokens: 1500,
      inputCostMicros: null,
      outputMicrosPerMillion: null,
      maxTokens: TOKENS,
      maxCostMicros: null,
      maxLive: CALLERS,
      processId,
      ttlSecs: 60,
      resultIds: [],
      refusedResultIds: [],
      maxRefused: 5,
    });
    if (answer.outcome === 'held') {
      await sleep(5);
      continue;
    }
    if (answer.reservationId === null || answer.outputTokens === null) {
      expect(answer.outcome).toBe('exhausted');
      return;
    }
    const usage = {
      model: 'm',
      inputTokens: 500,
      outputTokens: Math.floor(answer.outputTokens * fate),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costMicros: null,
      source: 'facade',
    };
    const state = fate < 0.1 ? 'released' : fate > 0.9 ? 'unreported' : 'charged';
    await settle(database.db, {
      organizationId: run.organizationId,
      runId: run.runId,
      reservationId: answer.reservationId,
      state,
      usage: state === 'charged' ? usage : null,
      toolUses: [],
      maxTokens: TOKENS,
      maxCostMicros: null,
      events: [],
    });
    return;
  }
}
