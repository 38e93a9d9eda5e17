import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findWebSession } from '../../../src/core/identity/web-sessions.js';
import {
  CSRF,
  SignInBench,
  WEB,
  type SignInOrganization,
  type SignInVisitor,
} from '../../support/identity/sign-in-bench.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

/** A browser that is signed in at one organization and stands before the question whether to switch to another. */
interface Asked {
  visitor: SignInVisitor;
  page: string;
  action: string;
  old: string;
  from: SignInOrganization;
  to: SignInOrganization;
}

async function asked(of: { from?: SignInOrganization; to?: SignInOrganization } = {}): Promise<Asked> {
  const [from, to] = [of.from ?? (await bench.addOrganization()), of.to ?? (await bench.addOrganization())];
  const visitor = bench.visitor();
  await bench.signIn(visitor, from.slug);
  const old = visitor.session ?? '';
  if (of.to === from) bench.provider.person = { sub: 'eve', email: 'eve@example.org', email_verified: true };
  const answer = await bench.signIn(visitor, to.slug, '/app/there');
  const page = await answer.text();
  expect([answer.status, visitor.session]).toEqual([200, old]);
  const action = /data-action="([^"]*)"/.exec(page)?.[1] ?? '';
  return { visitor, page, action, old, from, to };
}

const confirm = ({ visitor, action }: Pick<Asked, 'visitor' | 'action'>, headers: Record<string, string> = CSRF) =>
  visitor.send('POST', action, headers);
const isLive = async (token: string): Promise<boolean> =>
  (await findWebSession(bench.api.db.pool, token, { idleSecs: 60 })) !== null;
const switchCookie = ({ cookies }: SignInVisitor): [string, string] => {
  const found = [...cookies].find(([name]) => name.startsWith('__Host-svc_switch_'));
  if (found === undefined) throw new Error('there is no cookie of a switch');
  return found;
};

