import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { decideApproval, expireApprovals } from '../../../src/core/approvals/approvals.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { authorizeRun } from '../../../src/core/launch/authorization.js';
import { decideAutomatic } from '../../../src/core/gate/gate.js';
import { parkRun } from '../../../src/core/network/network-grants.js';
import type { ApprovedNetwork } from '../../../src/domain/network/grant.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import {
  createOrganization,
  createRun,
  gateCall,
  readLedger,
  readStatus,
  type FixtureOrganization,
  type FixtureRun,
} from '../../support/runs/run-fixture.js';
import { SeededRandom } from '../../support/random/seeded-random.js';

/** `npm run test:nightly` races more often (docs/proofs.md, 2). */
const RACES = Number(process.env['SANDGATE_PROOF_RACES'] ?? 100);
const AT_ONCE = 8;
const SEED = 20_261;
const CONTENDERS = ['approve', 'deny', 'expire', 'cancel', 'authorize', 'authorize'] as const;
type Contender = (typeof CONTENDERS)[number];

let test: TestDatabase;
let organization: FixtureOrganization;
beforeAll(async () => {
  test = await createTestDatabase();
  organization = await createOrganization(test.db);
  await test.db.withTenant(organization.organizationId, (tx) =>
    tx.query(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author)
       values ($1, $2, $3, 2, '{"name":"default","network":{"max_mode":"approved"}}', 'api')`,
      [uuidv7(), organization.organizationId, organization.policyId],
    ),
  );
});
afterAll(() => test.close());

const inRun = <T>(run: FixtureRun, work: Parameters<typeof test.db.withTenant<T>>[1]): Promise<T> =>
  test.db.withTenant(run.organizationId, work);

async function parkedRun(): Promise<{ run: FixtureRun; approvalId: string }> {
  const network: ApprovedNetwork = {
    schema_version: 1,
    mode: 'approved',
    targets: [
      {
        kind: 'dns',
        pattern: { kind: 'exact', name: 'a.example.com' },
        ports: [{ from: 443, to: 443 }],
        protocol: 'tcp',
      },
    ],
    denied: [],
    variables: {},
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    policy_digest: 'sha256:0',
  };
  const run = await createRun(test.db, {
    in: organization,
    status: 'created',
    budgets: { max_wall_clock_secs: 60 },
    spec: { network, policy_id: organization.policyId },
  });
  const approvalId = await inRun(run, (tx) => parkRun(tx, run.runId, network, 600));
  return { run, approvalId };
}

async function contend({ run, approvalId }: { run: FixtureRun; approvalId: string }, as: Contender): Promise<boolean> {
  if (as === 'approve' || as === 'deny') {
    const decision = as === 'approve' ? 'approved_once' : 'denied';
    return (await inRun(run, (tx) => decideApproval(tx, { approvalId, decision, decidedBy: as }))).won;
  }
  if (as === 'authorize') await inRun(run, (tx) => authorizeRun(tx, run.runId));
  if (as === 'expire') await inRun(run, (tx) => expireApprovals(tx, run.runId, { all: true }));
  const request = { outcome: 'cancelled', reason: 'cancelled by user', wantsQuiesce: false };
  if (as === 'cancel') await inRun(run, (tx) => requestFinalization(tx, run.runId, request));
  return false;
}

interface Settled {
  approval: string;
  grant: string;
  outcome: string | null;
}

async function race(random: SeededRandom): Promise<{ settled: Settled; problem: string | null }> {
  const parked = await parkedRun();
  const contenders = Array.from({ length: random.between(2, 6) }, () => random.pick(CONTENDERS));
  const delays = contenders.map(() => random.between(0, 12));
  const won = await Promise.all(
    contenders.map(async (as, index) => {
      await new Promise((resolve) => setTimeout(resolve, delays[index] ?? 0));
      return contend(parked, as);
    }),
  );
  // What nobody settled runs out, and the workflow looks once more.
  await contend(parked, 'expire');
  await contend(parked, 'authorize');
  const { rows } = await test.owner.query<Settled>(
    `select a.status as approval, g.status as grant, f.outcome
       from approvals a join network_grants g on g.approval_id = a.id
       left join session_finalizations f on f.session_id = a.session_id where a.id = $1`,
    [parked.approvalId],
  );
  const ledger = await readLedger(test.db, parked.run);
  const status = await readStatus(test.db, parked.run);
  const problem = inconsistency(
    rows[0]!,
    status,
    ledger.map(({ type }) => type),
    won.filter(Boolean).length,
  );
  return { settled: rows[0]!, problem: problem === null ? null : `${problem} after ${contenders.join(', ')}` };
}

/** What contradicts one decision with what came of it; null when nothing does. */
function inconsistency(
  { approval, grant, outcome }: Settled,
  status: string | undefined,
  types: readonly string[],
  winners: number,
): string | null {
  const count = (type: string): number => types.filter((one) => one === type).length;
  if (count('approval.decided') !== 1) return `${count('approval.decided')} decisions`;
  if (winners !== (approval === 'expired' ? 0 : 1)) return `${winners} winners of ${approval}`;
  if (grant === 'active' && approval !== 'approved_once') return `a grant that was ${approval} is active`;
  if (grant === 'active' && status !== 'queued') return `an active grant of a run that is ${status}`;
  if (status === 'queued' && grant !== 'active') return `a queued run whose grant is ${grant}`;
  if (status === 'awaiting_authorization' && outcome === null) return 'a run that waits for ever';
  if (approval === 'approved_once' && outcome === 'failed') return 'an approved run that failed';
  if (approval !== 'approved_once' && outcome === null) return `a run that was ${approval} and does not end`;
  const revoked = count('network.grant.revoked');
  return revoked === (grant === 'denied' ? 1 : 0) ? null : `${revoked} revocations of a grant that is ${grant}`;
}

describe('races about the authorization of a network', () => {
  it(`${RACES} races of approve, deny, expire, cancel and the workflow: one decision, and what follows from it`, async () => {
    const random = new SeededRandom(SEED);
    const seen = new Set<string>();
    let left = RACES;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { settled, problem } = await race(random);
        if (problem !== null) throw new Error(problem);
        seen.add(`${settled.approval} ${settled.grant}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    // Races that one side always wins would show nothing.
    expect([...seen]).toEqual(expect.arrayContaining(['approved_once active', 'denied denied', 'expired denied']));
  }, 3_600_000);
});

describe('the id of the question about a network', () => {
  it('opens nothing at the gate: a call with it is another call', async () => {
    const { run } = await parkedRun();
    await test.owner.query(`update sessions set status = 'running' where id = $1`, [run.runId]);
    const call = gateCall(run, { toolCallId: 'network-grant' });
    const verdict = { kind: 'allow', source: 'policy', originalVerdict: null, reason: null } as const;
    expect((await decideAutomatic(test.db, call, verdict)).outcome).toBe('protocol_violation');
  });
});
