import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CSRF, SignInBench } from '../../support/identity/sign-in-bench.js';

const WHERE = 'x-service-end-session';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

describe('signing out', () => {
  it('CP-266 ends the session, and says where the browser may sign out at the provider too', async () => {
    const visitor = bench.visitor();
    let idToken = '';
    bench.provider.deviation = { token: (token) => (idToken = token) };
    await bench.signIn(visitor);
    const { session } = visitor;
    const answer = await visitor.send('POST', '/v1/auth/logout', CSRF);
    expect([answer.status, await answer.text(), visitor.session]).toEqual([204, '', undefined]);
    const address = new URL(answer.headers.get(WHERE) ?? '');
    expect(`${address.origin}${address.pathname}`).toBe(`${bench.provider.url}/logout`);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: 'sandgate-test.client',
      id_token_hint: idToken,
    });
    const after = await visitor.get('/v1/auth/me', { cookie: `__Host-svc_web=${session}` });
    expect(after.status).toBe(401);
  });

  it('CP-266 hints at nobody where the token of the person is too long for a header', async () => {
    const groups = Array.from({ length: 600 }, (_, n) => `a-department-with-a-long-name-${n}`);
    bench.provider.person = { ...bench.provider.person, groups };
    const visitor = bench.visitor();
    await bench.signIn(visitor);
    const answer = await visitor.send('POST', '/v1/auth/logout', CSRF);
    expect([answer.status, answer.headers.get(WHERE)]).toEqual([
      204,
      `${bench.provider.url}/logout?client_id=sandgate-test.client`,
    ]);
  });

  it('the token rests sealed for its row: in clear it is nowhere, and from another row it does not open', async () => {
    let idToken = '';
    bench.provider.deviation = { token: (token) => (idToken = token) };
    const [one, two] = [bench.visitor(), bench.visitor()];
    await bench.signIn(one);
    await bench.signIn(two);
    const rows = await bench.rows<{ id: string; text: string; id_token_sealed: Buffer }>(
      'select id, s::text as text, id_token_sealed from user_sessions s order by created_at desc limit 2',
    );
    for (const { text, id_token_sealed: sealed } of rows) {
      expect(text).not.toContain(idToken);
      expect(sealed.includes(Buffer.from(idToken))).toBe(false);
    }
    await bench.rows('update user_sessions set id_token_sealed = $2 where id = $1', [
      rows[0]?.id,
      rows[1]?.id_token_sealed,
    ]);
    const answer = await two.send('POST', '/v1/auth/logout', CSRF);
    expect([answer.status, answer.headers.get(WHERE)]).toEqual([204, null]);
  });

  it.each<[string, unknown]>([
    ['offers no address', undefined],
    ['offers one over plain http', 'http://issuer.example/logout'],
    ['offers a script', 'javascript:alert(1)'],
  ])('CP-266 ends the session alone where the provider %s', async (_, address) => {
    const { metadata } = bench.provider;
    bench.provider.metadata = { ...metadata, end_session_endpoint: address };
    try {
      const { slug } = await bench.addOrganization();
      const visitor = bench.visitor();
      await bench.signIn(visitor, slug);
      const answer = await visitor.send('POST', '/v1/auth/logout', CSRF);
      expect([answer.status, answer.headers.get(WHERE), visitor.session]).toEqual([204, null, undefined]);
    } finally {
      bench.provider.metadata = metadata;
    }
  });
});
