import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditOf, startOrgBench, type OrgBench } from '../../support/identity/org-bench.js';

let bench: OrgBench;
beforeAll(async () => {
  bench = await startOrgBench();
});
afterAll(() => bench.close());

describe('CP-268 organizations of the deployment', () => {
  it('is made with a trimmed slug, its policies and its agent, and is on record', async () => {
    const made = await bench.call('POST', '/v1/admin/orgs', { slug: ' acme ', display_name: 'Acme Inc.' });
    expect([made.status, made.body.org]).toEqual([
      200,
      {
        id: expect.any(String),
        name: 'acme',
        slug: 'acme',
        display_name: 'Acme Inc.',
        status: 'active',
        created_at: expect.any(String),
      },
    ]);
    const { id } = made.body.org;
    expect(await auditOf(bench, id)).toEqual([
      { action: 'org.create', target: 'acme', success: true, actor_id: 'operator', detail: {} },
    ]);
    const owner = await bench.addMember(id, 'owner');
    const policies = await bench.api.get('/v1/policies', owner);
    expect(policies.body.policies.map(({ name }) => name)).toContain('default');
    expect((await bench.api.get('/v1/agents', owner)).body.agents.map(({ name }) => name)).toEqual(['fixer']);
  });

  it('are listed oldest first, the boot organization before all others, a page after a cursor', async () => {
    const first = await bench.makeOrg();
    const second = await bench.makeOrg();
    const { body } = await bench.call('GET', '/v1/admin/orgs');
    const slugs = body.orgs.map(({ slug }) => slug);
    expect(slugs[0]).toBe('default');
    expect(slugs.slice(-2)).toEqual([first.slug, second.slug]);
    const page = await bench.call('GET', `/v1/admin/orgs?after=${first.id}&limit=1`);
    expect(page.body.orgs.map(({ slug }) => slug)).toEqual([second.slug]);
    expect((await bench.call('GET', `/v1/admin/orgs?after=${second.id}`)).body.orgs).toEqual([]);
    expect((await bench.call('GET', '/v1/admin/orgs?after=x')).status).toBe(400);
  });

  it.each([
    [{ slug: 'Big' }, 400, /^slug: /],
    [{ slug: '-x' }, 400, /^slug: /],
    [{ slug: '' }, 400, /^slug: /],
    [{}, 400, /^slug: /],
    [{ slug: 7 }, 400, /^slug: /],
    [{ slug: 'x', display_name: ' ' }, 400, /^display_name: /],
    [{ slug: 'x', display_name: 'y'.repeat(201) }, 400, /^display_name: /],
    [{ slug: 'x', dispaly_name: 'y' }, 400, /display_name/],
    [{ slug: 'default' }, 409, /exists already/],
  ])('%j is refused, and the refusal is on record', async (body, status, error) => {
    const before = (await auditOf(bench, null)).length;
    const answer = await bench.call('POST', '/v1/admin/orgs', body);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(error)]);
    const entries = (await auditOf(bench, null)).slice(before);
    expect(entries).toEqual([expect.objectContaining({ action: 'org.create', success: false, actor_id: 'operator' })]);
  });

  it('renames', async () => {
    const { path, id, slug } = await bench.makeOrg();
    expect((await bench.call('PATCH', path, { display_name: 'New' })).body.org.display_name).toBe('New');
    expect((await bench.call('GET', path)).body.org.display_name).toBe('New');
    expect((await bench.call('PATCH', path, { display_name: null })).body.org.display_name).toBeNull();
    expect((await bench.call('PATCH', path, { display_name: '' })).status).toBe(400);
    expect((await bench.call('PATCH', path, {})).status).toBe(400);
    expect((await bench.call('PATCH', path, { slug: 'other' })).status).toBe(400);
    expect((await auditOf(bench, id)).slice(1)).toEqual([
      ...[true, true, false, false, false].map((success) =>
        expect.objectContaining({ action: 'org.update', target: slug, success }),
      ),
    ]);
  });

  it('is 404 for a slug that names none, on every route', async () => {
    const id = '0190a0a0-0000-7000-8000-000000000000';
    const routes: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { display_name: 'x' }],
      ['POST', '/suspend'],
      ['POST', '/resume'],
      ['GET', '/idp'],
      ['POST', '/idp', bench.provider.body()],
      ['PATCH', `/idp/${id}`, {}],
      ['POST', `/idp/${id}/activate`],
      ['POST', `/idp/${id}/disable`],
      ['POST', `/idp/${id}/reactivate`],
      ['POST', `/idp/${id}/migrate`, bench.provider.body()],
      ['POST', '/break-glass-owner', { email: 'a@b.test' }],
      ['GET', '/members'],
      ['POST', `/members/${id}/roles`, { roles: ['member'] }],
      ['POST', `/members/${id}/deactivate`],
      ['POST', `/members/${id}/reactivate`],
      ['GET', '/web-sessions'],
      ['POST', '/web-sessions/revoke'],
      ['DELETE', `/web-sessions/${id}`],
    ];
    for (const [method, rest, body] of routes) {
      for (const slug of ['absent', 'NOT%20A%20SLUG']) {
        const answer = await bench.call(method, `/v1/admin/orgs/${slug}${rest}`, body);
        expect([method, rest, answer.status]).toEqual([method, rest, 404]);
      }
    }
    expect((await bench.call('GET', '/v1/admin/audit?org=absent')).status).toBe(404);
  });
});

describe('CP-048 the operator plane', () => {
  it('takes the admin token and nothing else, in either mode, and records nobody who is unknown', async () => {
    const owner = await bench.api.addUser('owner');
    const before = (await auditOf(bench, null)).length;
    for (const token of [null, 'svc_trig_'.padEnd(73, 'a'), 'wrong', owner.token]) {
      for (const [method, path] of [
        ['GET', '/v1/admin/orgs'],
        ['POST', '/v1/admin/orgs'],
        ['GET', '/v1/admin/audit'],
        ['GET', '/v1/admin/orgs/default/members'],
        ['GET', '/v1/admin/metrics'],
      ] as const) {
        const body = method === 'POST' ? { slug: 'never' } : undefined;
        expect((await bench.call(method, path, body, token)).status).toBe(401);
      }
    }
    expect((await auditOf(bench, null)).length).toBe(before);
  });

  it('CP-054 CP-270 is open to it also in multi-user mode, where the rest of the interface is not', async () => {
    const sso = await startOrgBench({ SERVICE_REQUIRE_SSO: '1' });
    try {
      expect((await sso.call('GET', '/v1/admin/orgs')).status).toBe(200);
      expect((await sso.call('GET', '/v1/admin/metrics')).status).toBe(200);
      expect((await sso.call('GET', '/v1/org')).status).toBe(401);
      expect((await sso.call('GET', '/v1/agents')).status).toBe(401);
    } finally {
      await sso.close();
    }
  });

  it('CP-329 says 415 without a content type and 400 for what is no JSON', async () => {
    const raw = (type: string | null, text: string) =>
      bench.api.call('POST', '/v1/admin/orgs', { raw: text, headers: type === null ? {} : { 'content-type': type } });
    expect((await raw('text/plain', '{"slug":"x"}')).status).toBe(415);
    expect((await raw('application/json', '{"slug":')).status).toBe(400);
  });
});
