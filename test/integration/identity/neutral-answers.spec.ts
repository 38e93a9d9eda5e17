import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignInBench } from '../../support/identity/sign-in-bench.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

/** All that an answer says, but the time at which it was given. */
async function whole(answer: Response): Promise<object> {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'));
  return { status: answer.status, headers, body: await answer.text() };
}

async function start(slug: string, headers: Record<string, string> = {}): Promise<object> {
  return whole(await bench.visitor().get(`/v1/auth/login/${slug}/start`, { 'x-request-id': 'same', ...headers }));
}

/** Every way in which nobody can sign in to an organization. */
async function unusable(): Promise<Record<string, string>> {
  const add = async (change: (of: { id: string; configId: string }) => Promise<unknown>): Promise<string> => {
    const organization = await bench.addOrganization();
    await change(organization);
    return organization.slug;
  };
  const { metadata } = bench.provider;
  const dead = (issuer: string) => add(({ configId }) => bench.configure({ issuer }, configId));
  return {
    unknown: 'nobody',
    'no slug': 'UPPER%20case',
    'a slug that is too long': 'a'.repeat(64),
    suspended: await add(({ id }) => bench.rows(`update tenants set status = 'suspended' where id = $1`, [id])),
    'without a provider': await add(({ configId }) =>
      bench.rows('delete from org_idp_configs where id = $1', [configId]),
    ),
    staged: await add(({ configId }) => bench.configure({ status: 'staged' }, configId)),
    disabled: await add(({ configId }) => bench.configure({ status: 'disabled' }, configId)),
    'dead issuer': await dead('http://127.0.0.1:1'),
    'another issuer': await dead(`${String(metadata['issuer'])}/`),
    'an issuer over plain http': await dead('http://issuer.example'),
    'an issuer that is no address': await dead('issuer'),
  };
}

describe('an organization to which nobody can sign in', () => {
  it('CP-280 answers the same bytes, whatever the reason', async () => {
    const causes = await unusable();
    const answers = await Promise.all(Object.values(causes).map((slug) => start(slug)));
    const [first] = answers;
    expect(first).toMatchObject({
      status: 303,
      headers: {
        location: '/login?error=unavailable',
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      },
      body: expect.stringContaining('not configured') as unknown,
    });
    for (const answer of answers) expect(answer).toEqual(first);
    // One that can be signed in to is another answer: the comparison would see a difference.
    expect(await start(bench.organization.slug)).toMatchObject({ status: 302 });
  });

  it('CP-280 tells a client that prefers JSON the same', async () => {
    const answers = await Promise.all(
      Object.values(await unusable()).map((slug) => start(slug, { accept: 'application/json' })),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({
      status: 303,
      body: expect.stringMatching(/^{"error":".*not configured/) as unknown,
    });
  });

  it('CP-280 without a sealing key, and over plain http from elsewhere, it is every organization', async () => {
    for (const env of [{ SERVICE_KMS_MODE: 'off' }, { SERVICE_PUBLIC_URL: 'http://sandgate.example' }]) {
      const other = await SignInBench.start(env);
      try {
        const answer = await other
          .visitor()
          .get(`/v1/auth/login/${other.organization.slug}/start`, { 'x-request-id': 'same' });
        expect(await whole(answer)).toEqual(await start('nobody'));
      } finally {
        await other.close();
      }
    }
  });
});

describe('the page that asks for the organization', () => {
  const ask = (query: string): Promise<Response> => bench.visitor().get(`/v1/auth/login${query}`);

  it('CP-266 has one field, and leads on as soon as it is a possible name', async () => {
    const answer = await ask('');
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page.match(/<input(?! type="hidden")/g)).toHaveLength(1);
    expect(page).toContain('<form method="get" action="/v1/auth/login">');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*form-action 'self'/);
    for (const query of [
      '?org=acme',
      '?org=acme&redirect_to=/',
      '?org=acme&redirect_to=//evil.example',
      '?org=%20acme%20',
    ]) {
      const on = await ask(query);
      expect([on.status, on.headers.get('location')]).toEqual([302, '/v1/auth/login/acme/start']);
    }
    const on = await ask('?org=acme&redirect_to=/app%3Fa=1%26b=2');
    expect(on.headers.get('location')).toBe('/v1/auth/login/acme/start?redirect_to=%2Fapp%3Fa%3D1%26b%3D2');
  });

  it('CP-266 shows what is no name again, as text, and remembers where the person wanted to be', async () => {
    const answer = await ask('?org=%3Cb%3E%22&redirect_to=/app');
    const page = await answer.text();
    expect([answer.status, page]).toEqual([200, expect.stringContaining('value="&lt;b&gt;&quot;"')]);
    expect(page).toContain('<input type="hidden" name="redirect_to" value="/app">');
    expect(await (await ask('?org=A&redirect_to=//evil.example')).text()).not.toContain('evil');
  });
});

describe('redirect_to', () => {
  it.each(['//evil.example', 'https://evil.example', '/\\evil', '/a/../b', '/%2e%2e/b', '/%252f', '/%'])(
    'CP-281 %s is 400, without a login',
    async (target) => {
      const before = (await bench.rows('select 1 from login_flows')).length;
      const visitor = bench.visitor();
      const path = `/v1/auth/login/${bench.organization.slug}/start?redirect_to=${encodeURIComponent(target)}`;
      const answer = await visitor.get(path);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('a path on this server')]);
      expect([visitor.cookies.size, (await bench.rows('select 1 from login_flows')).length]).toEqual([0, before]);
    },
  );

  it('CP-281 that is there twice is 400', async () => {
    const path = `/v1/auth/login/${bench.organization.slug}/start?redirect_to=/a&redirect_to=/b`;
    expect((await bench.visitor().get(path)).status).toBe(400);
  });
});
