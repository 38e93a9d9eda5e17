/** @own-modules How long its turns take must not depend on what ran in this process before. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { guardSchema } from '../../../src/domain/gate/schema-limits.js';
import { cpuClock, turnClock } from '../../support/time/cpu-clock.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger } from '../../support/gate/gated-run.js';
import { askPermission, decided } from '../../support/gate/permission-calls.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { doublingWhenAsked, SCHEMA_BOMBS } from '../../support/gate/schema-bombs.js';

const ALLOW_ALL = [{ match: ['*'], action: 'allow' }];
const INVALID = 'frozen schema invalid — refresh the snapshot';
const ENDED = { decision: 'deny', message: INVALID };
const TIMED_OUT = `${INVALID}: its validator ran longer than 50 ms`;

let database: TestDatabase;
let plane: PlaneApp;

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await startPlane(database);
});
afterAll(async () => {
  await plane.close();
  await database.close();
});

const ask = (run: FixtureRun, id: string, tool: string, input: unknown, at = plane): Promise<unknown> =>
  askPermission(at, run, id, tool, input);

/** All bombs as tools of one run; every call of the run is allowed by policy. */
function bombedRun(): Promise<FixtureRun> {
  const bombs = Object.fromEntries(SCHEMA_BOMBS.map(({ schema }, index) => [`b${index}`, schema]));
  return createGatedRun(database.db, { tools: ALLOW_ALL, kb: { ...bombs, harmless: {} } });
}

async function reasonsOf(run: FixtureRun): Promise<Map<string, string>> {
  const decisions = decided(await readLedger(database.db, run));
  return new Map(decisions.map((data) => [data['tool_call_id'] as string, data['reason'] as string]));
}

describe('schema bombs', () => {
  it('CP-316 are fifty or more, of which some pass every count', () => {
    expect(SCHEMA_BOMBS.length).toBeGreaterThanOrEqual(50);
    expect(SCHEMA_BOMBS.filter(({ schema }) => guardSchema(schema).kind === 'compilable').length).toBeGreaterThan(20);
  });

  it('CP-316 CP-313 are refused or end, while the calls of other runs are answered', async () => {
    const run = await bombedRun();
    const other = await createGatedRun(database.db, { tools: ALLOW_ALL, kb: { find: { required: ['q'] } } });
    let costliestCountMs = 0;
    const reachValidator = SCHEMA_BOMBS.map(({ schema }) => {
      const ms = cpuClock();
      const { kind } = guardSchema(schema);
      costliestCountMs = Math.max(costliestCountMs, ms());
      return kind === 'compilable';
    });
    // What is done once for a run, whatever its schemas, is done before.
    expect(await ask(run, 'first', 'mcp__kb__harmless', {})).toEqual({ decision: 'allow' });
    let [unanswered, exploded] = [SCHEMA_BOMBS.length, 0];
    const answers = SCHEMA_BOMBS.map(({ input }, index) =>
      ask(run, `b${index}`, `mcp__kb__b${index}`, input).then((answer) => {
        unanswered -= 1;
        if (reachValidator[index] === true && (answer as typeof ENDED).decision === ENDED.decision) exploded += 1;
        return answer;
      }),
    );
    // Sending them is this test's own work.
    await nextTurn();
    const turns = turnClock();
    // A busy machine slows bombs and calls alike: how long a call took is told in bombs that were judged meanwhile.
    const waited = { Read: [] as number[], mcp__kb__find: [] as number[] };
    const callWhileBombs = async (tool: keyof typeof waited): Promise<void> => {
      for (let i = 0; unanswered > 0; i += 1) {
        const before = exploded;
        expect(await ask(other, `${tool}${i}`, tool, { q: 'a' })).toEqual({ decision: 'allow' });
        waited[tool].push(exploded - before);
      }
    };
    await Promise.all([callWhileBombs('Read'), callWhileBombs('mcp__kb__find')]);
    const said = await Promise.all(answers);
    const longestTurnMs = turns.stop();
    const mustRefuse = SCHEMA_BOMBS.map(({ refused }, index) => ({ refused, answer: said[index] })).filter(
      (one) => one.refused,
    );
    expect(mustRefuse.map((one) => one.answer)).toEqual(mustRefuse.map(() => ENDED));
    expect([...(await reasonsOf(run)).values()].filter((reason) => reason === TIMED_OUT).length).toBeGreaterThan(5);
    expect(Math.max(...waited.Read)).toBeLessThan(exploded / 2);
    expect(Math.max(...waited.mcp__kb__find)).toBeLessThan(exploded / 2);
    expect(longestTurnMs).toBeLessThan(costliestCountMs * 3);
  });

  it('CP-316 whose validator was ended stay un-callable in the run, also for a process that has just started', async () => {
    // Compiled in a fraction of its time, also where half of the machine is somebody else's.
    const bomb = doublingWhenAsked(20);
    const kb = { bomb: bomb.schema, find: {} };
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL, kb });
    // Without its trigger the schema is quickly met.
    expect(await ask(run, 'a', 'mcp__kb__bomb', {})).toEqual({ decision: 'allow' });
    expect(await ask(run, 'b', 'mcp__kb__bomb', bomb.input)).toEqual({ decision: 'deny', message: INVALID });
    expect(await ask(run, 'c', 'mcp__kb__bomb', {})).toEqual({ decision: 'deny', message: INVALID });
    const second = await startPlane(database);
    try {
      expect(await ask(run, 'd', 'mcp__kb__bomb', {}, second)).toEqual({ decision: 'deny', message: INVALID });
      expect(await ask(run, 'e', 'mcp__kb__find', {}, second)).toEqual({ decision: 'allow' });
    } finally {
      await second.close();
    }
    expect(
      [...(await reasonsOf(run)).entries()].filter(([, reason]) => reason === TIMED_OUT).map(([id]) => id),
    ).toEqual(['b', 'c', 'd']);
    const another = await createGatedRun(database.db, { in: run, tools: ALLOW_ALL, kb });
    expect(await ask(another, 'a', 'mcp__kb__bomb', {})).toEqual({ decision: 'allow' });
  });
});
