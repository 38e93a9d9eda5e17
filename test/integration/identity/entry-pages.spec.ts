import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignInBench, type SignInVisitor } from '../../support/identity/sign-in-bench.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

/** Goes where an answer leads, to a page of ours. */
async function follow(visitor: SignInVisitor, answer: Response): Promise<Response> {
  const location = answer.headers.get('location');
  return location === null ? answer : follow(visitor, await visitor.get(location));
}

describe('where people arrive', () => {
  it('CP-266 is a page that says who is signed in, for whoever wanted to be nowhere', async () => {
    const visitor = bench.visitor();
    expect(await (await visitor.get('/')).text()).toContain('You are not signed in.');
    bench.provider.person = { ...bench.provider.person, email: '<i>ada</i>@example.org' };
    const page = await follow(visitor, await bench.signIn(visitor));
    const text = await page.text();
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/);
    expect(text).toContain('<dd>&lt;i&gt;ada&lt;/i&gt;@example.org</dd>');
    expect(text).toContain(`<dd>${bench.organization.slug}</dd>`);
  });

  it('CP-266 is a page with one sentence, where nobody can sign in', async () => {
    const visitor = bench.visitor();
    const page = await follow(visitor, await visitor.get('/v1/auth/login/nobody/start'));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('is not configured')]);
    const said = await visitor.get('/login?error=unavailable', { accept: 'application/json' });
    expect(await said.json()).toMatchObject({ next: '/v1/auth/login' });
  });

  it.each([
    ['/login', '/v1/auth/login'],
    ['/login?next=%2Fapp%2Fruns%3Fa%3D1', '/v1/auth/login?redirect_to=%2Fapp%2Fruns%3Fa%3D1'],
    ['/login?next=https%3A%2F%2Fevil.example', '/v1/auth/login'],
    ['/login?next=%2F%2Fevil.example', '/v1/auth/login'],
    ['/login?next=/a&next=/b', '/v1/auth/login'],
    ['/login?error=%3Cscript%3E', '/v1/auth/login'],
  ])('CP-266 %s leads to %s', async (from, to) => {
    const answer = await bench.visitor().get(from);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, to]);
  });
});
