import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readLiveRoles } from '../../../src/core/identity/members.js';
import { findWebSession, useWebSession } from '../../../src/core/identity/web-sessions.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { signIn, type TestBrowser, type TestUser } from '../../support/api/users.js';

const IDLE_SECS = 600;
const AT_ONCE = 64;

let api: TestApi;
let ada: TestUser;
let browser: TestBrowser;
beforeAll(async () => {
  api = await startApi({ SERVICE_SESSION_IDLE_SECS: String(IDLE_SECS) });
  // Every write of a row, counted by the owner.
  await api.database.owner.query(`
    create table written (id uuid not null);
    create function note_write() returns trigger language plpgsql security definer as
      $$ begin insert into public.written values (new.id); return new; end $$;
    create trigger note_write after update on user_sessions for each row execute function note_write();
    create trigger note_write after update on api_tokens for each row execute function note_write()`);
});
afterAll(() => api.close());
beforeEach(async () => {
  ada = await api.addUser('member');
  browser = await signIn(api.db, ada, { idleSecs: IDLE_SECS, absoluteSecs: 3600 });
});

interface Windows {
  last_seen_at: Date;
  idle_expires_at: Date;
  absolute_expires_at: Date;
}

async function row<T>(sql: string): Promise<T> {
  const { rows } = await api.database.owner.query(sql);
  return rows[0] as T;
}
const windows = (): Promise<Windows> => row(`select * from user_sessions where id = '${browser.sessionId}'`);
/** Changes the session without being counted. */
const set = (change: string): Promise<unknown> =>
  api.database.owner.query(`
    update user_sessions set ${change} where id = '${browser.sessionId}';
    delete from written where id = '${browser.sessionId}'`);
const writes = async (id: string): Promise<number> =>
  (await row<{ count: number }>(`select count(*)::int as count from written where id = '${id}'`)).count;
const read = async (): Promise<number> =>
  (await api.get('/v1/agents', { token: null, headers: { cookie: browser.cookie } })).status;

describe('the idle window of a browser session', () => {
  it('CP-282 begins with the session, and neither window is longer than it was told', async () => {
    const { last_seen_at, idle_expires_at, absolute_expires_at } = await windows();
    expect(idle_expires_at.getTime() - last_seen_at.getTime()).toBe(IDLE_SECS * 1000);
    expect(absolute_expires_at.getTime() - last_seen_at.getTime()).toBe(3_600_000);
  });

  it('CP-282 is not written by uses within a minute', async () => {
    const before = await windows();
    for (let use = 0; use < 5; use += 1) expect(await read()).toBe(200);
    expect([await windows(), await writes(browser.sessionId)]).toEqual([before, 0]);
  });

  it('CP-282 of a minute lasts as long as it is used', async () => {
    const token = browser.cookie.slice(browser.cookie.indexOf('=') + 1);
    const use = () => useWebSession(api.db.pool, token, { idleSecs: 60 });
    await set(`last_seen_at = now() - interval '20 s', idle_expires_at = now() + interval '40 s'`);
    await use();
    expect(await writes(browser.sessionId)).toBe(0);
    await set(`last_seen_at = now() - interval '40 s', idle_expires_at = now() + interval '20 s'`);
    await Promise.all([use(), use()]);
    expect(await writes(browser.sessionId)).toBe(1);
    expect((await windows()).idle_expires_at.getTime() - Date.now()).toBeGreaterThan(50_000);
  });

  it('CP-282 slides with a use after a minute, by 64 at once only once', async () => {
    await set(`last_seen_at = now() - interval '61 s', idle_expires_at = now() + interval '5 s'`);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, read));
    expect(new Set(answers)).toEqual(new Set([200]));
    const { last_seen_at, idle_expires_at } = await windows();
    expect(Math.abs(idle_expires_at.getTime() - last_seen_at.getTime() - IDLE_SECS * 1000)).toBeLessThan(100);
    expect(Date.now() - last_seen_at.getTime()).toBeLessThan(30_000);
    expect(await writes(browser.sessionId)).toBe(1);
  });

  it('CP-282 never reaches beyond the absolute end, however active', async () => {
    await set(
      `last_seen_at = now() - interval '61 s', idle_expires_at = now() + interval '30 s',
       absolute_expires_at = now() + interval '90 s'`,
    );
    expect(await read()).toBe(200);
    const { idle_expires_at, absolute_expires_at } = await windows();
    expect(idle_expires_at).toEqual(absolute_expires_at);
  });

  it('CP-282 is not moved for one that is over', async () => {
    await set(`last_seen_at = now() - interval '700 s', idle_expires_at = now() - interval '1 ms'`);
    expect([await read(), await writes(browser.sessionId)]).toEqual([401, 0]);
  });

  it('CP-283 is left alone by a check that is not a use', async () => {
    await set(`last_seen_at = now() - interval '61 s'`);
    const token = browser.cookie.split('=')[1] ?? '';
    const found = await findWebSession(api.db.pool, token, { idleSecs: IDLE_SECS });
    expect([found?.userId, await writes(browser.sessionId)]).toEqual([ada.userId, 0]);
  });
});

describe('the last use of an access token', () => {
  const ofAda = (): Promise<{ id: string; last_used_at: Date | null }> =>
    row(`select id, last_used_at from api_tokens where user_id = '${ada.userId}'`);

  it('CP-275 is written once by 64 uses at once, and not again within a minute', async () => {
    const { id, last_used_at } = await ofAda();
    expect(last_used_at).toBeNull();
    await Promise.all(Array.from({ length: AT_ONCE }, () => api.get('/v1/agents', ada)));
    const used = await ofAda();
    expect(used.last_used_at).not.toBeNull();
    expect((await api.get('/v1/agents', ada)).status).toBe(200);
    expect([await ofAda(), await writes(id)]).toEqual([used, 1]);
  });

  it('CP-283 is left alone by a check that is not a use', async () => {
    const { id: tokenId } = await ofAda();
    const roles = await api.db.withTenant(ada.organizationId, (tx) => readLiveRoles(tx, { tokenId }));
    expect([roles, (await ofAda()).last_used_at]).toEqual([['member'], null]);
  });
});
