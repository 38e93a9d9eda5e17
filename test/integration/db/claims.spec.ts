import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { brokeredEvent } from '../../../src/domain/broker/brokered-event.js';
import type { ResourceBinding } from '../../../src/domain/connections/resource-binding.js';
import type { SettledClaimState } from '../../../src/domain/broker/claim.js';
import { insertBindings } from '../../../src/core/bindings/resource-bindings.js';
import {
  claimCall,
  forgetCallTexts,
  giveUpClaims,
  listRunsWithExpiredClaims,
  offerCall,
  readStoredClaim,
  settleClaim,
  takeCall,
  type CallRow,
  type Claim,
} from '../../../src/core/broker/claims.js';
import { decideAutomatic } from '../../../src/core/gate/gate.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { connected } from '../../support/connections/connected.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, gateCall, readLedger, type FixtureRun } from '../../support/runs/run-fixture.js';

const INPUT = { sealed: Buffer.from('sealed input'), keyVersion: 2 };
const ANSWER = { sealed: Buffer.from('sealed answer'), keyVersion: 2 };
const TOOL = 'mcp__kb__find';

let database: TestDatabase;
let run: FixtureRun;

beforeAll(async () => {
  database = await createTestDatabase();
  run = await createRun(database.db);
});
afterAll(() => database.close());

/** A call that the gate has let go and that was offered for dispatch. */
async function offered(of = run, verdict: 'allow' | 'deny' = 'allow'): Promise<CallRow & { toolCallId: string }> {
  const call = gateCall(of, { tool: TOOL });
  const decision = { kind: verdict, source: 'policy', originalVerdict: null, reason: null } as const;
  expect((await decideAutomatic(database.db, call, decision)).outcome).toBe(verdict);
  const { callId, claim } = await offerCall(database.db, call, INPUT);
  expect(claim).toBeNull();
  return { organizationId: of.organizationId, runId: of.runId, callId, toolCallId: call.toolCallId };
}

/** Gives the run a connection in the slot of the tool. */
async function bound(of: FixtureRun): Promise<{ bindingId: string; connectionId: string }> {
  const connectionId = await connected(database.db, of.organizationId, {});
  const bindingId = uuidv7();
  const binding: ResourceBinding = {
    id: bindingId,
    organizationId: of.organizationId,
    runId: of.runId,
    slotKind: 'mcp',
    slot: 'kb',
    authority: { kind: 'connection', connectionId, generation: 1, ownerType: 'organization', ownerUserId: null },
    toolSet: { snapshotVersion: 1, tools: [], digest: `sha256:${'0'.repeat(64)}` },
    resourceScope: {},
    resolvedBy: { kind: 'operator', id: null },
    bindingMode: 'organization',
  };
  await database.db.withTenant(of.organizationId, (tx) => insertBindings(tx, [binding]));
  return { bindingId, connectionId };
}

function claim(call: CallRow, attempt = 1, ttlSecs = 600): ReturnType<typeof claimCall> {
  return claimCall(database.db, call, { claimId: uuidv7(), attempt }, ttlSecs);
}

/** Without a known authority nothing is claimed. */
function read(call: CallRow): ReturnType<typeof takeCall> {
  return takeCall(database.db, call, {}, { claimId: uuidv7(), attempt: 1 }, 600);
}

function settle(call: CallRow & { toolCallId: string }, held: Claim, state: SettledClaimState): Promise<number | null> {
  const { toolCallId } = call;
  const event = brokeredEvent({ toolCallId, tool: TOOL, state, attempt: held.attempt, latencyMs: 1 }, 'kb');
  const answered = state === 'succeeded' || state === 'failed_upstream';
  const settlement = { state, resultDigest: null, error: null, answer: answered ? ANSWER : null };
  return settleClaim(database.db, call, held, settlement, [event]);
}

