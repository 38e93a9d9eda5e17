import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import {
  DEPLOYMENT_TABLES,
  plantRow,
  readTenantTables,
  valueOf,
  type Table,
} from '../../support/database/planted-rows.js';
import { createOrganization, createRun } from '../../support/runs/run-fixture.js';

/** The closed list of ways around row-level isolation. Whoever adds one adds it here and says why beside it. */
const CROSS_ORGANIZATION_FUNCTIONS = [
  'svc_admit_waiting',
  // Refusals that concern no organization that exists.
  'svc_append_deployment_audit',
  // Tries of a minute, counted under a digest; no id goes in or out.
  'svc_charge_login_throttle',
  'svc_claim_oauth_flow',
  'svc_count_failed_notices',
  // A login of a terminal has no organization until somebody confirms it; the answer is given in the one of the transaction.
  'svc_decide_device_login',
  'svc_defer_outbox',
  'svc_delete_outbox',
  'svc_drop_oauth_registration',
  // A browser that comes back from the code host names a registration; its organization alone is answered.
  'svc_find_app_registration',
  // By the digest of a code that somebody typed: which terminal waits under it.
  'svc_find_device_login',
  // A confirmed switch names its row; the organization is answered to the browser that holds the cookie of it alone.
  'svc_find_login_switch',
  'svc_find_organization',
  // Credentials are looked up by digest before anything says whose they are.
  'svc_find_personal_tokens',
  'svc_find_runs',
  'svc_find_token_holder',
  'svc_find_trigger_token',
  // Files of a host have no organization: which of them runs still need.
  'svc_find_wanted_uploads',
  'svc_find_web_sessions',
  // Addresses of webhooks are public; whose one is, is known before its signature is, and nothing is answered before.
  'svc_find_webhook_connections',
  'svc_find_webhook_registrations',
  // A host keeps what all organizations made there within one limit; ids, states and sizes alone.
  'svc_forget_setup_layers',
  'svc_free_places',
  // The boot asks whether anybody can sign in: yes or no.
  'svc_has_identity_provider',
  'svc_keep_oauth_registration',
  // For the operator: what privileged callers did, in all organizations.
  'svc_list_auth_audit',
  'svc_list_dead_reservations',
  'svc_list_due_schedules',
  'svc_list_expired_claims',
  'svc_list_expired_grants',
  'svc_list_host_runs',
  'svc_list_keks',
  'svc_list_lost_observers',
  'svc_list_organizations',
  'svc_list_overdue_approvals',
  'svc_list_overdue_deliveries',
  'svc_list_overspent_runs',
  'svc_list_schedules',
  'svc_list_setup_layers',
  'svc_list_uncleaned_runs',
  'svc_list_unfinished_runs',
  'svc_list_unhandled_webhooks',
  'svc_list_unnoticed_approvals',
  'svc_lookup_run_token',
  'svc_measure_deployment',
  // Credentials that were just looked up are used.
  'svc_note_token_use',
  'svc_open_counter',
  // By the digest of the terminal's own code: whose approval it has, if any.
  'svc_poll_device_login',
  'svc_read_outbox',
  'svc_recount_capacity',
  'svc_release_capacity',
  // The session that a switch replaces may be one of another organization.
  'svc_replace_web_session',
  'svc_sealed_rows',
  // Ends an approved login of a terminal, of the organization of the transaction alone.
  'svc_settle_device_login',
  'svc_slide_web_session',
  // A terminal asks before anybody says who it is.
  'svc_start_device_login',
  'svc_sweep_expired',
  'svc_sweep_logins',
  'svc_sweep_upstream_sessions',
  'svc_touch_oauth_registration',
];

