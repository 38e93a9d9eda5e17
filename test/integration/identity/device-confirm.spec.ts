import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ADMIN_TOKEN } from '../../support/api/api.js';
import { Browser, DeviceBench } from '../../support/identity/device-bench.js';
import { withinOneMinute } from '../../support/time/within-one-minute.js';

const CONFIRM = '/v1/auth/device/confirm';

let bench: DeviceBench;
let ada: Browser;
beforeAll(async () => {
  bench = await DeviceBench.start();
});
beforeEach(async () => {
  ada = await bench.person();
});
afterAll(() => bench?.close());

/** How a login stands, by the name of its terminal. */
async function statusOf(name: string): Promise<string | undefined> {
  const { rows } = await bench.api.database.owner.query<{ status: string }>(
    'select status from device_logins where client_name = $1',
    [name],
  );
  return rows[0]?.status;
}

/** Where a browser without a session is sent. */
async function sentTo(query: string, headers: Record<string, string> = {}): Promise<string | null> {
  const response = await fetch(`${bench.api.url}${CONFIRM}${query}`, { redirect: 'manual', headers });
  expect([response.status, response.headers.get('referrer-policy')]).toEqual([302, 'no-referrer']);
  return response.headers.get('location');
}

describe('the page on which a terminal is let in', () => {
  it('CP-266 sends whoever is not signed in to sign-in, with the organization if it is known, and back', async () => {
    expect(await sentTo('')).toBe('/v1/auth/login?redirect_to=%2Fv1%2Fauth%2Fdevice%2Fconfirm');
    expect(await sentTo('?org=acme&user_code=WDJB-MJHT')).toBe(
      '/v1/auth/login?org=acme&redirect_to=%2Fv1%2Fauth%2Fdevice%2Fconfirm%3Fuser_code%3DWDJB-MJHT',
    );
    expect(await sentTo('?org=../x&user_code=%2f%2fevil.example')).toBe(await sentTo(''));
    expect(await sentTo('', { cookie: `__Host-svc_web=svc_web_${'0'.repeat(64)}` })).toBe(await sentTo(''));
    const twice = { cookie: `${ada.who.cookie}; ${ada.who.cookie}` };
    expect((await bench.api.get(CONFIRM, { token: null, headers: twice })).status).toBe(401);
  });

  it('shows who asks, from where and since when, and as whom they would act, before anything is approved', async () => {
    const address = bench.freshAddress();
    const { user_code } = await bench.started({ client_name: '<b>laptop</b> & co' }, address);
    await bench.api.database.owner.query(
      `update device_logins set created_at = created_at - interval '3 minutes' where source_ip = $1`,
      [address],
    );
    const question = await ada.press(await ada.open(), 'look', user_code);
    for (const shown of [
      '&lt;b&gt;laptop&lt;/b&gt; &amp; co',
      address,
      '3 minutes ago',
      `user ${ada.who.userId.slice(-4)}`,
      'default',
    ])
      expect(question.html).toContain(shown);
    expect(question.html).not.toContain('<b>laptop');
    expect(await statusOf('<b>laptop</b> & co')).toBe('pending');
  });

  it('takes the code however it is typed', async () => {
    const { user_code } = await bench.started();
    const typed = ` ${user_code.replace('-', ' ').toLowerCase()} `;
    expect((await ada.press(await ada.open(), 'look', typed)).html).toContain('Let this terminal in?');
  });

  it('runs no script, is framed by nobody and sends its form to itself alone', async () => {
    const { headers } = await bench.api.get(CONFIRM, { token: null, headers: { cookie: ada.who.cookie } });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('script-src');
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
  });

  it('the whole address saves no step that matters: the code is typed all the same', async () => {
    const { user_code } = await bench.started({ client_name: 'one click' });
    const question = await ada.open(`?user_code=${user_code}`);
    expect(question.html).toContain('one click');
    expect(question.html).not.toContain(`value="${user_code}"`);
    expect((await ada.press(question, 'approve')).status).toBe(400);
    const other = await bench.started();
    expect((await ada.press(question, 'approve', other.user_code)).html).toContain('This is another code');
    expect(await statusOf('one click')).toBe('pending');
    expect((await ada.press(question, 'approve', user_code)).html).toContain('<h1>Approved</h1>');
    expect(await statusOf('one click')).toBe('approved');
  });

  it('a form that says that the code was typed is believed only where it was', async () => {
    const { user_code } = await bench.started({ client_name: 'forged' });
    const question = await ada.open(`?user_code=${user_code}`);
    const forged = { ...question, fields: { ...question.fields, typed: 'yes' } };
    expect((await ada.press(forged, 'approve')).status).toBe(403);
    expect(await statusOf('forged')).toBe('pending');
  });

  it('denies without the code, which whoever was sent a link does not have', async () => {
    const { user_code } = await bench.started({ client_name: 'sent' });
    expect((await ada.press(await ada.open(`?user_code=${user_code}`), 'deny')).html).toContain('<h1>Denied</h1>');
    expect(await statusOf('sent')).toBe('denied');
  });
});

