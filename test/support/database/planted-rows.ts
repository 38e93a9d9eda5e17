import { v7 as uuidv7 } from 'uuid';
import type { TestDatabase } from './database.js';

/** Tables of the deployment itself: ids and numbers of hosts, processes and counters, no organization's data. */
export const DEPLOYMENT_TABLES = [
  'capacity_counters',
  'hosts',
  'login_throttles',
  'process_leases',
  'sandbox_uids',
  'schema_functions',
  'schema_migrations',
];

export interface Column {
  name: string;
  type: string;
}

export interface Table {
  name: string;
  /** The column that names the organization. */
  tenant: string;
  columns: Column[];
}

/** The tables that hold rows of organizations, from the catalog. */
export async function readTenantTables(test: TestDatabase): Promise<Table[]> {
  const { rows } = await test.owner.query<{ name: string; columns: Column[] }>(
    `select c.relname as name,
            (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attnum)
             from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and a.attidentity = '' and a.attgenerated = '') as columns
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  );
  return rows
    .filter((row) => !DEPLOYMENT_TABLES.includes(row.name))
    .map((row) => ({ ...row, tenant: row.columns.some((column) => column.name === 'tenant_id') ? 'tenant_id' : 'id' }));
}

/**
 * Inserts a row of the organization into the table, ignoring every constraint but the types.
 *
 * @param set SQL of columns that matter to the test
 */
export async function plantRow(
  test: TestDatabase,
  table: Table,
  organizationId: string,
  set: Record<string, string> = {},
): Promise<void> {
  const client = await test.owner.connect();
  try {
    await client.query('set session_replication_role = replica');
    const checks = await client.query<{ conname: string }>(
      `select conname from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
      [table.name],
    );
    await client.query('begin');
    for (const { conname } of checks.rows) await client.query(`alter table ${table.name} drop constraint "${conname}"`);
    const names = table.columns.map((column) => column.name).join(', ');
    const values = table.columns.map((column) => set[column.name] ?? valueOf(column, table, organizationId)).join(', ');
    await client.query(`insert into ${table.name} (${names}) values (${values}) on conflict do nothing`);
    await client.query('commit');
  } finally {
    client.release(true);
  }
}

/** SQL of some value of the column's type. */
export function valueOf(column: Column, table: Table, organizationId: string): string {
  if (column.name === table.tenant) return `'${organizationId}'`;
  const byType: Record<string, string> = {
    uuid: `'${uuidv7()}'`,
    text: `'planted-${uuidv7()}'`,
    jsonb: `'{}'`,
    json: `'{}'`,
    bytea: `'\\x00'`,
    boolean: 'false',
    'timestamp with time zone': 'now()',
    'text[]': `'{}'`,
    // A domain refuses a wrong value before isolation is asked, so the probe brings a right one.
    svc_event_actor: `'system'`,
    svc_sha256: `sha256('planted')`,
    svc_approval_status: `'pending'`,
    svc_approval_scope: `'once'`,
  };
  return byType[column.type] ?? '1';
}