describe('a browser that holds a session of somebody else', () => {
  it('CP-282 is asked first: the page says who is who, and the old session stays', async () => {
    const { visitor, page, old, action, from, to } = await asked();
    expect(page).toContain(`Ada@Example.org (${from.slug})`);
    expect(page).toContain(to.slug);
    expect(action).toMatch(/^\/v1\/auth\/switch\/[0-9a-f-]{36}$/);
    expect(await isLive(old)).toBe(true);
    expect(switchCookie(visitor)[1]).toMatch(/^[\w-]{43}$/);
    const [{ n }] = (await bench.rows<{ n: number }>(
      'select count(*)::int as n from user_sessions where tenant_id = $1',
      [to.id],
    )) as [{ n: number }];
    expect(n).toBe(0);
  });

  it('CP-282 whose page runs its own script alone, and cannot be framed or kept', async () => {
    const visitor = bench.visitor();
    await bench.signIn(visitor);
    const answer = await bench.signIn(visitor, (await bench.addOrganization()).slug);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
    expect(policy).toMatch(/^default-src 'none'; .*connect-src 'self';.*form-action 'none'$/);
    expect(await answer.text()).toContain(`<script nonce="${nonce}">`);
    expect([answer.headers.get('cache-control'), answer.headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
  });

  it.each(['another organization', 'the same organization'])(
    'CP-282 switches to %s when it is confirmed',
    async (where) => {
      const from = await bench.addOrganization();
      const at = await asked(where === 'the same organization' ? { from, to: from } : { from });
      const { visitor, old, to } = at;
      const [name] = switchCookie(visitor);
      const answer = await confirm(at);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/app/there']);
      expect(answer.headers.getSetCookie()[0]).toBe(
        `${name}=deleted; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0`,
      );
      expect(visitor.session).not.toBe(old);
      expect([await isLive(old), await isLive(visitor.session ?? '')]).toEqual([false, true]);
      const me = await visitor.get('/v1/auth/me');
      expect(await me.json()).toMatchObject({ org: { slug: to.slug }, auth_kind: 'browser' });
      const entries = await bench.rows<{ action: string }>('select action from auth_audit_log where tenant_id = $1', [
        to.id,
      ]);
      expect(entries.map(({ action }) => action)).toContain('session.switch');
    },
  );

  it('CP-282 switches once, of twenty confirmations at the same time', async () => {
    const at = await asked();
    const cookie = [...at.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => bench.visitor().send('POST', at.action, { ...CSRF, cookie })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 302)).toHaveLength(1);
    // The session of the others was over before, or by, their request.
    expect(statuses.filter((status) => ![302, 400, 401].includes(status))).toEqual([]);
    const sessions = await bench.rows('select 1 from user_sessions where tenant_id = $1', [at.to.id]);
    expect(sessions).toHaveLength(1);
  });
});

describe('a confirmation that does not count', () => {
  const refusals: Record<string, (at: Asked) => Promise<unknown>> = {
    'without the cookie of the switch': ({ visitor }) =>
      Promise.resolve(visitor.cookies.delete(switchCookie(visitor)[0])),
    'with another value in it': ({ visitor }) =>
      Promise.resolve(visitor.cookies.set(switchCookie(visitor)[0], 'x'.repeat(43))),
    'after its person was deactivated, and let in again': async ({ to }) => {
      const [member] = await bench.rows<{ id: string }>('select id from org_memberships where tenant_id = $1', [to.id]);
      for (const move of ['deactivate', 'reactivate'])
        await bench.api.post(`/v1/admin/orgs/${to.slug}/members/${member?.id}/${move}`);
    },
    'after two minutes': () => bench.rows('update pending_login_switches set expires_at = now()'),
    'when the provider is disabled': ({ to }) => bench.configure({ status: 'disabled' }, to.configId),
    'when the new membership is deactivated': ({ to }) =>
      bench.rows(`update org_memberships set status = 'deactivated' where tenant_id = $1`, [to.id]),
    'when the new account is deactivated': ({ to }) =>
      bench.rows(`update users set status = 'deactivated' where tenant_id = $1`, [to.id]),
    'when the new organization is suspended': ({ to }) =>
      bench.rows(`update tenants set status = 'suspended' where id = $1`, [to.id]),
    'with another session than the one that it would replace': async ({ visitor, from }) => {
      const other = bench.visitor();
      await bench.signIn(other, from.slug);
      visitor.cookies.set(WEB, other.session ?? '');
    },
  };

  it.each(Object.entries(refusals))('CP-282 %s is 400 and leaves the session as it was', async (_, arrange) => {
    const at = await asked();
    const [name] = switchCookie(at.visitor);
    await arrange(at);
    const presented = at.visitor.session ?? '';
    const answer = await confirm(at);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('You stay signed in')]);
    expect(answer.headers.getSetCookie()).toEqual([expect.stringContaining(`${name}=deleted`)]);
    expect([await isLive(at.old), await isLive(presented)]).toEqual([true, true]);
    expect(await bench.rows('select 1 from user_sessions where tenant_id = $1', [at.to.id])).toEqual([]);
  });

  it('CP-282 a second time is 400, also with the new session', async () => {
    const at = await asked();
    const [name, value] = switchCookie(at.visitor);
    expect((await confirm(at)).status).toBe(302);
    at.visitor.cookies.set(name, value);
    expect((await confirm(at)).status).toBe(400);
    expect(await isLive(at.visitor.session ?? '')).toBe(true);
  });

  it('CP-167 CP-282 without the header is 403, of another site 403, without a live session 401; the switch can still be confirmed', async () => {
    const at = await asked();
    expect((await confirm(at, {})).status).toBe(403);
    expect((await confirm(at, { ...CSRF, origin: 'https://evil.example' })).status).toBe(403);
    const session = at.visitor.session ?? '';
    at.visitor.cookies.delete(WEB);
    expect((await confirm(at)).status).toBe(401);
    at.visitor.cookies.set(WEB, session);
    expect((await confirm(at)).status).toBe(302);
  });

  it('CP-282 of a switch that never was is 404 or 400, with the error in JSON for who prefers it', async () => {
    const at = await asked();
    expect((await at.visitor.send('POST', '/v1/auth/switch/nonsense', CSRF)).status).toBe(404);
    const unknown = '/v1/auth/switch/01900000-0000-7000-8000-000000000000';
    const answer = await at.visitor.send('POST', unknown, { ...CSRF, accept: 'application/json' });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringContaining('has expired') as unknown },
    ]);
  });
});