describe('CP-167 a form that the page did not show to this session', () => {
  it('is refused: without its token, of another login, of another person, of another session of the same', async () => {
    const [mine, other] = [await bench.started({ client_name: 'target' }), await bench.started()];
    const eve = await bench.person();
    const question = await ada.press(await ada.open(), 'look', mine.user_code);
    const evesQuestion = await eve.press(await eve.open(), 'look', mine.user_code);
    const otherQuestion = await ada.press(await ada.open(), 'look', other.user_code);
    const forms = [
      { ...question, fields: {} },
      { ...question, fields: { ...question.fields, token: '' } },
      { ...question, fields: { ...question.fields, token: otherQuestion.fields['token'] ?? '' } },
      evesQuestion,
    ];
    for (const form of forms) {
      for (const answer of ['approve', 'deny', 'look'])
        expect((await ada.press(form, answer, mine.user_code)).status).toBe(403);
    }
    expect(await statusOf('target')).toBe('pending');
  });

  it('CP-167 is no use of the session where it is refused, and one where it is not', async () => {
    const page = await ada.open();
    const aged = async (): Promise<Date | undefined> => {
      const { rows } = await bench.api.database.owner.query<{ last_seen_at: Date }>(
        `update user_sessions set last_seen_at = clock_timestamp() - interval '5 minutes' where id = $1 returning last_seen_at`,
        [ada.who.sessionId],
      );
      return rows[0]?.last_seen_at;
    };
    const seen = async (): Promise<Date | undefined> => {
      const { rows } = await bench.api.database.owner.query<{ last_seen_at: Date }>(
        'select last_seen_at from user_sessions where id = $1',
        [ada.who.sessionId],
      );
      return rows[0]?.last_seen_at;
    };
    const before = await aged();
    for (const refused of [
      ada.press({ ...page, fields: {} }, 'look', 'BBBB-BBBB'),
      ada.press(page, 'look', 'BBBB-BBBB', { 'sec-fetch-site': 'cross-site' }),
    ])
      expect((await refused).status).toBe(403);
    expect(await seen()).toEqual(before);
    expect((await ada.press(page, 'look', 'BBBB-BBBB')).status).toBe(400);
    expect(Number(await seen())).toBeGreaterThan(Number(before));
  });

  it('is refused from another site, and by JSON without the token', async () => {
    const { user_code } = await bench.started({ client_name: 'cross' });
    const question = await ada.press(await ada.open(), 'look', user_code);
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await ada.press(question, 'approve', '', { 'sec-fetch-site': site })).status).toBe(403);
    const headers = { cookie: ada.who.cookie, accept: 'application/json' };
    const body = { answer: 'approve', login: question.fields['login'], typed: 'yes' };
    const refused = await bench.api.post(CONFIRM, body, { token: null, headers });
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('Nothing was approved')]);
    expect(await statusOf('cross')).toBe('pending');
  });

  it('is of no use once the session is over', async () => {
    const { user_code } = await bench.started({ client_name: 'left' });
    const bob = await bench.person();
    const question = await bob.press(await bob.open(), 'look', user_code);
    await bench.api.database.owner.query('update user_sessions set revoked_at = now() where id = $1', [
      bob.who.sessionId,
    ]);
    expect((await bob.press(question, 'approve')).status).toBe(401);
    expect(await statusOf('left')).toBe('pending');
  });
});

