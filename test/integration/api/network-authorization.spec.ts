import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../src/domain/digest/digest.js';
import { expireApprovals } from '../../../src/core/approvals/approvals.js';
import { readRunView } from '../../../src/core/runs/run-view.js';
import type { Schemas } from '../../../src/client/client.js';
import type { Answer, TestApi } from '../../support/api/api.js';
import { AuthorizationBench } from '../../support/api/authorization-bench.js';
import type { TestUser } from '../../support/api/users.js';

let bench: AuthorizationBench;
let api: TestApi;
let people: Record<'member' | 'approver' | 'admin' | 'owner', TestUser>;
beforeAll(async () => {
  bench = await AuthorizationBench.start();
  ({ api } = bench);
  people = {
    member: await api.addUser('member'),
    approver: await api.addUser('approver'),
    admin: await api.addUser('admin'),
    owner: await api.addUser('owner'),
  };
});
afterAll(() => api.close());

describe('a run whose network needs a person', () => {
  it('waits before any sandbox, and shows what it waits for', async () => {
    const { id, approval } = await bench.park();
    const read = (await api.get(`/v1/sessions/${id}`)).body;
    const network = read.session.run_spec['network'] as { expires_at: string };
    expect(await bench.statusOf(id)).toEqual(['awaiting_authorization', 'awaiting network grant authorization']);
    expect(read.queue_position).toBeUndefined();
    expect(approval).toMatchObject({
      tool: 'network.grant',
      tool_call_id: 'network-grant',
      risk: 'network',
      scope: 'once',
      scope_key: 'network.grant',
      status: 'pending',
      input_digest: digestOf(network),
      input: network,
      summary: 'reach *.example.org:443, a.example.com:443',
      grant: { covers: null, keys: [] },
    });
    expect(Date.parse(approval.expires_at!) - Date.parse(approval.requested_at)).toBe(600_000);
    const inbox = (await api.get('/v1/approvals')).body.approvals;
    expect(inbox.map((one) => one.id)).toContain(approval.id);
    const ledger = await bench.ledgerOf(id);
    expect(ledger.map(({ type }) => type)).toEqual(['session.created', 'network.grant.frozen']);
    expect(ledger[1]?.data).toMatchObject({ awaiting_authorization: true, expires_at: network.expires_at });
    expect([await bench.grantOf(id), await bench.authorize(id)]).toEqual(['pending', 'pending']);
    const view = await api.db.withTenant(api.organizationId, (tx) =>
      readRunView(tx, id, { launchLimitSecs: 60, queueTtlSecs: 60 }),
    );
    expect([view?.ms_until_launch_deadline, view?.ms_until_queue_expiry, view?.pending_approvals]).toEqual([
      null,
      null,
      1,
    ]);
  });

  it('takes no call and no place in the queue', async () => {
    const { id } = await bench.park();
    const { rows } = await api.database.owner.query(
      `select h.tool_calls, svc_accepts_work(s.status) as accepts, s.queued_at
         from sessions s join session_heads h on h.session_id = s.id where s.id = $1`,
      [id],
    );
    expect(rows).toEqual([{ tool_calls: 0, accepts: false, queued_at: null }]);
  });

  it('CP-144 CP-145 goes into the queue when it is approved', async () => {
    const { id, approval } = await bench.park();
    const decided = await bench.decide(approval, 'approved_session');
    expect(decided.body).toMatchObject({ status: 'approved_once', narrowed: true, won: true });
    expect(await bench.statusOf(id)).toEqual(['awaiting_authorization', 'awaiting network grant authorization']);
    expect(await bench.authorize(id)).toBe('authorized');
    expect([await bench.statusOf(id), await bench.grantOf(id)]).toEqual([['queued', null], 'active']);
    expect(await bench.authorize(id)).toBe('over');
    const types = (await bench.ledgerOf(id)).map(({ type }) => type);
    expect(types.slice(2)).toEqual(['approval.decided', 'tool.decision', 'session.status_changed']);
  });

  it.each([
    ['denied', 'it was denied'],
    ['expired', 'nobody decided in time'],
  ])('fails when it is %s, and reaches nothing', async (how, why) => {
    const { id, approval } = await bench.park();
    if (how === 'denied') await bench.decide(approval, 'denied');
    else await api.db.withTenant(api.organizationId, (tx) => expireApprovals(tx, id, { all: true }));
    expect(await bench.authorize(id)).toBe('refused');
    const reason = `network grant was not authorized: ${why}`;
    expect([await bench.grantOf(id), await bench.revocations(id)]).toEqual(['denied', [{ mode: 'approved', reason }]]);
    await bench.finish(id);
    expect(await bench.statusOf(id)).toEqual(['failed', reason]);
    expect(await bench.revocations(id)).toHaveLength(1);
  });

  it('CP-331 is made once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'parked-once' };
    const create = (): Promise<Answer> => api.post('/v1/sessions', { agent: 'asking', task: '[]' }, { headers });
    const [first, second] = [(await create()).body.session, (await create()).body.session];
    expect(second).toEqual(first);
    expect((await api.get(`/v1/sessions/${first.id}/approvals`)).body.approvals).toHaveLength(1);
  });

  it('parks an autonomous run as well: it is authorized before it exists for its agent', async () => {
    const { session } = (await api.post('/v1/sessions', { agent: 'asking', task: '[]', autonomous: true })).body;
    expect(session.status).toBe('awaiting_authorization');
  });

  it('asks nobody for an offline run', async () => {
    const { session } = (await api.post('/v1/sessions', { agent: 'asking', task: '[]', network: { mode: 'offline' } }))
      .body;
    expect(session.status).toBe('created');
  });
});

