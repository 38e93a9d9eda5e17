import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import pLimit from 'p-limit';
import { deactivate } from '../../support/api/users.js';
import { DeviceBench, type Browser, type Started } from '../../support/identity/device-bench.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { withinOneMinute } from '../../support/time/within-one-minute.js';

let bench: DeviceBench;
beforeAll(async () => {
  bench = await DeviceBench.start();
});
afterAll(() => bench?.close());

/** What the terminal is refused with. */
async function refusal(started: Started): Promise<string> {
  const { status, body } = await bench.poll(started);
  expect([status, Object.keys(body)]).toEqual([400, ['error']]);
  return body.error;
}

/** A terminal that a new person let in. */
async function approved(name?: string): Promise<{ started: Started; person: Browser }> {
  const [started, person] = [
    await bench.started(name === undefined ? {} : { client_name: name }),
    await bench.person(),
  ];
  expect((await person.answer(started.user_code, 'approve')).html).toContain('<h1>Approved</h1>');
  return { started, person };
}

describe('a terminal that signs in', () => {
  it('CP-266 is told two codes, where to go, how long they live and how often to ask (RFC 8628 §3.2)', async () => {
    const { status, body, headers } = await bench.begin({ client_name: 'laptop', org: 'acme' });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const started = body as unknown as Started;
    expect(started).toMatchObject({
      device_code: expect.stringMatching(/^[0-9a-f]{64}$/),
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: expect.stringMatching(/\/v1\/auth\/device\/confirm\?org=acme$/),
      expires_in: 600,
      interval: 5,
    });
    expect(started.verification_uri_complete).toBe(`${started.verification_uri}&user_code=${started.user_code}`);
  });

  it('CP-285 leaves neither of its codes nor its token on record', async () => {
    const { started, person } = await approved();
    const token = ((await bench.poll(started)).body as unknown as { access_token: string }).access_token;
    const { owner } = bench.api.database;
    const { rows } = await owner.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const secrets = [started.device_code, started.user_code, started.user_code.replace('-', ''), token];
    for (const { name } of rows) {
      for (const secret of secrets) {
        const found = await owner.query(`select 1 from ${name} t where position($1 in t::text) > 0`, [secret]);
        expect([name, found.rowCount]).toEqual([name, 0]);
      }
    }
    expect((await bench.tokensOf(person.who)).map((one) => one.token_sha256)).toEqual([hash('sha256', token, 'hex')]);
  });

  it('waits until somebody decided, and longer from then on when it asks too soon', async () => {
    const started = await bench.started();
    expect(await refusal(started)).toBe('authorization_pending');
    for (let times = 0; times < 2; times += 1)
      expect((await bench.pollNow(started.device_code)).body).toEqual({ error: 'slow_down' });
    const { rows } = await bench.api.database.owner.query<{ interval_secs: number }>(
      'select interval_secs from device_logins where device_code_sha256 = $1',
      [hash('sha256', started.device_code, 'hex')],
    );
    expect(rows).toEqual([{ interval_secs: 15 }]);
    expect(await refusal(started)).toBe('authorization_pending');
  });

  it('CP-275 CP-267 has a token of the person who approved, named after it', async () => {
    const { started, person } = await approved('laptop of Ada');
    const { status, body } = await bench.poll(started);
    const answer = body as unknown as { access_token: string; token_type: string; expires_in: number };
    expect([status, answer]).toEqual([
      200,
      { access_token: expect.stringMatching(/^svc_pat_[0-9a-f]{64}$/), token_type: 'Bearer', expires_in: 7_776_000 },
    ]);
    expect(await bench.tokensOf(person.who)).toMatchObject([{ name: 'laptop of Ada' }]);
    const me = await bench.api.get('/v1/auth/me', { token: answer.access_token });
    expect(me.body).toMatchObject({ user_id: person.who.userId, auth_kind: 'pat', roles: ['member'] });
  });

  it('gets its token once: the same code is refused afterwards, and nobody can answer it again', async () => {
    const { started, person } = await approved();
    expect((await bench.poll(started)).status).toBe(200);
    expect(await refusal(started)).toBe('invalid_grant');
    expect((await person.press(await person.open(), 'look', started.user_code)).html).toContain('No terminal waits');
    expect(await bench.tokensOf(person.who)).toHaveLength(1);
  });

  it('makes one token however many ask at once', async () => {
    const { started, person } = await approved();
    // Nothing but the end of the login itself tells them apart then.
    await bench.api.database.owner.query('update device_logins set interval_secs = 0 where device_code_sha256 = $1', [
      hash('sha256', started.device_code, 'hex'),
    ]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => bench.pollNow(started.device_code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 400 && body.error === 'invalid_grant')).toHaveLength(19);
    expect(await bench.tokensOf(person.who)).toHaveLength(1);
    expect((await bench.auditOf(person.who)).filter(({ action }) => action === 'token.mint')).toHaveLength(1);
  });

  it('is denied, and stays so', async () => {
    const [started, person] = [await bench.started(), await bench.person()];
    expect((await person.answer(started.user_code, 'deny')).html).toContain('<h1>Denied</h1>');
    expect(await refusal(started)).toBe('access_denied');
    expect((await person.press(await person.open(), 'look', started.user_code)).status).toBe(400);
    expect(await refusal(started)).toBe('access_denied');
    expect((await bench.auditOf(person.who)).map(({ action }) => action)).toEqual(['device.deny']);
  });

  it('comes too late, before and after it was approved', async () => {
    const [early, late] = [await bench.started(), await approved()];
    await bench.expire();
    expect([await refusal(early), await refusal(late.started)]).toEqual(['expired_token', 'expired_token']);
    expect((await late.person.press(await late.person.open(), 'look', early.user_code)).status).toBe(400);
    expect(await bench.tokensOf(late.person.who)).toEqual([]);
  });

  it('cannot guess the code of another one', async () => {
    for (const device_code of ['0'.repeat(64), 'x', 'svc_pat_', "' or true --"])
      expect((await bench.poll({ device_code })).body).toEqual({ error: 'invalid_grant' });
  });

  it('begins ten times a minute from one address', async () => {
    const statuses = await withinOneMinute(bench.api.database, async () => {
      const address = bench.freshAddress();
      const answers = [];
      for (let times = 0; times < 11; times += 1) answers.push(await bench.begin({}, address));
      expect(answers[10]?.headers.get('retry-after')).toBe('60');
      return answers.map(({ status }) => status);
    });
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect((await bench.begin()).status).toBe(200);
  });

  it('asks three hundred times a minute from one address, whatever it asks for; further questions change nothing', async () => {
    const { started } = await approved();
    await withinOneMinute(bench.api.database, async () => {
      const address = bench.freshAddress();
      const codes = Array.from({ length: 301 }, (_, n) => (n % 2 === 0 ? '0'.repeat(64) : 'x'));
      const asked = await pLimit(8).map(codes, (code) => bench.pollNow(code, address));
      expect(asked.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(300);
      const late = await bench.poll(started, address);
      expect([late.status, late.headers.get('retry-after')]).toEqual([429, '60']);
    });
    expect((await bench.poll(started)).status).toBe(200);
  }, 120_000);

  it('cannot call itself what would mislead whoever reads it', async () => {
    const names = ['', '   ', 'a\nb', 'a\u202eb', 'a\u200bb', 'x'.repeat(101)];
    for (const client_name of names) {
      const { status, body } = await bench.begin({ client_name });
      expect([client_name, status, body.error]).toEqual([client_name, 400, expect.stringContaining('client_name')]);
    }
  });

  it('CP-329 is refused members that nothing reads, and other kinds of tokens', async () => {
    expect((await bench.begin({ client: 'x' })).status).toBe(400);
    const body = { device_code: 'x', grant_type: 'authorization_code' };
    expect((await bench.api.post('/v1/auth/device/token', body, { token: null })).status).toBe(400);
  });
});

describe('the member who approved', () => {
  const ends: [string, (person: Browser) => Promise<unknown>][] = [
    ['was deactivated', ({ who }) => deactivate(bench.api.db, who, 'membership')],
    ['lost the account', ({ who }) => deactivate(bench.api.db, who, 'account')],
    [
      'was signed out everywhere',
      ({ who }) =>
        bench.api.database.owner.query('update user_sessions set revoked_at = now() where user_id = $1', [who.userId]),
    ],
  ];
  it.each(ends)('%s before the terminal asked: it gets nothing, and the log says so', async (_name, end) => {
    const { started, person } = await approved();
    await end(person);
    expect(await refusal(started)).toBe('access_denied');
    expect(await refusal(started)).toBe('access_denied');
    expect(await bench.tokensOf(person.who)).toEqual([]);
    expect(await bench.auditOf(person.who)).toMatchObject([
      { action: 'device.approve', success: true },
      { action: 'token.mint', success: false, source_ip: '198.51.100.7' },
    ]);
  });

  it('of a suspended organization lets nobody in', async () => {
    const { started, person } = await approved();
    const setStatus = (to: string) => bench.api.database.owner.query('update tenants set status = $1', [to]);
    await setStatus('suspended');
    try {
      expect(await refusal(started)).toBe('access_denied');
    } finally {
      await setStatus('active');
    }
    expect(await bench.tokensOf(person.who)).toEqual([]);
  });

  it('and the token are on record, with where each of them was', async () => {
    const { started, person } = await approved();
    await bench.poll(started, '203.0.113.9');
    expect(await bench.auditOf(person.who)).toEqual([
      { action: 'device.approve', success: true, source_ip: person.address, request_id: expect.any(String) },
      { action: 'token.mint', success: true, source_ip: '203.0.113.9', request_id: expect.any(String) },
    ]);
  });
});

describe('a terminal that gives its token up (RFC 7009)', () => {
  const giveUp = (token: string) => bench.api.post('/v1/auth/device/revoke', { token }, { token: null });

  it('CP-267 ends it at once, and hears the same of one that is none', async () => {
    const { started, person } = await approved();
    const { access_token: token } = (await bench.poll(started)).body as unknown as { access_token: string };
    for (const given of [token, token, `svc_pat_${'0'.repeat(64)}`, 'x']) {
      const { status, body } = await giveUp(given);
      expect([status, body]).toEqual([200, { revoked: true }]);
    }
    expect(await bench.tokensOf(person.who)).toEqual([]);
    expect((await bench.api.get('/v1/auth/me', { token })).status).toBe(401);
    const revoked = (await bench.auditOf(person.who)).filter(({ action }) => action === 'token.revoke');
    expect(revoked).toHaveLength(1);
  });

  it('CP-267 ends it for good also while its person may not sign in', async () => {
    const { organizationId } = await createOrganization(bench.api.db);
    const { token, userId } = await bench.api.users.add(bench.api.db, organizationId, 'member');
    const turn = (status: string) =>
      bench.api.database.owner.query('update tenants set status = $2 where id = $1', [organizationId, status]);
    await turn('suspended');
    expect((await giveUp(token)).body).toEqual({ revoked: true });
    await turn('active');
    expect((await bench.api.get('/v1/auth/me', { token })).status).toBe(401);
    expect(await bench.auditOf({ userId })).toMatchObject([{ action: 'token.revoke', success: true }]);
  });

  it('ends no other credential', async () => {
    const person = await bench.person();
    await giveUp(person.who.cookie.slice(person.who.cookie.indexOf('=') + 1));
    expect((await person.open()).status).toBe(200);
  });
});

describe('a client of others', () => {
  const client = { client_id: 'somebody-elses-tool' };
  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = (): oauth.AuthorizationServer => ({
    issuer: bench.api.url,
    device_authorization_endpoint: `${bench.api.url}/v1/auth/device`,
    token_endpoint: `${bench.api.url}/v1/auth/device/token`,
    revocation_endpoint: `${bench.api.url}/v1/auth/device/revoke`,
  });

  it('signs in, and out, with forms as RFC 8628 and RFC 7009 send them', async () => {
    const as = issuer();
    const begun = await oauth.deviceAuthorizationRequest(as, client, oauth.None(), {}, options);
    const started = await oauth.processDeviceAuthorizationResponse(as, client, begun);
    const ask = async () =>
      oauth.processDeviceCodeResponse(
        as,
        client,
        await oauth.deviceCodeGrantRequest(as, client, oauth.None(), started.device_code, options),
      );
    await expect(ask()).rejects.toMatchObject({ error: 'authorization_pending' });
    const person = await bench.person();
    await person.answer(started.user_code, 'approve');
    await expect(ask()).rejects.toMatchObject({ error: 'slow_down' });
    await bench.api.database.owner.query(`update device_logins set last_polled_at = null`);
    const { access_token: token } = await ask();
    expect(await bench.tokensOf(person.who)).toMatchObject([{ name: 'somebody-elses-tool' }]);
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, oauth.None(), token, options));
    expect(await bench.tokensOf(person.who)).toEqual([]);
  });
});
