import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Started } from '../../support/identity/device-bench.js';
import { SignInBench, type SignInVisitor } from '../../support/identity/sign-in-bench.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
afterAll(() => bench?.close());

/** Follows redirects of ours; answers the page, or where the browser leaves us for. */
async function follow(visitor: SignInVisitor, to: string): Promise<{ left: string } | { page: string }> {
  const answer = await visitor.get(to);
  const location = answer.headers.get('location');
  if (location === null) return { page: await answer.text() };
  return location.startsWith('/') ? follow(visitor, location) : { left: location };
}

it('CP-266 CP-280 a person who is not signed in goes from the address of a terminal to sign-in and back, and lets it in', async () => {
  const body = { client_name: 'a server', org: bench.organization.slug };
  const started = (await bench.api.post('/v1/auth/device', body, { token: null })).body as unknown as Started;
  const visitor = bench.visitor();
  const left = await follow(visitor, started.verification_uri_complete);
  if (!('left' in left)) throw new Error(`not sent to the provider: ${left.page}`);
  const back = await follow(visitor, bench.provider.authorize(left.left));
  const html = 'page' in back ? back.page : '';
  expect(html).toContain('Let this terminal in?');
  expect(html).toContain('a server');

  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await bench.api.post('/v1/auth/device/confirm', undefined, {
    token: null,
    raw: new URLSearchParams({ ...fields, code: started.user_code, answer: 'approve' } as never).toString(),
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('<h1>Approved</h1>')]);

  const { device_code } = started;
  const poll = await bench.api.post('/v1/auth/device/token', { device_code }, { token: null });
  const { access_token: token } = poll.body as unknown as { access_token: string };
  const me = await bench.api.get('/v1/auth/me', { token });
  expect(me.body).toMatchObject({ org: { slug: bench.organization.slug }, auth_kind: 'pat' });
});
