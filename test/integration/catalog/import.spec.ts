import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findConnector, insertCustom, listConnectors } from '../../../src/core/catalog/connector-queries.js';
import { readImport } from '../../../src/domain/catalog/import-connectors.js';
import { parseConnector } from '../../../src/domain/catalog/parse-connector.js';
import type { JsonValue } from '../../../src/domain/json.js';
import { importCatalog } from '../../../src/embedded/import-catalog.js';
import { importConnectors } from '../../../src/core/catalog/import-connectors.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

const LISTING = JSON.parse(readFileSync(new URL('./registry-listing.json', import.meta.url), 'utf8')) as JsonValue;

let test: TestDatabase;
let mine: string;
let theirs: string;
beforeAll(async () => {
  test = await createTestDatabase();
  [mine, theirs] = [
    (await createOrganization(test.db)).organizationId,
    (await createOrganization(test.db)).organizationId,
  ];
});
afterAll(() => test.close());

describe('importing a listing', () => {
  it('CP-135 CP-136 adds entries for every organization, refreshes its own, and leaves curated and custom ones alone', async () => {
    const own = parseConnector({ slug: 'acme-crm', name: 'Our CRM', url: 'https://crm.own.example' });
    await test.db.withTenant(mine, (tx) => insertCustom(tx, own));
    const entries = readImport({ registry: LISTING });
    expect(await importConnectors(test.db, entries)).toEqual({ added: 2, refreshed: 0, kept: 1 });
    expect(await importConnectors(test.db, entries)).toEqual({ added: 0, refreshed: 2, kept: 1 });
    const find = (organization: string, slug: string): Promise<unknown> =>
      test.db.withTenant(organization, (tx) => findConnector(tx, slug, null));
    expect(await find(theirs, 'acme-crm')).toMatchObject({
      tier: 'community',
      tenant_id: null,
      url: 'https://mcp.acme.example/mcp',
      transport: 'streamable_http',
      provenance: {
        source: 'mcp-registry',
        upstream_id: 'example.acme/crm',
        source_ref: '2.1.0',
        imported_at: expect.stringMatching(/Z$/),
      },
    });
    // An import that arrives later is shadowed by what the organization has.
    expect(await find(mine, 'acme-crm')).toMatchObject({ tier: 'custom', url: 'https://crm.own.example' });
    expect(await find(theirs, 'github')).toMatchObject({ tier: 'verified', url: 'https://api.githubcopilot.com/mcp/' });
    expect(await find(theirs, 'acme-local')).toMatchObject({ transport: 'rest_action', url: null });
    const tiers = (await test.db.withTenant(mine, (tx) => listConnectors(tx, null))).map(({ tier }) => tier);
    expect([...new Set(tiers)]).toEqual(['verified', 'community', 'custom']);
  });

  it('fails as a whole when its connection breaks, and goes on with another one', async () => {
    const holder = new pg.Client({ connectionString: test.ownerUrl });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table connector_catalog in exclusive mode');
      const importing = expect(importConnectors(test.db, readImport({ registry: LISTING }))).rejects.toMatchObject({
        code: 'unavailable',
      });
      const sql = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      const ended = await until(
        async () => (await test.owner.query(sql)).rowCount,
        (count) => count === 1,
      );
      expect(ended).toBe(1);
      await importing;
    } finally {
      await holder.end();
    }
    expect(await importConnectors(test.db, readImport({ registry: LISTING }))).toEqual({
      added: 0,
      refreshed: 2,
      kept: 1,
    });
  });

  it('is what the operator’s command does, with the operator’s own way into the database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sg-import-'));
    try {
      const env = { DATABASE_URL: test.ownerUrl, SERVICE_DATA_DIR: folder };
      const providers = { providers: [{ id: 'weather', name: 'Weather', url: 'https://weather.example' }] };
      expect(await importCatalog(env, folder, { providers })).toEqual({ added: 1, refreshed: 0, kept: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(await test.db.withTenant(theirs, (tx) => findConnector(tx, 'weather', null))).toMatchObject({
      tier: 'community',
      transport: 'rest_action',
      provenance: { source: 'open-connector' },
    });
  });

  it('writes all entries or none', async () => {
    const [first] = readImport({ registry: LISTING });
    if (first === undefined) throw new Error('the listing is empty');
    const broken = { ...first, slug: 'NOT A SLUG' };
    await expect(importConnectors(test.db, [{ ...first, slug: 'half-way' }, broken])).rejects.toThrow();
    expect(await test.db.withTenant(mine, (tx) => findConnector(tx, 'half-way', null))).toBeNull();
  });
});
