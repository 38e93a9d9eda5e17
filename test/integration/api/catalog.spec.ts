import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { insertCustom, findConnector, listConnectors } from '../../../src/core/catalog/connector-queries.js';
import { parseConnector } from '../../../src/domain/catalog/parse-connector.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

type Entry = Schemas['CatalogEntry'];

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const CURATED: Record<string, string> = {
  atlassian: 'https://mcp.atlassian.com/v1/mcp/authv2',
  github: 'https://api.githubcopilot.com/mcp/',
  linear: 'https://mcp.linear.app/mcp',
  notion: 'https://mcp.notion.com/mcp',
  sentry: 'https://mcp.sentry.dev/mcp',
  stripe: 'https://mcp.stripe.com',
};

const custom = (slug: string, more: object = {}): object => ({
  slug,
  name: slug,
  url: `https://${slug}.example/mcp`,
  ...more,
});
const add = (slug: string, more: object = {}): Promise<Answer> => api.post('/v1/catalog', custom(slug, more));
const read = async (slug: string): Promise<Entry> => (await api.get(`/v1/catalog/${slug}`)).body as unknown as Entry;
const list = async (): Promise<Entry[]> => {
  const answer = await api.get('/v1/catalog');
  expect(answer.status).toBe(200);
  return (answer.body as unknown as Schemas['CatalogList']).connectors;
};

