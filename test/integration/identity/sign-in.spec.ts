import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { SignInBench, WEB } from '../../support/identity/sign-in-bench.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

describe('signing in', () => {
  it('CP-266 CP-280 leads to the provider with the closed list of parameters, and back to where the person wanted to be', async () => {
    const visitor = bench.visitor();
    const location = new URL(await visitor.start(bench.organization.slug, '/app/runs?x=1'));
    const { nonce, state, code_challenge: challenge, ...rest } = Object.fromEntries(location.searchParams);
    expect(rest).toEqual({
      client_id: 'sandgate-test.client',
      redirect_uri: 'http://127.0.0.1:8787/v1/auth/callback',
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    expect([nonce, challenge, state]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{100,600}$/),
    ]);
    const answer = await visitor.get(bench.provider.authorize(location.href));
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/app/runs?x=1']);
    const me = await fetch(`${bench.api.url}/v1/agents`, { headers: { cookie: `${WEB}=${visitor.session}` } });
    expect(me.status).toBe(200);
    const [row] = await bench.rows<{ n: string; hash: string }>('select * from user_sessions');
    expect(JSON.stringify(row)).not.toContain(visitor.session);
    expect(row).toMatchObject({ session_token_sha256: hash('sha256', visitor.session ?? '', 'hex'), revoked_at: null });
  });
});