describe('who authorizes a network', () => {
  it.each(['approver', 'admin', 'owner'] as const)('%s, for a run of somebody else', async (role) => {
    const { approval } = await bench.park(people.member);
    expect((await bench.decide(approval, 'approve', people[role])).status).toBe(200);
  });

  it('the operator, who has no personal identity, a run of their own too', async () => {
    const { approval } = await bench.park();
    expect((await bench.decide(approval, 'approve')).status).toBe(200);
  });

  it.each(['member', 'admin', 'owner'] as const)(
    'CP-203 CP-204 never the one who started it, approving or denying: %s',
    async (role) => {
      const { approval } = await bench.park(people[role]);
      for (const decision of ['approve', 'deny']) {
        const answer = await bench.decide(approval, decision, people[role]);
        expect([answer.status, answer.body.error]).toEqual([
          403,
          'a network grant is authorized by the organization: an approver, admin or owner who did not start the run',
        ]);
      }
      const seen = (await api.get(`/v1/approvals/${approval.id}`, { token: people[role].token }))
        .body as unknown as Schemas['ApprovalView'];
      expect([seen.status, seen.input]).toEqual(['pending', null]);
    },
  );
});

describe('a run that is cancelled while it waits', () => {
  it('ends, with its question and its grant', async () => {
    const { id, approval } = await bench.park();
    expect((await api.post(`/v1/sessions/${id}/cancel`, {})).body.cancelled).toBe(true);
    await bench.finish(id);
    expect([await bench.statusOf(id), await bench.grantOf(id)]).toEqual([
      ['cancelled', 'cancelled by user'],
      'revoked',
    ]);
    expect((await api.get(`/v1/approvals/${approval.id}`)).body.status).toBe('expired');
    expect(await bench.revocations(id)).toEqual([{ mode: 'approved', reason: 'the run ended' }]);
  });

  it('CP-149 an approval that comes after it releases nothing, and says so', async () => {
    const { id, approval } = await bench.park();
    await api.post(`/v1/sessions/${id}/cancel`, {});
    expect((await bench.decide(approval, 'approve')).body.status).toBe('approved_once');
    expect(await bench.authorize(id)).toBe('over');
    const decisions = (await bench.ledgerOf(id))
      .filter(({ type }) => type === 'tool.decision')
      .map(({ data }) => data['source']);
    expect(decisions).toEqual(['human', 'session_terminal']);
    await bench.finish(id);
    expect([await bench.statusOf(id), await bench.grantOf(id)]).toEqual([
      ['cancelled', 'cancelled by user'],
      'revoked',
    ]);
  });
});
