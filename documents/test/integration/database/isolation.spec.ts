import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { plantOrganization, type PlantedOrganization } from '../../support/database/plant-organization.js';
import { plantResources } from '../../support/database/plant-resources.js';

/** They hold nothing of an organization, and whoever shows wrong secrets may belong to none. */
const OF_THE_DEPLOYMENT = ['schema_functions', 'schema_migrations', 'secret_throttles'];

let database: TestDatabase;
let acme: PlantedOrganization;
let other: PlantedOrganization;
let tables: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  acme = await plantOrganization(database.owner);
  other = await plantOrganization(database.owner, 'Other');
  for (const { orgId, caller } of [acme, other]) await plantResources(database.owner, orgId, caller.clientId);
  const { rows } = await database.owner.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and relname <> all ($1) order by relname`,
    [OF_THE_DEPLOYMENT],
  );
  tables = rows.map(({ name }) => name);
});
afterAll(() => database.close());

describe('row-level isolation', () => {
  it('is forced on every table, by a policy of the organization for reading and writing', async () => {
    const { rows } = await database.owner.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relname = any ($1) and c.relnamespace = 'public'::regnamespace
         and not (c.relrowsecurity and c.relforcerowsecurity and exists (
           select from pg_policies p where p.tablename = c.relname and p.policyname = 'org_isolation' and p.cmd = 'ALL'
             and p.roles = '{public}' and p.permissive = 'PERMISSIVE' and p.qual = p.with_check
             and p.qual ~ '^\\((org_)?id = \\(NULLIF\\(current_setting\\(''docsvc.org_id'''))`,
      [tables],
    );
    expect(tables.length).toBeGreaterThan(15);
    expect(rows).toEqual([]);
  });

  it('has no other policy than that of functions across organizations', async () => {
    const { rows } = await database.owner.query(
      `select tablename, policyname, roles from pg_policies
         where policyname <> 'org_isolation' and (policyname <> 'cross_organization' or roles <> '{docsvc_system}')`,
    );
    expect(rows).toEqual([]);
  });

  it('binds the runtime role, which owns nothing and may change no audit entry', async () => {
    const { rows } = await database.owner.query<{ name: string; grants: string[] }>(
      `select table_name as name, array_agg(privilege_type::text order by privilege_type) as grants
         from information_schema.role_table_grants where grantee in ('docsvc_app', 'PUBLIC') group by table_name`,
    );
    const unknown = rows.filter(({ grants }) => grants.some((one) => !/^(SELECT|INSERT|UPDATE|DELETE)$/.test(one)));
    expect(unknown).toEqual([]);
    expect(rows.find(({ name }) => name === 'audit_events')?.grants).toEqual(['INSERT', 'SELECT']);
    const owned = await database.owner.query(
      `select relname from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname in ('docsvc_app', 'docsvc_system')`,
    );
    expect(owned.rows).toEqual([]);
  });

  it('functions that look across organizations belong to docsvc_system, name their schemas, and are not for everybody', async () => {
    const { rows } = await database.owner.query(
      `select p.proname from pg_proc p join pg_roles r on r.oid = p.proowner
         where p.pronamespace = 'public'::regnamespace and p.prosecdef and not (
           r.rolname = 'docsvc_system' and p.proconfig @> array['search_path=pg_catalog, public, pg_temp']
           and not has_function_privilege('public', p.oid, 'execute'))`,
    );
    expect(rows).toEqual([]);
  });

  it('two organizations never see a row of each other, in any table', async () => {
    const seen = await database.record.inOrganization(acme.orgId, async (tx) => {
      const counts: { [table: string]: number } = {};
      for (const table of tables) {
        const column = table === 'orgs' ? 'id' : 'org_id';
        const [row] = await tx.query<{ foreign: number }>(
          `select count(*) filter (where ${column} <> $1)::int as foreign from ${table}`,
          [acme.orgId],
        );
        counts[table] = row?.foreign ?? -1;
      }
      return counts;
    });
    expect(Object.values(seen).filter((count) => count !== 0)).toEqual([]);
  });

  it('a row for another organization is not written', async () => {
    const write = database.record.inOrganization(acme.orgId, (tx) =>
      tx.query(`insert into workspaces (id, org_id, name, slug) values (gen_random_uuid(), $1, 'x', 'x')`, [
        other.orgId,
      ]),
    );
    await expect(write).rejects.toThrow(/row-level security/);
    const moved = await database.record.inOrganization(acme.orgId, (tx) =>
      tx.query('update projects set name = $1 where id = $2 returning id', ['x', other.projectId]),
    );
    expect(moved).toEqual([]);
  });
});