describe('several people and one terminal', () => {
  it('the first answer counts; whoever had the page open too hears that it is over', async () => {
    const started = await bench.started({ client_name: 'contested' });
    const bob = await bench.person();
    const [adas, bobs] = [
      await ada.press(await ada.open(), 'look', started.user_code),
      await bob.press(await bob.open(), 'look', started.user_code),
    ];
    expect((await bob.press(bobs, 'approve')).status).toBe(200);
    for (const answer of ['approve', 'deny']) expect((await ada.press(adas, answer)).status).toBe(400);
    expect((await bench.poll(started)).status).toBe(200);
    expect(await bench.tokensOf(bob.who)).toHaveLength(1);
    expect((await bench.auditOf(ada.who)).filter(({ action }) => action === 'device.approve')).toHaveLength(0);
  });

  it('of twenty answers at once one counts and is on record', async () => {
    const started = await bench.started();
    const bob = await bench.person();
    const question = await bob.press(await bob.open(), 'look', started.user_code);
    const pages = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bob.press(question, index % 2 === 0 ? 'approve' : 'deny')),
    );
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await bench.auditOf(bob.who)).toHaveLength(1);
  });

  it('is not opened by a token: an operator and a terminal cannot let others in', async () => {
    const { user_code } = await bench.started();
    const both = await bench.api.get(CONFIRM, { token: ADMIN_TOKEN, headers: { cookie: ada.who.cookie } });
    expect(both.status).toBe(400);
    const query = `?user_code=${user_code}`;
    expect(await sentTo(query, { authorization: `Bearer ${ADMIN_TOKEN}` })).toContain('/v1/auth/login?');
    const posted = await bench.api.post(CONFIRM, { answer: 'approve' }, { token: ADMIN_TOKEN });
    expect(posted.status).toBe(401);
  });
});

describe('guesses of codes', () => {
  it('are ten a minute in a session, whatever the address, right ones included', async () => {
    const { user_code } = await bench.started({ client_name: 'guessed' });
    const { statuses, page } = await withinOneMinute(bench.api.database, async () => {
      const eve = await bench.person();
      const page = await eve.open();
      const tried = [];
      for (let times = 0; times < 10; times += 1) {
        const elsewhere = { 'x-forwarded-for': bench.freshAddress() };
        tried.push(await eve.press(page, 'look', 'BBBB-BBBB', elsewhere));
      }
      return { statuses: tried.map(({ status }) => status), page: await eve.press(page, 'look', user_code) };
    });
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 400));
    expect([page.status, page.html.includes('guessed')]).toEqual([429, false]);
  });

  it('are thirty a minute from an address, whoever makes them, also by following addresses', async () => {
    const last = await withinOneMinute(bench.api.database, async () => {
      const [address, people] = [bench.freshAddress(), await Promise.all([1, 2, 3, 4].map(() => bench.person()))];
      const browsers = people.map(({ who }) => new Browser(bench, who, address));
      for (const browser of browsers.slice(0, 3))
        for (let times = 0; times < 10; times += 1)
          expect((await browser.open('?user_code=BBBB-BBBB')).status).toBe(400);
      return browsers[3]?.open('?user_code=BBBB-BBBB');
    });
    expect(last?.status).toBe(429);
  });
});
