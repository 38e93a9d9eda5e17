import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  decideApproval,
  expireApprovals,
  readApproval,
  type ApprovalDecision,
} from '../../../src/core/approvals/approvals.js';
import { requestApproval, type Question } from '../../../src/core/gate/gate.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import {
  createOrganization,
  createRun,
  gateCall,
  readLedger,
  type FixtureOrganization,
  type FixtureRun,
  type StoredEvent,
} from '../../support/runs/run-fixture.js';
import { SeededRandom } from '../../support/random/seeded-random.js';

/** `npm run test:nightly` races 10,000 times (docs/proofs.md, 2). */
const RACES = Number(process.env['SANDGATE_PROOF_RACES'] ?? 200);
const AT_ONCE = 8;
const SEED = 20_260;

type Contender = 'approve' | 'approve for the run' | 'deny' | 'expire' | 'cancel' | 'ask again';
const CONTENDERS: readonly Contender[] = ['approve', 'approve for the run', 'deny', 'expire', 'cancel', 'ask again'];
const DECISIONS: Partial<Record<Contender, ApprovalDecision>> = {
  approve: 'approved_once',
  'approve for the run': 'approved_session',
  deny: 'denied',
};

interface Race {
  run: FixtureRun;
  approvalId: string;
  call: ReturnType<typeof gateCall>;
  question: Question;
}

describe('races about one approval', () => {
  let test: TestDatabase;
  let organization: FixtureOrganization;
  /** How long the last race took: on a busy machine much longer than on an idle one. */
  let raceMs = 20;
  beforeAll(async () => {
    test = await createTestDatabase();
    organization = await createOrganization(test.db);
  });
  afterAll(() => test.close());

  const inRun = <T>(run: FixtureRun, work: Parameters<typeof test.db.withTenant<T>>[1]): Promise<T> =>
    test.db.withTenant(run.organizationId, work);

  async function prepare(random: SeededRandom): Promise<Race> {
    const run = await createRun(test.db, { in: organization, sandboxHandle: true });
    const question: Question = {
      source: 'policy',
      risk: null,
      reason: 'asks',
      scope: 'once',
      scopeKey: 'git push',
      scopeKeys: ['git push'],
      explanation: null,
      // The deadline falls before, into and behind the race.
      ttlSecs: (random.next() * raceMs * 1.5) / 1000,
      maxPending: 16,
      payload: null,
    };
    const call = gateCall(run);
    const answer = await requestApproval(test.db, call, question);
    return { run, approvalId: answer.approvalId ?? '', call, question };
  }

  async function contend(race: Race, contender: Contender, afterMs: number): Promise<boolean> {
    const { run, approvalId } = race;
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const decision = DECISIONS[contender];
    if (decision !== undefined) {
      return (await inRun(run, (tx) => decideApproval(tx, { approvalId, decision, decidedBy: contender }))).won;
    }
    if (contender === 'ask again') await requestApproval(test.db, race.call, race.question);
    if (contender === 'expire') await inRun(run, (tx) => expireApprovals(tx, run.runId));
    if (contender === 'cancel') {
      const finalizationRequest = { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: false };
      await inRun(run, (tx) => requestFinalization(tx, run.runId, finalizationRequest));
      await inRun(run, (tx) => expireApprovals(tx, run.runId, { all: true }));
    }
    return false;
  }

  async function settle(random: SeededRandom): Promise<{ status: string; problem: string | null }> {
    const race = await prepare(random);
    const count = random.between(2, 6);
    const contenders = Array.from({ length: count }, () => random.pick(CONTENDERS));
    const delays = contenders.map(() => random.between(0, 20));
    const started = performance.now();
    const won = await Promise.all(contenders.map((contender, index) => contend(race, contender, delays[index] ?? 0)));
    raceMs = Math.max(20, performance.now() - started);
    // Whatever nobody settled runs out in the end.
    await inRun(race.run, (tx) => expireApprovals(tx, race.run.runId, { all: true }));
    const row = await inRun(race.run, (tx) => readApproval(tx, race.approvalId));
    const problem = inconsistency(
      row,
      await readLedger(test.db, race.run),
      won.filter(Boolean).length,
      contenders.includes('cancel'),
    );
    return { status: row.status, problem: problem === null ? null : `${problem} after ${contenders.join(', ')}` };
  }

  it(`${RACES} races of approve, deny, expire, cancel and a repeated call: one decision each, one pair of events`, async () => {
    const random = new SeededRandom(SEED);
    const statuses = new Map<string, number>();
    let left = RACES;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { status, problem } = await settle(random);
        if (problem !== null) throw new Error(problem);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(RACES);
    // Races that one side always wins would show nothing.
    expect([...statuses.keys()].sort()).toEqual(['approved_once', 'approved_session', 'denied', 'expired']);
  }, 3_600_000);

  it('the check notices a second decision, a missing one and one that the row does not tell', () => {
    const row = { status: 'denied', decided_by: 'deny' };
    const pair = decisionPair('denied', 'deny');
    expect(inconsistency(row, pair, 1)).toBeNull();
    expect(inconsistency(row, [...pair, ...pair], 1)).toMatch('2 decisions');
    expect(inconsistency(row, pair.slice(0, 1), 1)).toMatch('0 verdicts');
    expect(inconsistency(row, decisionPair('approved_once', 'deny'), 1)).toMatch('row says denied');
    expect(inconsistency({ ...row, status: 'pending' }, [], 0)).toMatch('0 decisions');
    expect(inconsistency(row, pair, 2)).toMatch('2 winners');
  });
});

function decisionPair(decision: string, decidedBy: string): StoredEvent[] {
  const allowed = decision.startsWith('approved');
  return [
    { seq: 1, actor: 'human', type: 'approval.decided', data: { decision, decided_by: decidedBy } },
    {
      seq: 2,
      actor: 'system',
      type: 'tool.decision',
      data: { verdict: allowed ? 'allow' : 'deny', source: 'human', reason: `human:${decidedBy}` },
    },
  ];
}

/** What contradicts one decision and one pair of events; null when nothing does. */
function inconsistency(
  row: { status: string; decided_by: string | null },
  ledger: StoredEvent[],
  winners: number,
  isEnded = false,
): string | null {
  const decided = ledger.filter((event) => event.type === 'approval.decided');
  const decisions = ledger.filter((event) => event.type === 'tool.decision');
  const refusals = decisions.filter(({ data }) => data['source'] === 'session_terminal');
  const verdicts = decisions.filter((event) => !refusals.includes(event));
  if (decided.length !== 1) return `${decided.length} decisions`;
  if (verdicts.length !== 1) return `${verdicts.length} verdicts`;
  const { decision, decided_by: decidedBy } = decided[0]!.data;
  if (decision !== row.status || decidedBy !== row.decided_by) {
    return `the row says ${row.status} by ${row.decided_by}, the ledger ${JSON.stringify(decided[0]!.data)}`;
  }
  const allowed = row.status.startsWith('approved');
  if (verdicts[0]!.data['verdict'] !== (allowed ? 'allow' : 'deny')) return `the verdict contradicts ${row.status}`;
  // An approval after the end of its run releases nothing, which is told once.
  if (refusals.length > Number(allowed && isEnded)) return `${refusals.length} refusals for want of a run`;
  if (winners !== (row.status === 'expired' ? 0 : 1)) return `${winners} winners`;
  return null;
}
