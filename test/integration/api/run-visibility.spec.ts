import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { RouteTable } from '../../../src/api/http/route-table.js';
import { ADMIN_TOKEN, startApi, type Answer, type TestApi } from '../../support/api/api.js';
import type { TestUser } from '../../support/api/users.js';
import { ask, newRun } from '../../support/gate/asked-approval.js';
import { createOrganization, createRun } from '../../support/runs/run-fixture.js';
import { createSubscription } from '../../support/triggers/subscription-fixture.js';

/** What stands in for the parameters of a route. */
interface Named {
  run: string;
  approval: string;
  artifact: string;
  delivery: string;
}

let api: TestApi;
let people: Record<'ada' | 'bob' | 'approver' | 'admin' | 'owner', TestUser>;
/** Routes that name a run, or a question of one. */
let routes: string[];
let subscriptionId: string;
beforeAll(async () => {
  api = await startApi();
  people = {
    ada: await api.addUser('member'),
    bob: await api.addUser('member'),
    approver: await api.addUser('approver'),
    admin: await api.addUser('admin'),
    owner: await api.addUser('owner'),
  };
  routes = api.app
    .get(RouteTable)
    .names()
    .filter((name) => /\/v1\/(sessions|approvals)\/:id/.test(name) && !name.startsWith('HEAD '));
  const { organizationId, agentId } = await newRun(api);
  subscriptionId = (await createSubscription(api.db, { organizationId, agentId })).id;
});
afterAll(() => api.close());

const SEERS = ['approver', 'admin', 'owner'] as const;

/** A run with a question, an artifact and a delivery. */
async function plantRun(invokedBy: string | null): Promise<Named> {
  const run = await newRun(api);
  await api.database.owner.query('update sessions set invoked_by_user_id = $2, invoked_by_kind = $3 where id = $1', [
    run.runId,
    invokedBy,
    invokedBy === null ? 'trigger' : 'user',
  ]);
  const [artifact, delivery] = [uuidv7(), uuidv7()];
  await api.db.withTenant(api.organizationId, async (tx) => {
    await tx.query(
      `insert into artifacts (id, tenant_id, session_id, kind, name, content, content_type, size_bytes, digest)
       values ($1, $2, $3, 'log', 'a', 'x', 'text/plain', 1, 'd')`,
      [artifact, api.organizationId, run.runId],
    );
    await tx.query(
      `insert into result_deliveries (id, tenant_id, session_id, subscription_id, destination_index, destination, status)
       values ($1, $2, $3, $4, 0, '{"kind": "signed_webhook", "url": "https://example.com/"}', 'failed')`,
      [delivery, api.organizationId, run.runId, subscriptionId],
    );
  });
  return { run: run.runId, approval: await ask(api, run, {}), artifact, delivery };
}

const absent = (): Named => ({ run: uuidv7(), approval: uuidv7(), artifact: uuidv7(), delivery: uuidv7() });