describe('the catalog', () => {
  it('CP-261 lists the curated connectors: verified, by name, with the address and the way to sign in', async () => {
    const entries = await list();
    const verified = entries.filter(({ tier }) => tier === 'verified');
    expect(verified.map(({ name }) => name)).toEqual([
      'Atlassian',
      'GitHub',
      'Linear',
      'Notion',
      'Sentry',
      'Stripe',
      'Workspace info',
    ]);
    for (const [slug, url] of Object.entries(CURATED)) {
      const entry = verified.find((candidate) => candidate.slug === slug);
      expect(entry).toMatchObject({
        url,
        transport: 'streamable_http',
        connectable: true,
        egress: [new URL(url).host],
      });
      expect(entry?.tool_hints.at(-1)).toMatchObject({ pattern: `mcp__${slug}__*`, action: 'approve' });
    }
    const modeOf = Object.fromEntries(verified.map(({ slug, auth_mode }) => [slug, auth_mode]));
    expect(modeOf).toMatchObject({
      github: 'api_key',
      stripe: 'api_key',
      sentry: 'api_key',
      linear: 'oauth',
      atlassian: 'oauth',
      notion: 'oauth',
    });
    expect(await read('sentry')).toMatchObject({ auth_hints: { header_name: 'Sentry-Bearer', scheme: '' } });
    expect((await read('atlassian')).scopes).toContain('offline_access');
    const program = await read('workspace-info');
    expect(program).toMatchObject({ transport: 'stdio', auth_mode: 'none', url: null, bundle: null });
    expect(program.sandbox_launch?.tools.map(({ name }) => name)).toEqual([
      'workspace_file_count',
      'workspace_grep_count',
    ]);
  });

  it('CP-134 CP-262 stores an own entry as tier custom, whatever the request says', async () => {
    const answer = await add('own-crm', { tier: 'verified' });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    expect(answer.body).toMatchObject({
      slug: 'own-crm',
      tier: 'custom',
      tenant_id: api.organizationId,
      provenance: { source: 'custom' },
      disabled_at: null,
    });
    expect(await read('own-crm')).toMatchObject({ ...(answer.body as object), connectable: true });
    expect((await list()).at(-1)?.tier).toBe('custom');
  });

  it('is refused with the member and the reason', async () => {
    for (const [body, error] of [
      [{}, /^slug: /],
      [custom('bad-url', { url: 'nowhere' }), /^url: /],
      [custom('bad-mode', { auth_mode: 'kerberos' }), /^auth_mode: /],
      [custom('no-tools', { transport: 'stdio', url: null, sandbox_launch: { command: 'x' } }), /^sandbox_launch: /],
    ] as [object, RegExp][]) {
      const answer = await api.post('/v1/catalog', body);
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
    }
    for (const slug of ['nobody', '%00', 'A'.repeat(300)])
      expect([(await api.get(`/v1/catalog/${slug}`)).status, slug]).toEqual([404, slug]);
  });

  it('CP-135 an own entry shadows a global one of its slug here alone, and a second own one is 409', async () => {
    const other = await createOrganization(api.db);
    expect((await add('linear', { url: 'https://linear.own.example/mcp' })).status).toBe(200);
    expect(await read('linear')).toMatchObject({ tier: 'custom', url: 'https://linear.own.example/mcp' });
    expect((await list()).filter(({ slug }) => slug === 'linear')).toHaveLength(1);
    const second = await add('linear');
    expect([second.status, second.body.error]).toEqual([409, 'slug: this organization has a connector linear already']);
    const theirs = await api.db.withTenant(other.organizationId, (tx) => findConnector(tx, 'linear', null));
    expect(theirs).toMatchObject({ tier: 'verified', url: CURATED['linear'] });
  });

  it('CP-031 CP-136 own entries are of one organization, the others of all', async () => {
    const other = await createOrganization(api.db);
    const definition = parseConnector({ slug: 'theirs', name: 'Theirs', url: 'https://theirs.example' });
    await api.db.withTenant(other.organizationId, (tx) => insertCustom(tx, definition));
    expect((await api.get('/v1/catalog/theirs')).status).toBe(404);
    expect((await list()).map(({ slug }) => slug)).not.toContain('theirs');
    // The same slug is free here, and each sees its own.
    expect((await add('theirs')).status).toBe(200);
    const rows = await api.db.withTenant(other.organizationId, (tx) => listConnectors(tx, null));
    expect(rows.filter(({ tier }) => tier === 'custom').map(({ url }) => url)).toEqual(['https://theirs.example']);
    const globalOf = (entries: { id: string; tenant_id: string | null }[]): string[] =>
      entries.filter(({ tenant_id }) => tenant_id === null).map(({ id }) => id);
    expect(globalOf(rows)).toEqual(expect.arrayContaining(globalOf(await list())));
  });

  it('CP-136 no request of an organization changes a global entry, and nothing of it can become one', async () => {
    const asTenant = (sql: string): Promise<object[]> => api.db.withTenant(api.organizationId, (tx) => tx.query(sql));
    expect(
      await asTenant(`update connector_catalog set url = 'https://evil.example' where tenant_id is null returning id`),
    ).toEqual([]);
    expect(await asTenant('delete from connector_catalog where tenant_id is null returning id')).toEqual([]);
    await expect(
      asTenant(`update connector_catalog set tenant_id = null, tier = 'verified' where slug = 'own-crm'`),
    ).rejects.toThrow(/row-level security/);
    await expect(
      asTenant(
        `insert into connector_catalog (id, slug, name, tier, transport, auth_mode, provenance)
         values (gen_random_uuid(), 'planted', 'Planted', 'verified', 'rest_action', 'none', '{}')`,
      ),
    ).rejects.toThrow(/row-level security/);
  });

  it('CP-043 has no column and no answer that could hold a credential', async () => {
    const { rows } = await api.database.owner.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = 'connector_catalog'`,
    );
    expect(rows.filter(({ name }) => /sealed|secret|token|credential|password/.test(name))).toEqual([]);
    const answer = await add('with-a-key', {
      token: 'sk-canary-1',
      credential: 'sk-canary-2',
      auth_hints: { token: 'sk-canary-3' },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.not.stringContaining('sk-canary')]);
    const stored = await api.database.owner.query(`select * from connector_catalog where slug = 'with-a-key'`);
    expect(stored.rows).toEqual([]);
  });

  it('a hidden entry is not listed and does not shadow', async () => {
    await add('notion');
    await api.database.owner.query(
      `update connector_catalog set disabled_at = now() where slug = 'notion' and tenant_id is not null`,
    );
    expect(await read('notion')).toMatchObject({ tier: 'verified' });
  });
});
