import { AUDIENCES, type Audience } from '../../../src/core/runs/tokens.js';
import { Organizations } from '../../../src/core/organizations/organizations.js';
import { ROLES, type Role } from '../../../src/domain/identity/role.js';
import { ADMIN_TOKEN, type TestApi } from '../api/api.js';
import { deactivate, signIn, type TestUser } from '../api/users.js';
import { createOrganization, createRun, type FixtureRun } from '../runs/run-fixture.js';
import { createSubscription, type FixtureSubscription } from '../triggers/subscription-fixture.js';

/** Whom a credential stands for, as the rules of docs/design/identity.md read it. */
export type Standing =
  | { as: 'nobody' }
  | { as: 'operator' }
  /** `sameSite` is false for a request by a browser that another site could have caused. */
  | { as: 'person'; role: Role; by: 'token' | 'browser'; sameSite: boolean }
  | { as: 'trigger' }
  | { as: 'runner'; audience: Audience; live: boolean }
  /** A bearer and a browser session in one request; `runner` where the bearer is a run's. */
  | { as: 'both'; runner: Audience | null };

type Headers = Record<string, string>;

export interface CredentialCase {
  name: string;
  standing: Standing;
  /** Says something on the runner plane alone. */
  forRunnersOnly?: boolean;
  /** Those of one request. `mayEnd` asks for a credential of its own: the request may end it. */
  headers(mayEnd: boolean): Headers | Promise<Headers>;
}

const RANDOM = 'ab'.repeat(32);
const CSRF = { 'x-service-csrf': '1' };
const ELSEWHERE = 'https://evil.example';
const NOBODY: Standing = { as: 'nobody' };

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const cookie = (token: string): Headers => ({ cookie: `__Host-svc_web=${token}`, ...CSRF });
const fixed = (name: string, standing: Standing, headers: Headers): CredentialCase => ({
  name,
  standing,
  headers: () => headers,
});

const person = (role: Role, by: 'token' | 'browser', sameSite = true): Standing => ({
  as: 'person',
  role,
  by,
  sameSite,
});

/** Every kind of credential in every state, for requests to one API. */
export class CredentialCases {
  readonly #sessions = new Map<TestUser, { cookie: string }>();
  private trigger!: FixtureSubscription;

  private constructor(
    private readonly api: TestApi,
    readonly all: CredentialCase[],
  ) {}

  static async plant(api: TestApi): Promise<CredentialCases> {
    const cases = new CredentialCases(api, []);
    await cases.plantTriggers();
    cases.all.push(
      fixed('no credential', NOBODY, {}),
      fixed('the admin token', { as: 'operator' }, bearer(ADMIN_TOKEN)),
    );
    cases.all.push(
      ...malformed(),
      ...(await cases.people()),
      ...(await cases.endedPeople()),
      ...(await cases.runners()),
    );
    return cases;
  }

  /** The trigger whose token is among the cases. */
  get triggerId(): string {
    return this.trigger.id;
  }

  private async plantTriggers(): Promise<void> {
    const { db, all } = { db: this.api.db, all: this.all };
    const organization = await createOrganization(db);
    this.trigger = await createSubscription(db, organization);
    const [other, foreign, revoked] = [
      await createSubscription(db, organization),
      await createSubscription(db, await createOrganization(db)),
      await createSubscription(db, organization, {}),
    ];
    await this.own(`update api_tokens set revoked_at = now() where subscription_id = $1`, revoked.id);
    all.push(fixed("the trigger's token", { as: 'trigger' }, bearer(this.trigger.token)));
    for (const [name, { token }] of Object.entries({ other, foreign, revoked })) {
      all.push(fixed(`the ${name} trigger's token`, NOBODY, bearer(token)));
    }
  }

  /** Each role by token and by browser; an owner as other sites send the request, and with a bearer beside the session. */
  private async people(): Promise<CredentialCase[]> {
    const cases: CredentialCase[] = [];
    for (const role of ROLES) {
      const user = await this.api.addUser(role);
      cases.push(
        fixed(`${role} by token`, person(role, 'token'), bearer(user.token)),
        await this.browser(role, user, '', {}),
      );
    }
    const owner = await this.api.addUser('owner');
    const token = { ...bearer(owner.token), origin: ELSEWHERE };
    return [
      ...cases,
      fixed('owner by token, called from elsewhere', person('owner', 'token'), token),
      await this.browser('owner', owner, 'without the CSRF header', { 'x-service-csrf': '' }),
      await this.browser('owner', owner, 'from elsewhere', { origin: ELSEWHERE }),
      await this.browser('owner', owner, 'from nowhere', { origin: 'null' }),
      ...(await this.foreigners()),
      ...(await this.pairs()),
    ];
  }

  private async browser(role: Role, user: TestUser, how: string, more: Headers): Promise<CredentialCase> {
    await this.sessionOf(user, false);
    return {
      name: `${role} by browser ${how}`.trim(),
      standing: person(role, 'browser', how === ''),
      headers: async (mayEnd) => ({ ...(await this.sessionOf(user, mayEnd)), ...CSRF, ...more }),
    };
  }