describe('row-level isolation', () => {
  let test: TestDatabase;
  let tables: Table[];
  let victim: string;
  let intruder: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    tables = await readTenantTables(test);
    victim = (await createOrganization(test.db)).organizationId;
    intruder = (await createOrganization(test.db)).organizationId;
    for (const table of tables) await plantRow(test, table, victim);
  });
  afterAll(() => test.close());

  it('CP-030 covers every table of the catalog that is not a deployment table, enabled and forced', async () => {
    const { rows } = await test.owner.query<{ name: string; enabled: boolean; forced: boolean; policies: number }>(
      `select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
              (select count(*)::int from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_isolation') as policies
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    );
    const open = rows.filter((row) => !row.enabled || !row.forced || row.policies !== 1).map((row) => row.name);
    expect(open).toEqual(DEPLOYMENT_TABLES);
    expect(tables.length).toBeGreaterThanOrEqual(19);
  });

  it('lists every function that runs with other rights, owned by the system role, closed to the public', async () => {
    const { rows } = await test.owner.query<{ name: string; owner: string; public: boolean; path: string[] | null }>(
      `select p.proname as name, r.rolname as owner, p.proconfig as path,
              exists (select from aclexplode(p.proacl) a where a.grantee = 0) or p.proacl is null as public
       from pg_proc p join pg_roles r on r.oid = p.proowner
       where p.pronamespace = 'public'::regnamespace and p.prosecdef order by 1`,
    );
    expect(rows.map((row) => row.name)).toEqual(CROSS_ORGANIZATION_FUNCTIONS);
    for (const row of rows) {
      expect(row).toMatchObject({ owner: 'sandgate_system', public: false });
      expect(row.path).toContainEqual(expect.stringContaining('search_path=pg_catalog'));
    }
  });

  it('gives the runtime roles no way to bypass it', async () => {
    const { rows } = await test.owner.query(
      `select rolname, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname like 'sandgate_%' order by 1`,
    );
    const powerless = { rolsuper: false, rolbypassrls: false, rolcanlogin: false, rolcreaterole: false };
    expect(rows).toEqual([
      { rolname: 'sandgate_app', ...powerless },
      { rolname: 'sandgate_system', ...powerless },
    ]);
    const { rows: owned } = await test.owner.query(
      `select relname from pg_class where relowner in (select oid from pg_roles where rolname like 'sandgate_%')`,
    );
    expect(owned).toEqual([]);
    const { rows: who } = await test.db.pool.query('select current_user as name');
    expect(who).toEqual([{ name: 'sandgate_app' }]);
  });

  const settings = ['foreign', 'absent', 'reset', 'emptied', 'bypassed'] as const;
  const statements = ['select', 'lock', 'insert', 'update', 'merge', 'delete', 'truncate'] as const;
  for (const setting of settings) {
    for (const statement of statements) {
      it(`CP-030 proof 11 shows and gives nothing: ${statement} with a ${setting} organization, on every tenant table`, async () => {
        const leaks: string[] = [];
        for (const table of tables) {
          if (await reaches(test, table, statement, setting, { victim, intruder })) leaks.push(table.name);
        }
        expect(leaks).toEqual([]);
      });
    }
  }

  it('positive control: the same probes reach the rows of the own organization', async () => {
    const blind: string[] = [];
    for (const table of tables) {
      const found = await test.db.withTenant(victim, (tx) => tx.query(`select 1 from ${table.name}`));
      if (found.length === 0) blind.push(table.name);
    }
    expect(blind).toEqual([]);
  });

  it('refuses references to rows of another organization', async () => {
    const [mine, other] = [await createRun(test.db), await createRun(test.db)];
    await expect(
      test.db.withTenant(mine.organizationId, (tx) =>
        tx.query(
          `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id) values ($1, $2, $3, 2, 'replay', 'none', $4)`,
          [uuidv7(), mine.organizationId, other.agentId, mine.policyId],
        ),
      ),
    ).rejects.toThrow(/foreign key/);
  });
});

type Setting = 'foreign' | 'absent' | 'reset' | 'emptied' | 'bypassed';
type Statement = 'select' | 'lock' | 'insert' | 'update' | 'merge' | 'delete' | 'truncate';

/** Whether the statement got at the victim's row or planted one in its name. */
async function reaches(
  test: TestDatabase,
  table: Table,
  statement: Statement,
  setting: Setting,
  who: { victim: string; intruder: string },
): Promise<boolean> {
  const client = await test.db.pool.connect();
  try {
    await client.query('begin');
    if (setting === 'foreign') await client.query(`select set_config('service.tenant_id', $1, true)`, [who.intruder]);
    if (setting === 'reset') {
      await client.query(`select set_config('service.tenant_id', $1, true)`, [who.victim]);
      await client.query('commit');
      await client.query('begin');
      await client.query('reset service.tenant_id');
    }
    if (setting === 'emptied') await client.query(`select set_config('service.tenant_id', '', true)`);
    // A setting by which another system of this kind is passed; here it means nothing.
    if (setting === 'bypassed') await client.query(`select set_config('service.bypass', 'system_worker', true)`);
    const { rowCount } = await client.query(sqlOf(table, statement, who.victim));
    // Emptying a table counts no rows: that it was allowed is the leak.
    return statement === 'truncate' || (rowCount ?? 0) > 0;
  } catch (error) {
    // Refused outright is as good as empty; anything else is a broken probe.
    if (/permission denied|row-level security/.test((error as Error).message)) return false;
    throw error;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

function sqlOf(table: Table, statement: Statement, victim: string): string {
  switch (statement) {
    case 'select':
      return `select * from ${table.name} where ${table.tenant} = '${victim}'`;
    case 'insert': {
      const names = table.columns.map((column) => column.name).join(', ');
      return `insert into ${table.name} (${names}) values (${table.columns.map((column) => valueOf(column, table, victim)).join(', ')})`;
    }
    case 'lock':
      return `select from ${table.name} where ${table.tenant} = '${victim}' for update`;
    case 'merge':
      return `merge into ${table.name} t using (values (1)) v (one) on t.${table.tenant} = '${victim}'
              when matched then update set ${table.tenant} = t.${table.tenant}`;
    case 'truncate':
      return `truncate ${table.name} cascade`;
    case 'update':
      return `update ${table.name} set ${table.tenant} = ${table.tenant} where ${table.tenant} = '${victim}'`;
    case 'delete':
      return `delete from ${table.name} where ${table.tenant} = '${victim}'`;
  }
}
