import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mintRunTokens } from '../../../src/core/runs/tokens.js';
import { ADMIN_TOKEN, type Answer } from '../../support/api/api.js';
import { signIn, type TestUser } from '../../support/api/users.js';
import { ask } from '../../support/gate/asked-approval.js';
import { ConnectBench, type Visitor } from '../../support/oauth/connect-bench.js';
import { refused } from '../../support/oauth/refused-page.js';

/** People sign in: a connect flow belongs to the browser of the person who began it. */
let bench: ConnectBench;
let people: Record<'ada' | 'bob' | 'approver' | 'admin', TestUser>;
beforeAll(async () => {
  bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787', SERVICE_REQUIRE_SSO: '1' });
  const { api } = bench;
  people = {
    ada: await api.addUser('member'),
    bob: await api.addUser('member'),
    approver: await api.addUser('approver'),
    admin: await api.addUser('admin'),
  };
});
beforeEach(() => bench.reset());
afterAll(() => bench.close());

async function browserOf(user: TestUser | null): Promise<Visitor> {
  const visitor = bench.visitor();
  if (user !== null) visitor.session = (await signIn(bench.api.db, user)).cookie;
  return visitor;
}

const begun = async (by: TestUser): Promise<{ id: string; goUrl: string }> => {
  const { id } = await bench.connection({ owner: by });
  return { id, goUrl: await bench.goUrl(id, by.token) };
};

const toLogin = (goUrl: string): [number, string] => {
  const back = new URLSearchParams({ redirect_to: `/v1/oauth/go${new URL(goUrl).search}` });
  return [303, `/v1/auth/login/default/start?${back.toString()}`];
};
const led = ({ status, headers }: Response): [number, string | null] => [status, headers.get('location')];

describe('the page of a connect flow, where people sign in', () => {
  it('CP-259 sends a browser without a session to sign in, from where it comes back; nothing is begun', async () => {
    const { goUrl } = await begun(people.ada);
    const visitor = await browserOf(null);
    const answer = await visitor.get(goUrl);
    expect(led(answer)).toEqual(toLogin(goUrl));
    expect([visitor.cookie, answer.headers.getSetCookie()]).toEqual([null, []]);
    visitor.session = (await signIn(bench.api.db, people.ada)).cookie;
    expect((await visitor.get(goUrl)).status).toBe(200);
  });

  it.each(['revoked_at = now()', `idle_expires_at = now() - interval '1 second'`])(
    'takes a session with %s for none',
    async (ended) => {
      const { goUrl } = await begun(people.ada);
      const visitor = bench.visitor();
      const { cookie, sessionId } = await signIn(bench.api.db, people.ada);
      visitor.session = cookie;
      await bench.api.database.owner.query(`update user_sessions set ${ended} where id = $1`, [sessionId]);
      expect(led(await visitor.get(goUrl))).toEqual(toLogin(goUrl));
    },
  );

  it('refuses the browser of anybody else, whatever their role, and the flow stays for who began it', async () => {
    const { id, goUrl } = await begun(people.ada);
    for (const other of [people.bob, people.admin]) {
      const visitor = await browserOf(other);
      await refused(await visitor.get(goUrl), 403, /Somebody else asked for this connection/);
      await refused(await visitor.click(goUrl), 403, /Somebody else asked for this connection/);
    }
    const page = await bench.visitorAt(goUrl, await browserOf(people.ada));
    expect([page.status, (await bench.read(id)).status]).toEqual([200, 'active']);
  });

  it('refuses two sessions in one request: nobody knows which is meant', async () => {
    const { goUrl } = await begun(people.ada);
    const visitor = bench.visitor();
    const [one, two] = [await signIn(bench.api.db, people.ada), await signIn(bench.api.db, people.ada)];
    visitor.session = `${one.cookie}; ${two.cookie}`;
    expect(led(await visitor.get(goUrl))).toEqual(toLogin(goUrl));
  });

  it('asks again at the click', async () => {
    const { goUrl } = await begun(people.ada);
    const visitor = await browserOf(people.ada);
    expect((await visitor.get(goUrl)).status).toBe(200);
    visitor.session = null;
    expect(led(await visitor.click(goUrl))).toEqual(toLogin(goUrl));
    visitor.session = (await signIn(bench.api.db, people.bob)).cookie;
    await refused(await visitor.click(goUrl), 403, /Somebody else/);
  });

  it.each<[string, 'bob' | null, RegExp]>([
    ['nobody', null, /not signed in any more/],
    ['somebody else', 'bob', /Somebody else/],
  ])('CP-259 asks again at the callback: with the session of %s nothing is exchanged', async (_who, who, words) => {
    const { id, goUrl } = await begun(people.ada);
    const visitor = await browserOf(people.ada);
    const authorization = await visitor.follow(goUrl);
    visitor.session = who === null ? null : (await signIn(bench.api.db, people[who])).cookie;
    await refused(await visitor.get(bench.callback(authorization)), 403, words);
    expect([bench.issuer.tokenCalls, (await bench.read(id)).status]).toEqual([[], 'pending']);
    // The flow is over: the right person starts again.
    visitor.session = (await signIn(bench.api.db, people.ada)).cookie;
    expect((await visitor.get(bench.callback(authorization))).status).toBe(400);
  });
});