  private async foreigners(): Promise<CredentialCase[]> {
    const organizations = new Organizations(this.api.db, { harness: 'replay', model: 'none' });
    const stranger = await this.api.users.add(this.api.db, (await organizations.ensure('elsewhere')).id, 'owner');
    const foreign = await this.browser('owner', stranger, '', {});
    return [
      fixed('owner of another organization by token', person('owner', 'token'), bearer(stranger.token)),
      { ...foreign, name: 'owner of another organization by browser' },
    ];
  }

  private async pairs(): Promise<CredentialCase[]> {
    const owner = await this.api.addUser('owner');
    const { cookie } = await this.sessionOf(owner, false);
    const bearers = { admin: ADMIN_TOKEN, access: owner.token, "trigger's": this.trigger.token, unknown: 'x' };
    return Object.entries(bearers).map(([name, token]) => ({
      name: `the ${name} token beside a browser session`,
      standing: { as: 'both', runner: null },
      headers: () => ({ cookie, ...CSRF, ...bearer(token) }),
    }));
  }

  /** Credentials that were once good: their owner would be let in everywhere. */
  private async endedPeople(): Promise<CredentialCase[]> {
    const endings: Record<string, (user: TestUser) => Promise<unknown>> = {
      expired: async ({ userId }) => {
        await this.own(`update api_tokens set expires_at = now() - interval '1 s' where user_id = $1`, userId);
        const past = `now() - interval '1 s'`;
        const ends = `idle_expires_at = ${past}, absolute_expires_at = ${past}`;
        await this.own(`update user_sessions set ${ends} where user_id = $1`, userId);
      },
      revoked: async ({ userId }) => {
        await this.own('update api_tokens set revoked_at = now() where user_id = $1', userId);
        await this.own('update user_sessions set revoked_at = now() where user_id = $1', userId);
      },
      'of a former member': (user) => deactivate(this.api.db, user, 'membership'),
      'of a closed account': (user) => deactivate(this.api.db, user, 'account'),
      'of a suspended organization': ({ organizationId }) =>
        this.own(`update tenants set status = 'suspended' where id = $1`, organizationId),
    };
    const cases: CredentialCase[] = [];
    for (const [name, end] of Object.entries(endings)) {
      const { organizationId } = await createOrganization(this.api.db);
      const user = await this.api.users.add(this.api.db, organizationId, 'owner');
      const session = await signIn(this.api.db, user);
      await end(user);
      cases.push(fixed(`a token, ${name}`, NOBODY, bearer(user.token)));
      cases.push(fixed(`a browser session, ${name}`, NOBODY, session.headers));
    }
    return cases;
  }

  private async runners(): Promise<CredentialCase[]> {
    const live = await this.run();
    const { cookie } = await this.sessionOf(await this.api.addUser('owner'), false);
    const dead = {
      expired: await this.run(`expires_at = now() - interval '1 s'`),
      revoked: await this.run('revoked_at = now()'),
    };
    return AUDIENCES.flatMap((audience): CredentialCase[] => [
      {
        name: `a run's token, ${audience}`,
        standing: { as: 'runner', audience, live: true },
        headers: async (mayEnd) => bearer((mayEnd ? await this.run() : live).tokens[audience]),
      },
      {
        name: `a run's token, ${audience}, beside a browser session`,
        standing: { as: 'both', runner: audience },
        headers: () => ({ cookie, ...CSRF, ...bearer(live.tokens[audience]) }),
        forRunnersOnly: audience !== 'control',
      },
      ...Object.entries(dead).map(([how, { tokens }]) => ({
        ...fixed(
          `a run's ${how} token, ${audience}`,
          { as: 'runner', audience, live: false },
          bearer(tokens[audience]),
        ),
        forRunnersOnly: audience !== 'control',
      })),
    ]);
  }

  private async run(change?: string): Promise<FixtureRun> {
    const run = await createRun(this.api.db);
    if (change !== undefined) await this.own(`update api_tokens set ${change} where session_id = $1`, run.runId);
    return run;
  }

  /** The cookie of a session of the person: one for all that cannot end it, a new one for each request that may. */
  private async sessionOf(user: TestUser, mayEnd: boolean): Promise<{ cookie: string }> {
    const known = mayEnd ? undefined : this.#sessions.get(user);
    if (known !== undefined) return known;
    const made = { cookie: (await signIn(this.api.db, user)).cookie };
    if (!mayEnd) this.#sessions.set(user, made);
    return made;
  }

  private own(statement: string, id: string): Promise<unknown> {
    return this.api.database.owner.query(statement, [id]);
  }
}

/** What is no credential at all, or one in a wrong place. */
function malformed(): CredentialCase[] {
  const texts: Record<string, Headers> = {
    'a bearer in other letters': { authorization: `bearer ${ADMIN_TOKEN}` },
    'another scheme': { authorization: `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString('base64')}` },
    'the admin token, cut': bearer(ADMIN_TOKEN.slice(0, -1)),
    'the admin token as a browser session': cookie(ADMIN_TOKEN),
    'a token of nobody': bearer(`svc_pat_${RANDOM}`),
    'a browser session as a bearer': bearer(`svc_web_${RANDOM}`),
    'a browser session of nobody': cookie(`svc_web_${RANDOM}`),
    'a browser session twice': {
      cookie: `__Host-svc_web=svc_web_${RANDOM}; __Host-svc_web=svc_web_${RANDOM}`,
      ...CSRF,
    },
  };
  return Object.entries(texts).map(([name, headers]) => fixed(name, NOBODY, headers));
}
