import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Sealer } from '../../../src/platform/seal/sealer.js';
import { SignInBench, type SignInVisitor } from '../../support/identity/sign-in-bench.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

const slug = (): string => bench.organization.slug;
/** A browser before its callback. */
async function begun(to = slug()): Promise<{ visitor: SignInVisitor; callback: URL }> {
  const visitor = bench.visitor();
  return { visitor, callback: new URL(bench.provider.authorize(await visitor.start(to))) };
}
const withParameter = (callback: URL, name: string, value: string | null): string => {
  const changed = new URL(callback);
  if (value === null) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed.href;
};
const cookieOf = ({ cookies }: SignInVisitor): [string, string] => {
  const [first] = cookies;
  if (first === undefined) throw new Error('the browser has no cookie');
  return first;
};
const isSpent = async (): Promise<boolean> =>
  (await bench.rows('select 1 from login_flows where consumed_at is null')).length === 0;

describe('a callback', () => {
  beforeEach(() => bench.rows('delete from login_flows'));

  it('CP-281 of another browser is refused, and the right one can still finish', async () => {
    const { visitor, callback } = await begun();
    const other = bench.visitor();
    await other.start(slug());
    for (const browser of [bench.visitor(), other]) {
      const answer = await browser.get(callback.href);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('did not begin the sign-in')]);
      expect([answer.headers.getSetCookie(), browser.session]).toEqual([[], undefined]);
    }
    expect((await visitor.get(callback.href)).status).toBe(302);
  });

  it('CP-281 with a cookie that is not the one of the login burns nothing', async () => {
    const { visitor, callback } = await begun();
    const [name, value] = cookieOf(visitor);
    visitor.cookies.set(name, 'x'.repeat(43));
    expect((await visitor.get(callback.href)).status).toBe(400);
    visitor.cookies.clear();
    const twice = await visitor.get(callback.href, { cookie: `${name}=${value}; ${name}=${value}` });
    expect(twice.status).toBe(400);
    visitor.cookies.set(name, value);
    expect((await visitor.get(callback.href)).status).toBe(302);
  });

  it('CP-266 CP-281 is asked by HEAD in vain, as is its beginning: no login begins, and none is used up', async () => {
    const asked = (visitor: SignInVisitor, to: string): Promise<unknown> =>
      visitor.send('HEAD', to).then(({ status, headers }) => [status, headers.get('allow'), headers.getSetCookie()]);
    const refused = [405, 'GET, OPTIONS', []];
    expect(await asked(bench.visitor(), `/v1/auth/login/${slug()}/start`)).toEqual(refused);
    expect(await bench.rows('select 1 from login_flows')).toEqual([]);
    const { visitor, callback } = await begun();
    expect(await asked(visitor, callback.href)).toEqual(refused);
    expect([await isSpent(), visitor.session]).toEqual([false, undefined]);
    expect((await visitor.get(callback.href)).status).toBe(302);
    expect(visitor.session).toBeDefined();
  });

  it('CP-281 is good once: a replay is refused, also from the same browser', async () => {
    const { visitor, callback } = await begun();
    const [name, value] = cookieOf(visitor);
    expect((await visitor.get(callback.href)).status).toBe(302);
    expect(visitor.cookies.has(name)).toBe(false);
    visitor.cookies.set(name, value);
    const session = visitor.session;
    const again = await visitor.get(callback.href);
    expect([again.status, visitor.session]).toEqual([400, session]);
    expect(bench.provider.tokenRequests).toHaveLength(1);
  });

  it('CP-281 twenty at once of one login make one session', async () => {
    const { visitor, callback } = await begun();
    const [name, value] = cookieOf(visitor);
    const before = (await bench.rows('select 1 from user_sessions')).length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => bench.visitor().get(callback.href, { cookie: `${name}=${value}` })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([302, ...Array.from({ length: 19 }, () => 400)]);
    expect(await bench.rows('select 1 from user_sessions')).toHaveLength(before + 1);
    expect(bench.provider.tokenRequests).toHaveLength(1);
  });

  it('CP-281 of somebody who declined shows what the provider said, as text, and the login can go on', async () => {
    const { visitor, callback } = await begun();
    const said = { error: 'access_denied', error_description: '<b>No</b> "way"' };
    const refused = new URL(withParameter(callback, 'code', null));
    for (const [name, value] of Object.entries(said)) refused.searchParams.set(name, value);
    const answer = await visitor.get(refused.href);
    const page = await answer.text();
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []]);
    expect(page).toContain('access_denied: &lt;b&gt;No&lt;/b&gt; &quot;way&quot;');
    const told = await visitor.get(refused.href, { accept: 'application/json' });
    expect([told.status, ((await told.json()) as { error: string }).error]).toEqual([
      400,
      expect.stringContaining('access_denied: <b>No</b>'),
    ]);
    expect((await visitor.get(callback.href)).status).toBe(302);
  });

  it('CP-281 without a code, or with two, burns nothing', async () => {
    const { visitor, callback } = await begun();
    for (const url of [
      withParameter(callback, 'code', null),
      withParameter(callback, 'code', ''),
      `${callback.href}&code=another`,
    ]) {
      const answer = await visitor.get(url);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('holds no code')]);
    }
    expect(await isSpent()).toBe(false);
    expect((await visitor.get(callback.href)).status).toBe(302);
  });

  it('CP-281 with a state that we did not issue for a login, or two of them, is refused', async () => {
    const { visitor, callback } = await begun();
    const state = callback.searchParams.get('state') ?? '';
    const sealer = bench.api.app.get(Sealer);
    const seal = async (purpose: 'login' | 'oauth-boot', says: object): Promise<string> =>
      (await sealer.sealTransit(bench.api.organizationId, purpose, JSON.stringify(says))).toString('base64url');
    const [{ id }] = (await bench.rows<{ id: string }>('select id from login_flows')) as [{ id: string }];
    const says = {
      p: 'login',
      v: 1,
      f: id,
      o: bench.organization.id,
      c: bench.organization.configId,
      x: Date.now() + 60_000,
    };
    const wrong = [
      '',
      'x',
      state.slice(1),
      `${state.slice(0, 40)}${state[40] === 'A' ? 'B' : 'A'}${state.slice(41)}`,
      state.repeat(20),
      await seal('oauth-boot', says),
      await seal('login', { ...says, v: 2 }),
      await seal('login', { ...says, p: 'other' }),
      await seal('login', { ...says, x: Date.now() - 1 }),
      await seal('login', []),
    ];
    for (const one of wrong) {
      visitor.address = bench.visitor().address;
      const answer = await visitor.get(withParameter(callback, 'state', one));
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('invalid or has expired')]);
    }
    visitor.address = bench.visitor().address;
    expect((await visitor.get(`${callback.href}&state=${state}`)).status).toBe(400);
    // The same words under the right purpose are good: what was refused was refused for its fault alone.
    expect((await visitor.get(withParameter(callback, 'state', await seal('login', says)))).status).toBe(302);
    expect(bench.provider.tokenRequests).toHaveLength(1);
  });

  it('CP-281 after ten minutes is too late', async () => {
    const { visitor, callback } = await begun();
    await bench.rows('update login_flows set expires_at = now()');
    const answer = await visitor.get(callback.href);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('has expired')]);
    expect(bench.provider.tokenRequests).toEqual([]);
  });

  it.each(['disabled', 'retired'])('CP-281 is refused when the provider was %s meanwhile', async (status) => {
    const { slug: other, configId } = await bench.addOrganization();
    const { visitor, callback } = await begun(other);
    await bench.configure({ status }, configId);
    expect((await visitor.get(callback.href)).status).toBe(400);
    expect([bench.provider.tokenRequests, visitor.session]).toEqual([[], undefined]);
  });

  it('CP-281 is refused when the provider was disabled, or the organization suspended, while the code was exchanged', async () => {
    for (const end of [
      ({ configId }: { configId: string }) => bench.configure({ status: 'disabled' }, configId),
      ({ id }: { id: string }) => bench.rows(`update tenants set status = 'suspended' where id = $1`, [id]),
    ]) {
      const organization = await bench.addOrganization();
      const { visitor, callback } = await begun(organization.slug);
      bench.provider.deviation = { before: () => end(organization) };
      const answer = await visitor.get(callback.href);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('was changed meanwhile')]);
      expect(await bench.rows('select 1 from user_sessions where tenant_id = $1', [organization.id])).toEqual([]);
      bench.provider.reset();
    }
  });

  it('CP-280 of a provider that names itself is refused when another one answered', async () => {
    const named = { ...bench.provider.metadata };
    bench.provider.metadata = { ...named, authorization_response_iss_parameter_supported: true };
    try {
      const { slug: other } = await bench.addOrganization();
      for (const [iss, status] of [
        ['https://another.example', 400],
        [null, 400],
        [bench.provider.url, 302],
      ] as const) {
        const { visitor, callback } = await begun(other);
        expect((await visitor.get(withParameter(callback, 'iss', iss))).status).toBe(status);
      }
    } finally {
      bench.provider.metadata = named;
    }
  });
});