describe('the claim of a brokered call', () => {
  it('CP-159 is taken by one of any number of dispatches, and only with it an input is read', async () => {
    const call = await offered();
    const answers = await Promise.all(Array.from({ length: 16 }, () => claim(call)));
    expect(answers.map((answer) => answer.outcome).sort()).toEqual(['claimed', ...Array<string>(15).fill('taken')]);
    expect((await read(call))?.call).toMatchObject({ tool: TOOL, input: INPUT });
  });

  it('CP-159 is found by the one who took it and never heard so', async () => {
    const call = await offered();
    const wanted = { claimId: uuidv7(), attempt: 1 };
    for (let time = 0; time < 2; time += 1) {
      expect((await claimCall(database.db, call, wanted, 600)).outcome).toBe('claimed');
    }
  });

  it('CP-309 is taken as the call is read only while the authority is the known one, to the letter', async () => {
    const own = await createRun(database.db);
    const { bindingId, connectionId } = await bound(own);
    const call = await offered(own);
    const unknown = await read(call);
    const live = unknown?.call.bound?.current;
    expect(unknown).toMatchObject({ claimed: null, call: { bound: { bindingId, current: { status: 'active' } } } });
    const take = (): ReturnType<typeof takeCall> => {
      const known = { [uuidv7()]: live!, [bindingId]: live! };
      return takeCall(database.db, call, known, { claimId: uuidv7(), attempt: 1 }, 600);
    };
    await database.owner.query(`update integration_connections set status = 'suspended' where id = $1`, [connectionId]);
    expect(await take()).toMatchObject({ claimed: null, call: { bound: { current: { status: 'suspended' } } } });
    expect(await readStoredClaim(database.db, call)).toBeNull();
    await database.owner.query(`update integration_connections set status = 'active' where id = $1`, [connectionId]);
    const answers = await Promise.all([take(), take(), take()]);
    expect(answers.map((answer) => answer?.claimed?.outcome).sort()).toEqual(['claimed', 'taken', 'taken']);
  });

  it('CP-025 cannot be taken for a call that the gate denied, nor for one that nobody has let go', async () => {
    const call = await offered(run, 'deny');
    expect(await read(call)).toBeNull();
    expect((await claim(call)).outcome).toBe('not_allowed');
    const asked = await offered();
    await database.db.withTenant(run.organizationId, (tx) =>
      tx.query(`update approvals set status = 'approved_once', released_at = null where id = $1`, [asked.callId]),
    );
    expect((await claim(asked)).outcome).toBe('not_allowed');
  });

  it('CP-159 cannot be taken once somebody has ended the run, before the driver has moved it', async () => {
    const own = await createRun(database.db);
    const call = await offered(own);
    await database.db.withTenant(own.organizationId, (tx) =>
      requestFinalization(tx, own.runId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: true }),
    );
    expect((await claim(call)).outcome).toBe('inactive');
    expect(await readStoredClaim(database.db, call)).toBeNull();
  });

  it('CP-159 races with a cancel: either it is taken first, or there is none', async () => {
    for (let trial = 0; trial < 20; trial += 1) {
      const own = await createRun(database.db);
      const call = await offered(own);
      const cancel = database.db.withTenant(own.organizationId, async (tx) => {
        await tx.query('select 1 from session_heads where session_id = $1 for no key update', [own.runId]);
        const [open] = await tx.query('select 1 from tool_execution_claims where session_id = $1', [own.runId]);
        await requestFinalization(tx, own.runId, { outcome: 'cancelled', reason: 'c', wantsQuiesce: true });
        return open !== undefined;
      });
      const [taken, wasTakenBefore] = await Promise.all([claim(call), cancel]);
      expect(taken.outcome).toBe(wasTakenBefore ? 'claimed' : 'inactive');
    }
  });

  it.each(['succeeded', 'failed_upstream', 'ambiguous'] as const)(
    'CP-161 CP-162 that is %s is terminal: no second dispatch, no other state',
    async (state) => {
      const call = await offered();
      const { claim: held } = await claim(call);
      expect(await settle(call, held, state)).not.toBeNull();
      expect(await settle(call, held, 'succeeded')).toBeNull();
      for (const attempt of [1, 2]) expect((await claim(call, attempt)).outcome).toBe('taken');
      await expect(
        database.db.withTenant(run.organizationId, (tx) =>
          tx.query(`update tool_execution_claims set state = 'failed_before_send' where call_id = $1`, [call.callId]),
        ),
      ).rejects.toThrow('cannot move');
      const stored = await readStoredClaim(database.db, call);
      expect(stored).toMatchObject({ state, answer: state === 'ambiguous' ? null : ANSWER });
      expect(await read(call)).toBeNull();
    },
  );

  it('CP-160 that was proven not to be sent is taken again by one, at the next attempt only', async () => {
    const call = await offered();
    const { claim: held } = await claim(call);
    await settle(call, held, 'failed_before_send');
    expect((await claim(call, 1)).outcome).toBe('taken');
    expect((await claim(call, 3)).outcome).toBe('taken');
    const again = await Promise.all([claim(call, 2), claim(call, 2), claim(call, 2)]);
    expect(again.filter((answer) => answer.outcome === 'claimed')).toHaveLength(1);
    expect(await settle(call, held, 'succeeded')).toBeNull();
    const second = again.find((answer) => answer.outcome === 'claimed')!.claim;
    expect(await settle(call, second, 'succeeded')).not.toBeNull();
    expect(await readStoredClaim(database.db, call)).toMatchObject({ state: 'succeeded', attempt: 2 });
  });

  it('CP-162 past its time is ambiguous, told once in the ledger, and its late dispatcher loses', async () => {
    const own = await createRun(database.db);
    const call = await offered(own);
    const { claim: held } = await claim(call, 1, 0);
    const live = await offered(own);
    await claim(live);
    expect(await listRunsWithExpiredClaims(database.db.pool, 200)).toContainEqual({
      organizationId: own.organizationId,
      runId: own.runId,
    });
    const swept = await Promise.all([1, 2, 3].map(() => giveUpClaims(database.db, own, 'expired')));
    expect(swept.reduce((all, one) => all + one, 0)).toBe(1);
    expect(await settle(call, held, 'succeeded')).toBeNull();
    expect(await readStoredClaim(database.db, call)).toMatchObject({ state: 'ambiguous', answer: null });
    expect(await readStoredClaim(database.db, live)).toMatchObject({ state: 'claimed' });
    const told = (await readLedger(database.db, own)).filter((event) => event.type === 'tool.brokered');
    expect(told.map((event) => event.data)).toEqual([
      {
        tool_call_id: call.toolCallId,
        tool: TOOL,
        server: 'kb',
        ok: false,
        latency_ms: 0,
        outcome: 'ambiguous',
        error: 'brokered call outcome ambiguous — not retried',
      },
    ]);
  });

  it('leaves neither input nor answer behind when its run is over', async () => {
    const own = await createRun(database.db);
    const call = await offered(own);
    const { claim: held } = await claim(call);
    await settle(call, held, 'succeeded');
    await offered(own);
    await database.db.withTenant(own.organizationId, (tx) => forgetCallTexts(tx, own.runId));
    const left = await database.db.withTenant(own.organizationId, (tx) =>
      tx.query('select 1 from tool_call_payloads where session_id = $1', [own.runId]),
    );
    expect(left).toEqual([]);
  });
});