/** Status and text of the route's answer; of a stream the status alone, because it does not end. */
async function asked(name: string, ids: Named, token: string): Promise<[number, string]> {
  const [method = '', path = ''] = name.split(' ');
  const id = path.startsWith('/v1/approvals/') ? ids.approval : ids.run;
  const url = path.replace(':id', id).replace(':aid', ids.artifact).replace(':delivery_id', ids.delivery);
  expect(url).not.toContain(':');
  const abort = new AbortController();
  const body = url.endsWith('/decision') ? { body: JSON.stringify({ decision: 'denied' }) } : {};
  const response = await fetch(`${api.url}${url}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...('body' in body ? { 'content-type': 'application/json' } : {}) },
    ...body,
    signal: abort.signal,
  });
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = streams ? '' : await response.text();
  abort.abort();
  return [response.status, text];
}

const list = async (token: string, query = ''): Promise<Answer> => api.get(`/v1/sessions${query}`, { token });
const idsOf = ({ body }: Answer): string[] => body.sessions.map(({ id }) => id);

describe('every route that names a run', () => {
  it('is walked', () => {
    expect(routes.length).toBeGreaterThanOrEqual(13);
  });

  it('CP-180 CP-181 CP-302 answers a member about a run of somebody else, or of nobody, as about one that is not there', async () => {
    const [mine, nobodys] = [await plantRun(people.ada.userId), await plantRun(null)];
    for (const name of routes) {
      const nothing = await asked(name, absent(), people.bob.token);
      expect([name, nothing[0]]).toEqual([name, name.endsWith('/resend') ? 403 : 404]);
      for (const hidden of [mine, nobodys])
        expect([name, await asked(name, hidden, people.bob.token)]).toEqual([name, nothing]);
    }
  });

  it('answers about a run of another organization as about one that is not there, whatever the role', async () => {
    const foreign = await createRun(api.db, { in: await createOrganization(api.db) });
    const ids = { ...absent(), run: foreign.runId };
    for (const token of [ADMIN_TOKEN, ...SEERS.map((role) => people[role].token), people.ada.token]) {
      for (const name of routes.filter((one) => !one.includes('/approvals/:id')))
        expect([name, await asked(name, ids, token)]).toEqual([name, await asked(name, absent(), token)]);
    }
  });

  it('CP-174 CP-180 CP-185 CP-188 CP-193 CP-200 shows a run to who started it, and to approver, admin, owner and operator', async () => {
    const tokens = [people.ada.token, ...SEERS.map((role) => people[role].token), ADMIN_TOKEN];
    for (const token of tokens) {
      const mine = await plantRun(people.ada.userId);
      for (const name of routes.filter((one) => one.startsWith('GET '))) {
        const [status] = await asked(name, mine, token);
        expect([name, status]).toEqual([name, 200]);
      }
    }
  });
});

describe('the list of runs', () => {
  it('CP-174 holds a member’s own runs alone, also where it is narrowed, and all for approvers and above', async () => {
    const mine = (await plantRun(people.ada.userId)).run;
    const theirs = (await plantRun(people.bob.userId)).run;
    const nobodys = (await plantRun(null)).run;
    const { status } = (await api.get(`/v1/sessions/${mine}`)).body.session;
    for (const query of ['', '?limit=1000', '?agent=fixer&limit=1000', `?status=${status}&limit=1000`]) {
      const seen = idsOf(await list(people.ada.token, query));
      expect([query, seen.includes(mine)]).toEqual([query, true]);
      expect(seen).not.toContain(theirs);
      expect(seen).not.toContain(nobodys);
    }
    for (const token of [ADMIN_TOKEN, ...SEERS.map((role) => people[role].token)]) {
      expect(idsOf(await list(token, '?limit=1000'))).toEqual(expect.arrayContaining([mine, theirs, nobodys]));
    }
  });

  it('CP-174 a page is filled with own runs, however many of others stand between', async () => {
    const first = await plantRun(people.ada.userId);
    for (let count = 0; count < 3; count += 1) await plantRun(people.bob.userId);
    const last = await plantRun(people.ada.userId);
    expect(idsOf(await list(people.ada.token, '?limit=2'))).toEqual([last.run, first.run]);
    expect(idsOf(await list(people.ada.token, `?limit=1&before=${last.run}`))).toEqual([first.run]);
    expect(idsOf(await list(people.ada.token, `?limit=1&after=${first.run}`))).toEqual([last.run]);
  });

  it('a run that the caller does not see is no cursor, like one that is not there', async () => {
    const hidden = (await plantRun(people.bob.userId)).run;
    for (const cursor of ['before', 'after']) {
      const [theirs, nothing] = [hidden, uuidv7()].map((id) => list(people.ada.token, `?${cursor}=${id}`));
      const [one, other] = [await theirs, await nothing];
      expect([one?.status, one?.text]).toEqual([400, other?.text]);
    }
  });
});

describe('stopping a run', () => {
  const cancel = (run: string, token: string): Promise<Answer> =>
    api.post(`/v1/sessions/${run}/cancel`, undefined, { token });

  it('CP-182 is refused to an approver who sees it and did not start it, and nothing is recorded', async () => {
    const { run } = await plantRun(people.ada.userId);
    const answer = await cancel(run, people.approver.token);
    expect([answer.status, answer.body.error]).toEqual([403, expect.stringContaining('admin or owner')]);
    const { rowCount } = await api.database.owner.query('select from session_finalizations where session_id = $1', [
      run,
    ]);
    expect(rowCount).toBe(0);
    expect((await cancel(run, people.bob.token)).status).toBe(404);
  });

  it.each(['ada', 'admin', 'owner'] as const)('CP-181 is allowed to %s', async (who) => {
    const { run } = await plantRun(people.ada.userId);
    const answer = await cancel(run, people[who].token);
    expect([answer.status, answer.body]).toEqual([200, { cancelled: true }]);
  });

  it('CP-182 an approver stops an own one', async () => {
    const { run } = await plantRun(people.approver.userId);
    expect((await cancel(run, people.approver.token)).status).toBe(200);
  });
});

describe('what a run was made under', () => {
  it('an Idempotency-Key is the caller’s own: the run of another caller with the same key and body stays unknown', async () => {
    const body = { agent: 'fixer', task: '[]' };
    const make = async (token: string): Promise<string> =>
      (await api.post('/v1/sessions', body, { token, headers: { 'idempotency-key': 'shared' } })).body.session.id;
    const ids = [await make(people.ada.token), await make(people.bob.token), await make(ADMIN_TOKEN)];
    expect(new Set(ids).size).toBe(3);
    expect(await make(people.ada.token)).toBe(ids[0]);
    expect(await make(ADMIN_TOKEN)).toBe(ids[2]);
  });
});