describe('a personal connection, from its making to a decision', () => {
  const call = (method: string, path: string, user: TestUser, body?: object): Promise<Answer> =>
    bench.api.call(method, path, { token: user.token, ...(body === undefined ? {} : { body }) });

  it('CP-203 CP-249 is made by a member, bound by a run of that member alone, and decided about by nobody else', async () => {
    const { bob, approver, admin } = people;
    // Without any other connection, so that it is this one that is bound.
    const ada = await bench.api.addUser('member');
    const made = await call('POST', '/v1/connections', ada, {
      ...{ provider: 'mcp_http', auth_kind: 'oauth', owner: 'personal', base_url: bench.mcp.endpoint },
      ...{ display_name: 'of Ada' },
    });
    expect([made.status, made.body]).toEqual([
      200,
      expect.objectContaining({ owner_type: 'user', owner_user_id: ada.userId, status: 'pending' }),
    ]);
    const { id } = made.body;
    const page = await bench.visitorAt(await bench.goUrl(id, ada.token), await browserOf(ada));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('snapshotted 2 tool(s)')]);

    const agent = await call('POST', '/v1/agents', admin, {
      ...{ name: 'on-behalf', harness: 'replay' },
      connection_requirements: [
        {
          ...{ slot: 'own', connector: { url: bench.mcp.endpoint } },
          ...{ required_tools: ['echo'], binding_mode: 'invoking_user' },
        },
      ],
    });
    expect([agent.status, agent.body.error]).toEqual([200, undefined]);
    const start = (user: TestUser, more: object = {}): Promise<Answer> =>
      call('POST', '/v1/sessions', user, { agent: 'on-behalf', task: '[]', ...more });
    for (const other of [bob, approver, admin]) {
      expect([(await start(other)).status, (await start(other, { bindings: { own: id } })).status]).toEqual([400, 400]);
    }
    const started = await start(ada);
    expect([started.status, started.body.error]).toEqual([200, undefined]);
    const { session } = started.body;
    const bound = await bench.api.database.owner.query(
      'select connection_id, connection_owner_user_id from run_resource_bindings where session_id = $1 and slot_kind = $2',
      [session.id, 'mcp'],
    );
    expect(bound.rows).toEqual([{ connection_id: id, connection_owner_user_id: ada.userId }]);

    const approval = await waits(session);
    const decide = async (user: TestUser): Promise<number> =>
      (await call('POST', `/v1/approvals/${approval}/decision`, user, { decision: 'approved_once' })).status;
    expect([await decide(bob), await decide(approver), await decide(admin), await decide(ada)]).toEqual([
      404, 403, 403, 200,
    ]);
  });

  it('CP-249 one of the organization needs the role admin; one of a person, the operator has no use for', async () => {
    const body = { provider: 'mcp_http', auth_kind: 'oauth', base_url: bench.mcp.endpoint };
    for (const user of [people.ada, people.approver])
      expect((await call('POST', '/v1/connections', user, body)).status).toBe(403);
    expect((await call('POST', '/v1/connections', people.admin, body)).status).toBe(200);
    const operator = await bench.api.post('/v1/connections', { ...body, owner: 'personal' }, { token: ADMIN_TOKEN });
    expect(operator.status).toBe(401);
  });

  /** A call of the connection's tool waits for a person. */
  async function waits(session: Answer['body']['session']): Promise<string> {
    const { api } = bench;
    const { organizationId } = api;
    const tokens = await api.db.withTenant(organizationId, async (tx) => {
      await tx.query(`update sessions set status = 'running' where id = $1`, [session.id]);
      return mintRunTokens(tx, session.id, 3600);
    });
    const { rows } = await api.database.owner.query<{ digest: string }>(
      'select run_spec_digest as digest from sessions where id = $1',
      [session.id],
    );
    const run = {
      ...{ organizationId, agentId: session.agent_id, revisionId: session.agent_revision_id, policyId: '' },
      ...{ runId: session.id, runSpecDigest: rows[0]?.digest ?? '', tokens },
    };
    return ask(api, run, { tool: 'mcp__own__echo' });
  }
});

describe('the page of a connect flow, where sessions are not required', () => {
  let single: ConnectBench;
  beforeAll(async () => {
    single = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787' });
  });
  afterAll(() => single.close());

  it('CP-259 takes a browser without a session, and refuses the session of somebody else', async () => {
    const [ada, bob] = [await single.api.addUser('member'), await single.api.addUser('member')];
    const { id } = await single.connection({ owner: ada });
    const goUrl = await single.goUrl(id, ada.token);
    const other = single.visitor();
    other.session = (await signIn(single.api.db, bob)).cookie;
    await refused(await other.get(goUrl), 403, /Somebody else/);
    expect((await single.visitorAt(goUrl, single.visitor())).status).toBe(200);
  });

  it('a flow that the operator began is anybody’s to whom the link was given', async () => {
    const { id } = await single.connection();
    const visitor = single.visitor();
    visitor.session = (await signIn(single.api.db, await single.api.addUser('member'))).cookie;
    expect((await single.visitorAt(await single.goUrl(id), visitor)).status).toBe(200);
  });
});
